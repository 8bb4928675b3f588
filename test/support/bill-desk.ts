import assert from 'node:assert/strict';
import type { BilledRequest } from '../../src/domain/operation.ts';
import { type BilledTransaction, isBilled } from '../../src/domain/transaction.ts';
import { balanceOf } from '../../src/ledger/accounts.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { accept } from './accept.ts';
import { itRaced } from './at-once.ts';
import { useTestDatabase } from './database.ts';
import { billRequest, createMerchant, type Merchant, submissionFor } from './merchant.ts';
import { attentionOf, suspenseOf } from './unexplained.ts';

/** A merchant with bills in a database of their own, for the tests of one file; each test leaves books that add up. */
export function openBillDesk() {
  const test = Object.assign(useTestDatabase({ poolMax: 12 }), { merchant: {} as Merchant });
  const open = async () => {
    test.merchant = await createMerchant(test.database, { balance: 500_000 });
  };
  const check = async () => assert.deepEqual(await checkInvariants(test.database), []);
  beforeEach(open);
  afterEach(check);

  /** the bill as Postgres has it */
  async function stored(id: string): Promise<BilledTransaction> {
    const transaction = await getTransaction(test.database, id);
    assert.ok(transaction && isBilled(transaction));
    return transaction;
  }

  return Object.assign(test, {
    stored,
    itRaced: (count: number, title: string, body: () => Promise<void>) =>
      itRaced(test, count, title, async () => {
        await open();
        await body();
        await check();
      }),
    async bill(request: BilledRequest = billRequest()) {
      const submission = submissionFor(test.merchant, request);
      await accept(test.database, submission);
      const id = submission.transactionId;
      return { id, number: (await stored(id)).bill.controlNumber };
    },
    /** what the bills have earned, in minor units */
    earned: async () =>
      (await balanceOf(test.database, test.merchant.accountId, 'TZS')).current - 500_000 * 100,
    async eventsOf(id: string) {
      const rows =
        await test.sql`SELECT body FROM callback_events WHERE transaction_id = ${id} ORDER BY sequence`;
      return rows.map((row) => JSON.parse(row.body));
    },
    reasonsOf: async (subject: string) =>
      (await attentionOf(test.database, subject)).map(({ reason }) => reason),
    suspenseOf: async (id: string) => (await suspenseOf(test.database, id)).map(([amount]) => amount),
    /** the time of a claim passes */
    endClaims: () =>
      test.sql`UPDATE bills SET claimed_until = now() - interval '1 second' WHERE claimed_by IS NOT NULL`,
  });
}
