import assert from 'node:assert/strict';
import { payoutLookup, refundAnswer, transactionAnswer } from '../../src/contract/answer-schemas.ts';
import { recordSend } from '../../src/transactions/channel/sends.ts';
import { tryToEnd } from '../../src/transactions/ending/end.ts';
import { payBill, paymentOf } from '../support/bill-customer.ts';
import { pick } from '../support/pick.ts';
import { assertRefused, freshKey, routeOver } from './support/api.ts';
import { push } from './support/bodies.ts';
import { completedPush } from './support/completed-push.ts';
import { useTestApi } from './support/use-api.ts';

describe('refunding a payment', () => {
  const { api, test, restart } = useTestApi({
    flows: (database) => ({
      cancel: async (id) => {
        const { status } = await tryToEnd(database, id, { kind: 'cancel' });
        return { kind: 'answered', cancelled: status === 'cancelled' };
      },
    }),
  });
  const paid = (amount?: number) => completedPush(test.database, api, amount === undefined ? {} : { amount });
  const refund = (id: string, body: object = {}, headers: Record<string, string> = freshKey()) =>
    api.call('POST', `payments/${id}/refunds`, { headers, body });

  it('answers as a payout does, with refund_of beside it', async () => {
    const id = await paid();
    const before = (await api.call('GET', 'balance')).body.balance;
    const metadata = { order_id: 'INV-1' };
    const answer = await refund(id, { amount: 2000, reason: 'One came back', metadata });
    refundAnswer.parse(answer.body);
    const { transaction_id: refundId, ...rest } = answer.body;
    assert.deepEqual(rest, {
      success: true,
      message: 'The refund has been accepted',
      balance: { current: before.current - 2300, reserved: before.reserved + 2300 },
      refund_of: id,
      status: 'initiated',
      amount: { value: 2000, currency: 'TZS', fee: 300 },
      metadata,
    });

    const lookup = (await api.call('GET', `payouts/${refundId}`)).body;
    const { payout } = payoutLookup.parse(lookup);
    assert.deepEqual(
      [lookup.status, payout.transaction_method, payout.refund_of, payout.reason, payout.mobile],
      ['pending', 'mobile', id, 'One came back', { phone_number: '0754123456', network: 'm-pesa' }],
    );
    assert.equal((await api.call('GET', `payments/${refundId}`)).status, 404);
    const { data } = transactionAnswer.parse((await api.call('GET', `transactions/${refundId}`)).body);
    assert.deepEqual([data.type, data.transaction_mode, data.refund_of], ['payout', 'refund', id]);
  });

  it('is seen in the lookup and the list item of the payment, and in neither before', async () => {
    const id = await paid();
    const lookup = async () => (await api.call('GET', `payments/${id}`)).body;
    const item = async () => (await api.call('GET', `transactions/${id}`)).body.data;
    assert.deepEqual([(await lookup()).payment.refunded, (await item()).refunded], [undefined, undefined]);
    assert.equal('refunds' in (await lookup()).payment, false);
    const first = await refund(id, { amount: 2000 });
    const second = await refund(id);
    const { payment, status } = await lookup();
    assert.equal(status, 'completed');
    assert.equal(payment.refunded, '5,000.00');
    assert.deepEqual(pick(payment.refunds, 'transaction_id', 'status', 'amount'), [
      [first.body.transaction_id, 'pending', '2,000.00'],
      [second.body.transaction_id, 'pending', '3,000.00'],
    ]);
    assert.equal((await item()).refunded, '5,000.00');
    const { data } = (await api.call('GET', 'transactions?mode=refund&per_page=2')).body;
    assert.deepEqual(pick(data, 'refund_of'), [id, id]);
  });

  it('repeats its answer under its key, and takes the key for no other payment or amount', async () => {
    const [id, other] = [await paid(), await paid()];
    const headers = freshKey();
    const first = await refund(id, { amount: 1000 }, headers);
    const again = await refund(id.toUpperCase(), { amount: 1000 }, headers);
    assert.equal(again.text, first.text);
    assert.equal(again.headers['idempotent-replayed'], 'true');
    assertRefused(await refund(other, { amount: 1000 }, headers), 422, 'idempotency_key_reused');
    assertRefused(await refund(id, { amount: 2000 }, headers), 422, 'idempotency_key_reused');
    assert.equal((await api.call('GET', `payments/${id}`)).body.payment.refunds.length, 1);
    assertRefused(await refund(id, {}, {}), 400, 'idempotency_key_missing');
  });

  it('keeps a refusal under its key, also when the reason is gone', async () => {
    const id = await paid();
    const headers = freshKey();
    const whole = await refund(id);
    const refused = await refund(id, { amount: 1 }, headers);
    assertRefused(refused, 409, 'refund_exceeds_payment');
    assert.match(
      refused.body.message,
      /^5,000\.00 of this payment .* 0\.00 can still .*new Idempotency-Key$/,
    );
    await test.sql`UPDATE transactions SET status = 'cancelled' WHERE id = ${whole.body.transaction_id}`;
    const again = await refund(id, { amount: 1 }, headers);
    assert.equal(again.text, refused.text);
    assert.equal(again.headers['idempotent-replayed'], 'true');
    assert.equal((await refund(id, { amount: 1 })).status, 200);
  });

  it('is refused of a payment that is not completed, and of one whose network takes no payouts here', async () => {
    const pending = await api.call('POST', 'payments/ussd', { headers: freshKey(), body: push });
    const unpaid = await refund(pending.body.transaction_id);
    assertRefused(unpaid, 409, 'not_refundable');
    assert.match(unpaid.body.message, /^It is pending, and not paid /);

    const over = routeOver();
    await restart({ routeOf: (channel, way) => (way === 'payout' ? undefined : over(channel, way)) });
    const refused = await refund(await paid());
    assertRefused(refused, 409, 'not_refundable');
    assert.match(refused.body.message, /are not offered here/);
    await restart();
  });

  it('says which fields are wrong, by the kind of the payment', async () => {
    const id = await paid();
    const wrong = await refund(id, { amount: '5', receipt: '', reason: 7, metadata: [] });
    assertRefused(wrong, 422, 'validation_failed', ['amount', 'receipt', 'reason', 'metadata']);
    for (const amount of [0, -1, 0.001, 1.5])
      assertRefused(await refund(id, { amount }), 422, 'validation_failed', ['amount']);

    const bill = await api.call('POST', 'payments/billpay', {
      body: { amount: 100.5, payment_number: 'INV-1', description: 'Books' },
    });
    await payBill(test.database, paymentOf(bill.body.bill.reference, 100.5));
    const billId = bill.body.transaction_id;
    assertRefused(await refund(billId, { amount: 0.99 }), 422, 'amount_out_of_range', ['amount']);
    assert.equal((await refund(billId, { amount: 1.25 })).body.amount.value, 1.25);
    assert.equal((await refund(billId)).body.amount.value, 99.25);
  });

  it('can be cancelled at the address of payouts, until its network may have it', async () => {
    const id = await paid();
    const { body } = await refund(id);
    const cancelled = await api.call('POST', `payouts/${body.transaction_id}/cancel`);
    assert.equal(cancelled.status, 200, cancelled.text);
    assert.deepEqual([cancelled.body.status, cancelled.body.payout.refund_of], ['cancelled', id]);
    const { payment } = (await api.call('GET', `payments/${id}`)).body;
    assert.deepEqual([payment.refunded, payment.refunds.length], ['0.00', 1], 'there was one');

    const second = (await refund(id)).body.transaction_id;
    await recordSend(test.database, { transactionId: second, number: 1 });
    const refused = await api.call('POST', `payouts/${second}/cancel`);
    assertRefused(refused, 409, 'not_cancellable');
    assert.equal(refused.body.message, 'The refund has been handed to the network and may still be paid');
  });
});
