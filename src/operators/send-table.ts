import { z } from 'zod';
import { askedOf } from './actions/asked-of.ts';
import type { Call } from './api/call.ts';
import { calls } from './api/calls.ts';
import type { SendCommand } from './asked.ts';
import type { Answer, CallName } from './list.ts';
import type { PathIn } from './view.ts';

/** `says`: the sentence that the command prints; `{a.b}` is a member of the answer, `{id}` the one typed. */
type Send<Name extends CallName> = {
  call: Name;
  command: string;
  says: `${string}{${PathIn<Answer<Name>> | 'id'}}${string}`;
};

function send<const Name extends CallName>({ call, command, says }: Send<Name>): SendCommand {
  const { summary: title, paths, id, body = {} }: Call = calls[call];
  const subject = id === undefined ? [] : [{ name: 'id', label: id, kind: 'text' } as const];
  return { command, title, path: paths[0], says, asked: [...subject, ...askedOf(z.strictObject(body))] };
}

/** `npm run openapi` writes these for the command line: calls that a command only sends. */
export const sendCommands: readonly SendCommand[] = [
  send({ call: 'createAccount', command: 'accounts create <name>', says: '{account.id}' }),
  send({ call: 'rotateOwnToken', command: 'operators rotate', says: '{token}' }),
  send({ call: 'pingCallbacks', command: 'callbacks ping <id>', says: '{event_id} is queued' }),
  send({ call: 'resendCallback', command: 'callbacks resend <id>', says: '{event_id} is queued' }),
  send({ call: 'reject', command: 'proposals reject <id>', says: '{proposal.id} is {proposal.state}' }),
  send({
    call: 'enquire',
    command: 're-enquire <id>',
    says: 'its channel is being asked; the answer: malipo find {id}',
  }),
];
