import { z } from 'zod';
import { roles } from '../operators/roles.ts';
import { proposalStates } from '../operators/states.ts';
import { type Call, call } from './call.ts';
import { noteField, oneOf, pageQuery, text } from './fields.ts';
import { presentPage, presentProposal } from './present.ts';
import { proposalAnswer, proposalList } from './schemas.ts';

/** The role that counts is the action's: `propose` and `approve` look at it themselves. */
const anyRole = roles;

/** What two operators have to agree on. */
export const proposalCalls = {
  listProposals: call(
    {
      method: 'GET',
      path: 'proposals',
      summary: 'Proposals, newest first',
      roles: ['support', 'finance', 'admin'],
      query: { ...pageQuery, state: oneOf(proposalStates).optional() },
      answer: proposalList,
    },
    async ({ page, per_page, state }, { deps }) => {
      const asked = { page, perPage: per_page };
      return presentPage(
        await deps.proposals.list({ ...asked, state: state ?? null }),
        asked,
        presentProposal,
      );
    },
  ),
  getProposal: call(
    {
      method: 'GET',
      path: 'proposals/{id}',
      id: 'of the proposal',
      summary: 'One proposal: exactly what is to happen, and its hash',
      roles: ['support', 'finance', 'admin'],
      answer: proposalAnswer,
    },
    async (_input, { deps, id }) => ({ proposal: presentProposal(await deps.proposals.get(id)) }),
  ),
  propose: call(
    {
      method: 'POST',
      path: 'proposals',
      summary: 'Propose something that another operator has to approve within 24 hours',
      roles: anyRole,
      body: {
        action: text(60),
        payload: z.record(z.string(), z.unknown(), { error: 'must be an object' }),
        reason: noteField,
      },
      proposes: true,
      answer: proposalAnswer,
      refusals: ['conflict', 'not_found', 'insufficient_balance'],
    },
    async (asked, { deps, caller, actor }) => ({
      proposal: presentProposal(await deps.proposals.propose(asked, { caller, actor })),
    }),
  ),
  approve: call(
    {
      method: 'POST',
      path: 'proposals/{id}/approve',
      id: 'of the proposal',
      summary: 'Approve exactly what has this hash: it is carried out in the same moment, once',
      roles: anyRole,
      body: { payload_hash: text(64) },
      answer: proposalAnswer,
      refusals: ['conflict'],
    },
    async ({ payload_hash }, { deps, caller, actor, id }) => {
      const asked = { id, payloadHash: payload_hash };
      const { proposal, wake, begin } = await deps.proposals.approve(asked, { caller, actor });
      // After the commit, and best effort: the sweep does the same within a minute.
      if (wake !== undefined) await deps.wake(wake);
      if (begin !== undefined) await deps.begin(begin);
      return { proposal: presentProposal(proposal) };
    },
  ),
  reject: call(
    {
      method: 'POST',
      path: 'proposals/{id}/reject',
      id: 'of the proposal',
      summary: 'Reject a proposal, or withdraw an own one',
      roles: anyRole,
      body: { reason: noteField },
      answer: proposalAnswer,
      refusals: ['conflict'],
    },
    async ({ reason }, { deps, caller, actor, id }) => ({
      proposal: presentProposal(await deps.proposals.reject({ id, reason }, { caller, actor })),
    }),
  ),
} satisfies Record<string, Call>;
