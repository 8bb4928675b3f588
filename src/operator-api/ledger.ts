import { z } from 'zod';
import { type Call, call } from './call.ts';
import { presentServiceBalance } from './present.ts';
import { serviceBalance } from './schemas.ts';

/** false: it takes longer; ask again */
const done = z.boolean();

/** The books as a whole. */
export const ledgerCalls = {
  checkLedger: call(
    {
      method: 'POST',
      path: 'ledger/check',
      summary: 'Every transfer balanced, every balance the sum of its entries, every hold resolved once',
      roles: ['finance', 'admin'],
      answer: z.strictObject({ done, breaches: z.array(z.string()) }),
    },
    async (_input, { deps }) => {
      const breaches = await deps.ledger.check();
      return { done: breaches !== null, breaches: breaches ?? [] };
    },
  ),
  ledgerBalances: call(
    {
      method: 'POST',
      path: 'ledger/balances',
      summary: 'Every account of the service, what is on it, and what that means',
      roles: ['finance', 'admin'],
      answer: z.strictObject({ done, balances: z.array(serviceBalance) }),
    },
    async (_input, { deps }) => {
      const balances = await deps.ledger.balances();
      return { done: balances !== null, balances: (balances ?? []).map(presentServiceBalance) };
    },
  ),
} satisfies Record<string, Call>;
