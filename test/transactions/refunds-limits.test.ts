import assert from 'node:assert/strict';
import type { RefundRequest } from '../../src/domain/operation.ts';
import { accept } from '../../src/transactions/accept.ts';
import { settle } from '../../src/transactions/settle.ts';
import { getTransaction } from '../../src/transactions/store.ts';
import { openBillDesk } from '../support/bill-desk.ts';
import { createMerchant, refundRequest, submissionFor } from '../support/merchant.ts';
import { plantPaidPush } from '../support/paid-push.ts';

describe('the refunds of one payment', () => {
  const desk = openBillDesk();
  const payment = () => plantPaidPush(desk.database, desk.merchant, { msisdn: '255754123456' });
  const refund = async (request: RefundRequest) => {
    const submission = submissionFor(desk.merchant, request);
    const { answer } = await accept(desk.database, submission);
    return { id: submission.transactionId, status: answer.httpStatus, body: JSON.parse(answer.body) };
  };

  /** The row of a refund again, `times` over and past the service: only the database can refuse it. */
  async function copyOf(refundId: string, changes: Record<string, unknown>, times = 1): Promise<void> {
    const columns = `account_id, api_key_id, submission_id, type, mode, status, event, amount, currency, fee, fee_version,
      channel, connection, msisdn, timing, refund_of, refund_payment, failure_code`;
    await desk.database.query(
      `INSERT INTO transactions (id, reference, ${columns})
       SELECT gen_random_uuid(), gen_random_uuid()::text, ${columns} FROM generate_series(1, $3),
         jsonb_populate_record(null::transactions, (SELECT to_jsonb(t) || $2 FROM transactions t WHERE id = $1))`,
      [refundId, changes, times],
    );
  }

  it('200 at once never exceed the payment', async () => {
    const id = await payment();
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => refund(refundRequest(id, { amount: 100 }))),
    );
    const codes = answers.map(({ status, body }) => body.code ?? status);
    assert.equal(codes.filter((code) => code === 200).length, 50);
    assert.equal(codes.filter((code) => code === 'refund_exceeds_payment').length, 150);
    const stored = await getTransaction(desk.database, id);
    assert.equal(stored && 'refunded' in stored && stored.refunded, 500_000);
  }).timeout(60_000);

  it('end with 500, those that failed included', async () => {
    const id = await payment();
    const { id: refundId } = await refund(refundRequest(id, { amount: 1 }));
    await settle(desk.database, refundId, { kind: 'cancel' });
    await copyOf(refundId, { status: 'cancelled' }, 499);
    assert.match((await refund(refundRequest(id))).body.message, /^There were 500 refunds/);
    await desk.database.query('DELETE FROM transactions WHERE refund_of = $1 AND id <> $2', [id, refundId]);
  });

  it('are held to the payment’s value by the database itself', async () => {
    const id = await payment();
    const { id: refundId } = await refund(refundRequest(id, { amount: 3_000 }));
    const more = (changes: Record<string, unknown>) => copyOf(refundId, changes);
    await assert.rejects(
      more({ amount: 200_001 }),
      /the refunds of .* are worth 500001, more than the 500000/,
    );
    const stranger = await createMerchant(desk.database);
    await assert.rejects(more({ amount: 1, account_id: stranger.accountId }), /of another account/);
    await assert.rejects(more({ amount: 1, refund_payment: 1 }), /foreign key|more than the 0/);
    await assert.rejects(more({ refund_of: null }), /refund_has_its_payment/);
    await assert.rejects(more({ mode: 'mobile', amount: 1 }), /refund_has_its_payment/);
  });
});
