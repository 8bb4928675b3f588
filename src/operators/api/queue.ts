import { z } from 'zod';
import { waitingFor } from '../actions/waiting.ts';
import { changedSince, lateNow } from '../people/queue.ts';
import { roles } from '../people/roles.ts';
import { count, listOf, written } from './answer-fields.ts';
import { type Call, call } from './call.ts';
import { presentProposal } from './present.ts';
import { proposal } from './schemas.ts';

const WAITING_MAX = 20;

const queued = z.strictObject({
  what: written('The list: `attention`, `suspense`, `days`, `proposals` or `closed`'),
  about: written('The reason, network, statement account or state of these items'),
  count,
  since: written('The time of the oldest one'),
});

export const queueCalls = {
  queue: call(
    {
      method: 'GET',
      paths: ['queue'],
      summary: 'Your work: proposals that wait for you, late items, and new items since you last signed in',
      roles,
      answer: z.strictObject({
        waiting: listOf(proposal, 'Proposals that you may approve, oldest first, at most 20'),
        late: listOf(queued, 'Items that should have been done a day ago'),
        since: written('Your previous sign-in; two days ago if there was none'),
        changed: listOf(queued, 'New items since then'),
      }),
    },
    async (_input, { deps, caller, noteRead }) => {
      const { database, proposals, statementAccounts } = deps;
      const ids = await waitingFor(database, proposals.actions, caller);
      const waiting = await Promise.all(ids.slice(0, WAITING_MAX).map((id) => proposals.get(id, caller)));
      noteRead(...waiting.flatMap(({ people }) => people));
      return {
        waiting: waiting.map(presentProposal),
        late: await lateNow(database, [...statementAccounts.keys()]),
        ...(await changedSince(database, caller.name)),
      };
    },
  ),
} satisfies Record<string, Call>;
