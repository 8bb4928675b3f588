import assert from 'node:assert/strict';
import { minor } from '../../src/domain/money.ts';
import type { FlowTiming } from '../../src/domain/timing.ts';
import { getSuspenseItem } from '../../src/ledger/suspense.ts';
import { postSuspense } from '../../src/ledger/suspense-postings.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { openPayback } from '../../src/transactions/acceptance/paybacks.ts';
import { type TestDatabase, useTestDatabase } from '../support/database.ts';
import { plantProposal } from '../support/decision.ts';

/** A payback on its way, beside a healthy ledger. Returns its id. */
async function plantPayback(database: TestDatabase['database']): Promise<string> {
  return inTransaction(database, async (db) => {
    const money = {
      direction: 'collection',
      amount: minor(500_00),
      currency: 'TZS',
      note: 'a test',
    } as const;
    await postSuspense(db, {
      channel: 'm-pesa',
      connection: 'test',
      receipt: 'PAYBACK',
      transactionId: null,
      ...money,
    });
    const { rows } = await db.query("SELECT id FROM suspense_items WHERE receipt = 'PAYBACK'");
    const item = await getSuspenseItem(db, rows[0]?.id);
    assert.ok(item);
    const id = await openPayback(db, {
      item,
      payer: { msisdn: '255754000999', fullName: null },
      connection: 'test',
      timing: { sendQueueMs: 1, notSentRetryMs: 1 } as FlowTiming,
      proposalId: await plantProposal(db, 'suspense.to-payer'),
      note: 'a test',
    });
    return id ?? assert.fail('nothing was opened');
  });
}

describe('the check of the ledger, of paybacks', () => {
  const test = useTestDatabase({ each: true, poolMax: 1 });
  let id: string;
  beforeEach(async () => {
    id = await plantPayback(test.database);
    assert.deepEqual(await checkInvariants(test.database), []);
  });

  for (const [what, plant, found] of [
    [
      'one that ended without its money',
      "UPDATE transactions SET status = 'paid' WHERE id = $1",
      /is paid but 50000 of it is on payable/,
    ],
    [
      'one of another amount than its item',
      'UPDATE transactions SET amount = 1 WHERE id = $1',
      /its payback \S+ is 1 TZS and pending/,
    ],
    [
      'one whose item is open',
      'UPDATE suspense_items SET left_by = NULL FROM transactions t WHERE t.id = $1 AND suspense_items.id = t.suspense_item',
      /its payback \S+ is 50000 TZS and pending/,
    ],
    [
      'money on its way without one',
      "UPDATE transactions SET status = 'failed', failure_code = 'network_error' WHERE id = $1",
      /payable is 50000 TZS but no payback is on its way/,
    ],
  ] as const)
    it(`finds ${what}`, async () => {
      for (const table of ['transactions', 'suspense_items'])
        await test.database.query(`ALTER TABLE ${table} DISABLE TRIGGER ALL`);
      assert.equal((await test.database.query(plant, [id])).rowCount, 1);
      const breaches = await checkInvariants(test.database);
      assert.ok(
        breaches.some((breach) => found.test(breach)),
        breaches.join('\n'),
      );
    });
});
