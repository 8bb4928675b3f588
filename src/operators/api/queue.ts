import { z } from 'zod';
import { waitingFor } from '../actions/waiting.ts';
import { changedSince, lateNow } from '../people/queue.ts';
import { roles } from '../people/roles.ts';
import { type Call, call } from './call.ts';
import { presentProposal } from './present.ts';
import { proposal } from './schemas.ts';

/** A queue shows no more proposals: the oldest ones. */
const WAITING_MAX = 20;

const described = (description: string) => ({ description });
const queued = z.strictObject({
  what: z
    .string()
    .meta(described('`attention`, `suspense`, `days`, `proposals` or `closed`: a list of its own')),
  about: z.string().meta(described('The reason, network, statement account or state')),
  count: z.number(),
  since: z.string().meta(described('When the oldest of them began')),
});

export const queueCalls = {
  queue: call(
    {
      method: 'GET',
      paths: ['queue'],
      summary:
        'Your work: proposals that wait for you, what is late, and what is new since you last signed in',
      roles,
      answer: z.strictObject({
        waiting: z
          .array(proposal)
          .meta(described('Proposals that you may approve, oldest first, at most 20')),
        late: z.array(queued).meta(described('What should have been done a day ago')),
        since: z.string().meta(described('Your sign-in before this one; two days ago where there was none')),
        changed: z.array(queued).meta(described('What is new since then')),
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
