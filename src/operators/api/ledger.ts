import { z } from 'zod';
import { counted, done, listOf, whether } from './answer-fields.ts';
import { type Call, call } from './call.ts';
import { presentServiceBalance } from './present.ts';
import { serviceBalance } from './schemas.ts';

const full = whether('All of the books anew, from one moment; else what is new since the last check').default(
  false,
);

export const ledgerCalls = {
  checkLedger: call(
    {
      method: 'POST',
      paths: ['ledger/check'],
      summary:
        'Every transfer balanced, every balance the sum of its entries, every hold resolved once: ' +
        'of what is new since the last check, or of all',
      roles: ['finance', 'admin'],
      body: { full },
      answer: z.strictObject({
        done,
        breaches: listOf(z.string(), 'What is wrong, a sentence each; none: all is well'),
        entries: counted('How many entries were read: those since the last check, or all'),
        noted: whether('The next check begins after them; false while there are breaches'),
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
      summary: 'Every account of the service, what is on it, and what that means',
      roles: ['finance', 'admin'],
      answer: z.strictObject({ done, balances: listOf(serviceBalance, 'Every account of the service') }),
    },
    async (_input, { deps }) => {
      const balances = await deps.ledger.balances();
      return { done: balances !== null, balances: (balances ?? []).map(presentServiceBalance) };
    },
  ),
} satisfies Record<string, Call>;
