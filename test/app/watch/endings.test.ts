import assert from 'node:assert/strict';
import { inTransaction } from '../../../src/platform/db/transaction.ts';
import { createMetrics } from '../../../src/platform/process/metrics.ts';
import { announceEnd, observeEndings } from '../../../src/transactions/ending/announce-end.ts';
import { receiveBillPayment } from '../../../src/transactions/ending/bills.ts';
import { tryToEnd } from '../../../src/transactions/ending/end.ts';
import { controlNumberOf, paymentOf } from '../../support/bill-customer.ts';
import { useTestDatabase } from '../../support/database.ts';
import { accepted, handedOver } from '../../support/handed-over.ts';
import { billRequest, mobilePayoutRequest, pushRequest } from '../../support/merchant.ts';
import { succeeded } from '../../support/scripted-channel.ts';
import { sampleOf } from './exposition.ts';

describe('the count of transactions that ended', () => {
  const test = useTestDatabase();
  const metrics = createMetrics();
  const count = async (labels: Record<string, string>) =>
    sampleOf(await metrics.text(), 'transactions_ended_total', labels) ?? 0;
  before(async () => {
    observeEndings(metrics.countEnding);
  });

  it('names kind, channel and outcome, and counts each end once, however often it is settled', async () => {
    const { id } = await handedOver(test.database, pushRequest(5_000));
    const cause = { kind: 'answer', result: succeeded(5_000, 'R1') } as const;
    for (let n = 0; n < 2; n += 1) await tryToEnd(test.database, id, cause);
    assert.equal(await count({ kind: 'ussd', channel: 'm-pesa', outcome: 'completed', failure_code: '' }), 1);
  });

  it('has the code of a failure', async () => {
    const { id } = await handedOver(test.database, mobilePayoutRequest(50_000));
    const result = { kind: 'failed', code: 'insufficient_float', channelReference: null } as const;
    await tryToEnd(test.database, id, { kind: 'answer', result });
    assert.equal(await count({ kind: 'mobile', outcome: 'failed', failure_code: 'insufficient_float' }), 1);
  });

  it('counts a bill once, with the payment that reaches its amount', async () => {
    const { id } = await accepted(test.database, billRequest(5_000, { mode: 'flexible' }));
    const number = await controlNumberOf(test.database, id);
    await receiveBillPayment(test.database, paymentOf(number, 2_000));
    assert.equal(await count({ kind: 'billpay', outcome: 'completed' }), 0);
    await receiveBillPayment(test.database, paymentOf(number, 3_000));
    assert.equal(await count({ kind: 'billpay', outcome: 'completed', channel: 'm-pesa' }), 1);
  });

  it('says nothing of what was rolled back', async () => {
    const rolledBack = inTransaction(test.database, async (db) => {
      announceEnd(db, { mode: 'bank', channel: 'bank', status: 'paid', failureCode: null });
      throw new Error('rolled back');
    });
    await assert.rejects(rolledBack, /rolled back/);
    assert.equal(await count({ kind: 'bank' }), 0);
  });
});
