import { z } from 'zod';
import { startDeliveries } from '../../callbacks/resend.ts';
import type { Executed } from '../actions/actions.ts';
import type { Proposal } from '../actions/proposals.ts';
import { roles } from '../people/roles.ts';
import { proposalStates } from '../people/states.ts';
import { action, payloadHash } from './answer-fields.ts';
import { type Call, type Context, call, type Deps } from './call.ts';
import { only, pageQuery, reasonField, text } from './fields.ts';
import { continueLiveSend } from './live-sends.ts';
import { presentPage, presentProposal } from './present.ts';
import { proposalAnswer, proposalList, proposedAnswer } from './schemas.ts';

const listedStates = proposalStates.filter((one) => one !== 'approved');

const anyRole = roles;

function shown(proposal: Proposal, { noteRead }: Pick<Context, 'noteRead'>) {
  noteRead(...proposal.people);
  return presentProposal(proposal);
}

/** Runs after the commit, best effort: the sweep does the same within a minute. */
async function goOn(deps: Deps, executed: Omit<Executed, 'outcome'>): Promise<void> {
  const { wake, begin, paid, liveSend, deliver, also = [] } = executed;
  if (wake !== undefined) await deps.wake(wake);
  if (begin !== undefined) await deps.begin(begin);
  if (paid !== undefined) await deps.tellPaid(paid).catch(() => {});
  // The sweep does not repeat a live test: a late one would surprise the owner of the phone.
  if (liveSend !== undefined) await continueLiveSend(deps, liveSend).catch(() => {});
  if (deliver !== undefined) await startDeliveries(deliver, deps.deliver);
  for (const one of also) await goOn(deps, one);
}

export const proposalCalls = {
  listProposals: call(
    {
      method: 'GET',
      paths: ['proposals'],
      summary: 'Proposals, newest first',
      roles: ['support', 'finance', 'admin'],
      query: { ...pageQuery, state: only(listedStates) },
      answer: proposalList,
    },
    async ({ page, per_page, state }, context) => {
      const asked = { page, perPage: per_page };
      const listed = await context.deps.proposals.list({ ...asked, state: state ?? null }, context.caller);
      return presentPage(listed, asked, (one) => shown(one, context));
    },
  ),
  getProposal: call(
    {
      method: 'GET',
      paths: ['proposals/{id}'],
      id: 'The id of the proposal',
      summary: 'One proposal: exactly what it will do, and its hash',
      roles: ['support', 'finance', 'admin'],
      answer: proposalAnswer,
    },
    async (_input, context) => ({
      proposal: shown(await context.deps.proposals.get(context.id, context.caller), context),
    }),
  ),
  propose: call(
    {
      method: 'POST',
      paths: ['proposals'],
      summary:
        'Do it at once if one person may, else propose it: another operator approves it within 24 hours',
      roles: anyRole,
      body: {
        action: text(60, action.description),
        payload: z.record(z.string(), z.unknown(), { error: 'must be an object' }),
        reason: reasonField,
      },
      proposes: true,
      answer: proposedAnswer,
      refusals: ['conflict', 'not_found', 'insufficient_balance'],
    },
    async (asked, context) => {
      const { deps } = context;
      const done = await deps.proposals.actAlone(asked, context);
      if (done === null) return { proposal: shown(await deps.proposals.propose(asked, context), context) };
      await goOn(deps, done);
      return { outcome: done.outcome };
    },
  ),
  approve: call(
    {
      method: 'POST',
      paths: ['proposals/{id}/approve'],
      id: 'The id of the proposal',
      summary: 'Approve the proposal with this hash; it is carried out at once, and only once',
      roles: anyRole,
      body: { payload_hash: text(64, payloadHash.description) },
      answer: proposalAnswer,
      refusals: ['conflict'],
    },
    async ({ payload_hash }, context) => {
      const { deps, id } = context;
      const { proposal, ...executed } = await deps.proposals.approve(
        { id, payloadHash: payload_hash },
        context,
      );
      await goOn(deps, executed);
      return { proposal: shown(proposal, context) };
    },
  ),
  reject: call(
    {
      method: 'POST',
      paths: ['proposals/{id}/reject'],
      id: 'The id of the proposal',
      summary: 'Reject a proposal, or withdraw your own',
      roles: anyRole,
      body: { reason: reasonField },
      answer: proposalAnswer,
      refusals: ['conflict'],
    },
    async ({ reason }, context) => ({
      proposal: shown(await context.deps.proposals.reject({ id: context.id, reason }, context), context),
    }),
  ),
} satisfies Record<string, Call>;
