import { writeAnswer } from '../../contract/json-of.ts';
import type { GatewayError } from '../../domain/errors.ts';
import type { Upload } from '../../platform/process/uploads.ts';
import { type Actions, askersOf } from '../actions/actions.ts';
import type { Call, Deps } from '../api/call.ts';
import { calls } from '../api/calls.ts';
import { type CalledBy, perform } from '../api/serve.ts';
import type { Answer, CallName } from '../list.ts';
import { mayAct, type Role } from '../people/roles.ts';

export type { Answer, CallName };

type Given = {
  id?: string;
  query?: Record<string, string | number>;
  body?: Record<string, unknown>;
  file?: Upload | null;
};

export type Desk = {
  /** same rights and audit lines as the API */
  ask<Name extends CallName>(name: Name, given?: Given): Promise<Answer<Name>>;
  /** if false, pages leave out the call's forms and links */
  may(name: CallName): boolean;
  mayAsk(action: string): boolean;
  actions: Actions;
  /** Returns the address of the proposal, or null if one person was enough. */
  propose(action: string, payload: Record<string, unknown>, reason: string): Promise<string | null>;
  /** Throws unless this is the token of the current session. */
  confirm(token: string): Promise<void>;
  waiting: number;
  name: string;
  tokenId: string;
  id: string;
  query: URLSearchParams;
  csrf: string;
  /** values of a refused form; `problem` says why */
  typed: URLSearchParams | null;
  problem: GatewayError | null;
};

export function callsFor(
  deps: Deps,
  by: CalledBy,
): Pick<Desk, 'ask' | 'may' | 'mayAsk' | 'actions' | 'propose'> {
  const ask: Desk['ask'] = async (name, { id = '', query = {}, body = {}, file = null } = {}) => {
    const call: Call = calls[name];
    const asText = Object.fromEntries(Object.entries(query).map(([key, value]) => [key, String(value)]));
    const answer = await perform(deps, {
      name,
      call,
      by,
      id,
      read: async () => ({ query: asText, body: withoutAbsent(body), file }),
    });
    return JSON.parse(writeAnswer(answer, 'en'));
  };
  return {
    ask,
    may: (name) => mayAct(by.caller, calls[name].roles),
    mayAsk: (name) => mayAct(by.caller, rolesOf(deps.proposals.actions, name)),
    actions: deps.proposals.actions,
    async propose(action, payload, reason) {
      const body = { action, payload: withoutAbsent(payload), reason };
      const answer = await ask('propose', { body });
      return 'outcome' in answer ? null : `/desk/proposals/${answer.proposal.id}`;
    },
  };
}

function rolesOf(actions: Actions, name: string): readonly Role[] {
  const action = actions[name];
  return action ? askersOf(action) : [];
}

function withoutAbsent(members: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
