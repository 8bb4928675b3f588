import { z } from 'zod';
import { type Call, call } from './call.ts';

/** The books, checked as a whole. */
export const ledgerCalls = {
  checkLedger: call(
    {
      method: 'POST',
      path: 'ledger/check',
      summary: 'Every transfer balanced, every balance the sum of its entries, every hold resolved once',
      roles: ['finance', 'admin'],
      answer: z.strictObject({
        /** false: it takes longer; ask again */
        done: z.boolean(),
        breaches: z.array(z.string()),
      }),
    },
    async (_input, { deps }) => {
      const { breaches } = await deps.ledgerCheck();
      return { done: breaches !== null, breaches: breaches ?? [] };
    },
  ),
} satisfies Record<string, Call>;
