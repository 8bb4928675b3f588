import assert from 'node:assert/strict';
import type { FlowTiming } from '../../../src/domain/timing.ts';
import { inTransaction } from '../../../src/platform/db/transaction.ts';
import { openPayback } from '../../../src/transactions/acceptance/paybacks.ts';
import { asRole } from '../../support/database.ts';
import { plantProposal } from '../../support/decision.ts';
import { CONNECTION } from '../../support/merchant.ts';
import { useOperatorDesk } from '../../support/operator-desk.ts';
import { pick } from '../../support/pick.ts';
import { suspend } from '../../support/suspend.ts';

const NUMBER = '255754123456';

describe('names and numbers of people who belong to no merchant', () => {
  const { test, desk } = useOperatorDesk({ each: true });

  const erase = async (body: object) => (await desk.call('only-admin', 'POST', 'privacy/erase', body)).body;
  const found = (transactions: number, kept: number, erased = false) => ({
    transactions,
    kept,
    erased,
    next: null,
  });
  const pay = (receipt: string, days: number) => test.sql`INSERT INTO bill_receipts
      (space, connection, channel, receipt, control_number, amount, currency, msisdn, full_name, outcome, reason, received_at)
    VALUES ('test', 'test', 'm-pesa', ${receipt}, '1', 50000, 'TZS', ${NUMBER}, 'ASHA JUMA', 'suspended', 'unknown_number', now() - make_interval(days => ${days}))`;
  it('of paybacks and of payments of no bill are found, kept while their money is not with the payer, and erased', async () => {
    for (const [receipt, days] of [
      ['OLD', 500],
      ['YOUNG', 300],
      ['HELD', 500],
    ] as const)
      await pay(receipt, days);
    const asked = { number: NUMBER, reason: 'asked for it' };
    const item = await suspend(test.database, { receipt: 'HELD' });
    assert.deepEqual(await erase(asked), found(1, 2), 'one is in suspense');
    const id = await inTransaction(test.database, async (db) =>
      openPayback(db, {
        item,
        payer: { msisdn: NUMBER, fullName: 'ASHA JUMA' },
        connection: CONNECTION,
        timing: { sendQueueMs: 1, notSentRetryMs: 1 } as FlowTiming,
        proposalId: await plantProposal(db, 'suspense.to-payer'),
        note: 'a test',
      }),
    );
    await test.database.query("UPDATE transactions SET status_at = status_at - interval '500 days'");
    assert.deepEqual(await erase({ ...asked, dry_run: false }), found(1, 3, true), 'one is on its way back');
    await test.database.query("UPDATE transactions SET status = 'paid' WHERE id = $1", [id]);
    assert.deepEqual(await erase({ ...asked, dry_run: false }), found(2, 1, true));
    const rows =
      await test.sql`SELECT receipt, msisdn, full_name FROM bill_receipts UNION ALL SELECT 'payback', msisdn, full_name FROM transactions
      ORDER BY receipt`;
    assert.deepEqual(pick(rows, 'receipt', 'msisdn', 'full_name'), [
      ['HELD', '255000000000', null],
      ['OLD', '255000000000', null],
      ['YOUNG', NUMBER, 'ASHA JUMA'],
      ['payback', '255000000000', null],
    ]);
  });

  it('of a receipt can be erased and not be changed', async () => {
    await test.database.query(
      "INSERT INTO bill_receipts (space, connection, channel, receipt, control_number, amount, currency, msisdn, full_name, outcome, reason) VALUES ('test', 'test', 'm-pesa', 'R1', '1', 5, 'TZS', $1, 'ASHA', 'refused', 'expired')",
      [NUMBER],
    );
    for (const change of [
      "msisdn = '255754999888', full_name = NULL",
      "full_name = 'JUMA'",
      'msisdn = NULL',
      'amount = 7',
    ])
      await assert.rejects(test.database.query(`UPDATE bill_receipts SET ${change}`), /append-only/, change);
    await test.database.query("UPDATE bill_receipts SET msisdn = '255000000000', full_name = NULL");
    const erasing = asRole(test.database, 'api').query(
      "UPDATE bill_receipts SET msisdn = '255000000000', full_name = NULL",
    );
    await assert.rejects(erasing, /permission denied/);
  });
});
