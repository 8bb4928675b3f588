import { z } from 'zod';
import { counted, done, listOf, whether } from './answer-fields.ts';
import { type Call, call } from './call.ts';
import { presentServiceBalance } from './present.ts';
import { serviceBalance } from './schemas.ts';

const full = whether('True: checks all of the books; false: only what is new since the last check').default(
  false,
);

export const ledgerCalls = {
  checkLedger: call(
    {
      method: 'POST',
      paths: ['ledger/check'],
      summary:
        'Check the books: every transfer is balanced, every balance is the sum of its entries, ' +
        'every hold is resolved once',
      roles: ['finance', 'admin'],
      body: { full },
      answer: z.strictObject({
        done,
        breaches: listOf(z.string(), 'One sentence for each error; empty: the books are right'),
        entries: counted('The number of entries that were read: the new ones, or all'),
        noted: whether('True: the next check begins after these entries; false while there are breaches'),
      }),
    },
    async ({ full }, { deps }) => {
      const checked = await (full ? deps.ledger.checkAll() : deps.ledger.checkNew());
      const { breaches, entries, isNoted } = checked ?? { breaches: [], entries: 0, isNoted: false };
      return { done: checked !== null, breaches, entries, noted: isNoted };
    },
  ),
  ledgerBalances: call(
    {
      method: 'POST',
      paths: ['ledger/balances'],
      summary: 'The balance of every account of the service, and its meaning',
      roles: ['finance', 'admin'],
      answer: z.strictObject({ done, balances: listOf(serviceBalance, 'Every account of the service') }),
    },
    async (_input, { deps }) => {
      const balances = await deps.ledger.balances();
      return { done: balances !== null, balances: (balances ?? []).map(presentServiceBalance) };
    },
  ),
} satisfies Record<string, Call>;
