import { z } from 'zod';
import { audit } from '../../platform/db/audit.ts';
import { inTransaction } from '../../platform/db/transaction.ts';
import { askAgain } from '../../transactions/channel/enquiries.ts';
import { countLately } from '../../transactions/rows/counts.ts';
import { find } from '../search/find.ts';
import { type Call, call } from './call.ts';
import { countsAnswer, foundAnswer } from './case-schemas.ts';
import { numberInQuery, text } from './fields.ts';
import { requireTransaction } from './one-transaction.ts';
import { presentFound } from './present-case.ts';

export const findCalls = {
  find: call(
    {
      method: 'GET',
      paths: ['find'],
      summary:
        'Find money across all accounts by a phone number, a receipt, a reference, any id, ' +
        'or the name of a merchant',
      roles: ['support'],
      query: {
        q: text(
          255,
          'A phone number in any form, a receipt, a reference, a control, payment or batch number, ' +
            'an order, any id, or the name of a merchant',
        ),
      },
      answer: foundAnswer,
    },
    async ({ q }, { deps, noteRead }) => {
      const found = await find(deps.database, q.trim());
      noteRead(
        ...found.items.map(({ transaction }) => transaction.id),
        ...found.merchants.map(({ id }) => `account:${id}`),
        ...found.others.map(({ id }) => id),
        ...found.near.map(({ subject }) => subject),
      );
      return presentFound(found, deps.workflowUrl);
    },
  ),
  enquire: call(
    {
      method: 'POST',
      paths: ['transactions/{id}/enquire'],
      id: 'The id of the transaction',
      summary: 'Ask the channel now for the outcome of a pending transaction, at most once a minute',
      roles: ['support'],
      answer: z.strictObject({
        asked: z.literal(true).meta({ description: 'Always true: the network is asked now' }),
      }),
      refusals: ['conflict', 'rate_limited'],
    },
    async (_input, context) => {
      const { deps, actor } = context;
      const { id } = await requireTransaction(context);
      await inTransaction(deps.database, async (db) => {
        await askAgain(db, id);
        await audit(db, { actor, action: 'transactions.enquire', subject: id, detail: {} });
      });
      await deps.hint(id);
      return { asked: true as const };
    },
  ),
  counts: call(
    {
      method: 'GET',
      paths: ['counts'],
      summary: 'The number of transactions of the last hours, by kind, channel and status',
      roles: ['viewer', 'support', 'finance', 'admin'],
      query: { hours: numberInQuery(1, 168, 24, 'The number of hours') },
      answer: countsAnswer,
    },
    async ({ hours }, { deps }) => ({ hours, ...(await countLately(deps.database, hours)) }),
  ),
} satisfies Record<string, Call>;
