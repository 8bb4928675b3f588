import assert from 'node:assert/strict';
import { validateBillPayment } from '../../src/transactions/ending/bills.ts';
import { tryToEnd } from '../../src/transactions/ending/end.ts';
import { accept } from '../support/accept.ts';
import { controlNumberOf, payBill, paymentOf } from '../support/bill-customer.ts';
import { pushRequest, submissionFor } from '../support/merchant.ts';
import { pick } from '../support/pick.ts';
import { assertRefused, freshKey, idsIn, startTestApi } from './support/api.ts';
import { useTestApi } from './support/use-api.ts';

/** What the merchant sees while customers pay and bills are cancelled: the door and the settling are the real ones. */
describe('the life of a bill, as lookups tell it', () => {
  const { api, test } = useTestApi({
    flows: (database) => ({
      cancel: async (id) => {
        asked.push(id);
        const { status } = await tryToEnd(database, id, { kind: 'cancel' });
        return { kind: 'answered', cancelled: status === 'cancelled' };
      },
    }),
  });
  let asked: string[];
  let made = 0;

  beforeEach(() => {
    asked = [];
  });

  async function bill(changes: Record<string, unknown> = {}): Promise<{ id: string; number: string }> {
    made += 1;
    const body = { amount: 12500.5, payment_number: `INV-${made}`, description: 'Membership', ...changes };
    const answer = await api.call('POST', 'payments/billpay', { body });
    assert.equal(answer.status, 200, answer.text);
    return { id: answer.body.transaction_id, number: answer.body.bill.reference };
  }
  async function qr(): Promise<{ id: string; number: string }> {
    const body = { amount: 15000, currency: 'TZS' };
    const answer = await api.call('POST', 'payments/qr', { body, headers: freshKey() });
    const id = answer.body.transaction_id;
    return { id, number: await controlNumberOf(test.database, id) };
  }
  const lookup = async (id: string) => (await api.call('GET', `payments/${id}`)).body;
  const item = async (id: string) => (await api.call('GET', `transactions/${id}`)).body.data;
  const cancel = (id: string) => api.call('POST', `payments/${id}/cancel`);

  it('goes from unpaid over partly paid to completed, with every payment in order', async () => {
    const { id, number } = await bill({ payment_mode: 'flexible' });
    const unpaid = await lookup(id);
    assert.equal(unpaid.status, 'pending');
    assert.deepEqual(unpaid.payment.payments, []);
    assert.equal(unpaid.payment.status_reason, `Waiting for the customer to pay control number ${number}`);

    await payBill(test.database, paymentOf(number, 10_000, { receipt: 'CKL6A1B2C3' }));
    const partly = await lookup(id);
    assert.deepEqual([partly.status, partly.payment.event], ['pending', 'payment.received']);
    assert.equal(partly.payment.status_reason, '10,000.00 of 12,500.50 paid');
    assert.equal(partly.payment.bill.outstanding, '2,500.50');
    assert.equal(partly.payment.timestamp, unpaid.payment.timestamp, 'its status is the same');
    assert.ok(partly.payment.updated_at > unpaid.payment.updated_at);
    assert.equal(partly.payment.payments[0].received_at, partly.payment.updated_at);

    const second = { channel: 'airtel-money', receipt: 'AM1', msisdn: '255784555666', fullName: null };
    await payBill(test.database, paymentOf(number, 3_000, second));
    const completed = await lookup(id);
    assert.equal(completed.status, 'completed');
    assert.deepEqual([completed.payment.fee, completed.payment.settled], ['195.00', '12,805.00']);
    assert.deepEqual(completed.payment.channel, { name: 'AIRTEL-MONEY', reference: 'AM1' });
    assert.deepEqual(pick(completed.payment.payments, 'amount'), [
      { value: '10,000.00', fee: '150.00', settled: '9,850.00' },
      { value: '3,000.00', fee: '45.00', settled: '2,955.00' },
    ]);
    assert.deepEqual((await item(id)).amount, { value: '12,500.50', fee: '195.00', settled: '12,805.00' });
  });

  it('is found by the number of whoever paid any part of it, once', async () => {
    const [first, last] = ['255754111222', '255684333444'];
    const { id, number } = await bill({ payment_mode: 'flexible' });
    await payBill(test.database, paymentOf(number, 100, { receipt: `P1-${id}`, msisdn: first }));
    await payBill(test.database, paymentOf(number, 100, { receipt: `P2-${id}`, msisdn: first }));
    const second = { channel: 'airtel-money', receipt: `P3-${id}`, msisdn: last };
    await payBill(test.database, paymentOf(number, 100, second));
    const reference = `&reference=P2-${id}`;
    for (const [filters, found] of [
      [`phone_number=${first}`, [id]],
      [`phone_number=${last}`, [id]],
      [`phone_number=${first}${reference}`, [id]],
      [`phone_number=${last}${reference}`, [id]],
      [`phone_number=255754111223${reference}`, []],
      [`phone_number=${first}&status=completed`, []],
    ] as const) {
      const listed = await api.call('GET', `transactions?${filters}`);
      assert.deepEqual(idsIn(listed), found, filters);
      assert.equal(listed.body.pagination.total_items, found.length);
    }
    const stranger = await startTestApi({ database: test.database });
    const theirs = await stranger.call('GET', `transactions?phone_number=${first}`);
    assert.deepEqual(theirs.body.data, []);
    await stranger.stop();
  });

  it('is one item of the list, found by its payment number, its control number and a receipt', async () => {
    const { id, number } = await bill({ payment_mode: 'flexible' });
    await payBill(test.database, paymentOf(number, 100, { receipt: `R1-${id}` }));
    await payBill(test.database, paymentOf(number, 100, { receipt: `R2-${id}` }));
    for (const reference of [`INV-${made}`, number, `R2-${id}`]) {
      const listed = await api.call('GET', `transactions?type=bill&reference=${reference}`);
      assert.deepEqual(idsIn(listed), [id], reference);
      assert.equal(listed.body.data[0].reference, `INV-${made}`);
    }
  });

  it('is listed under the channel it shows: its own until somebody pays, then the network', async () => {
    const found = async (channel: string, type: string) =>
      idsIn(await api.call('GET', `transactions?channel=${channel}&type=${type}`));
    const [waiting, paid] = [await bill(), await bill({ payment_mode: 'flexible' })];
    const scanned = await qr();
    await payBill(test.database, paymentOf(paid.number, 100, { receipt: `R-${paid.id}` }));
    assert.equal((await item(waiting.id)).channel.name, 'BILLPAY');
    const unpaid = await found('BILLPAY', 'bill');
    assert.deepEqual([unpaid.includes(waiting.id), unpaid.includes(paid.id)], [true, false]);
    assert.ok((await found('m-pesa', 'bill')).includes(paid.id));
    assert.ok((await found('DYNAMIC-QR', 'payment')).includes(scanned.id));
  });

  it('is cancelled while nobody pays, and again with the same answer', async () => {
    for (const { id } of [await bill(), await qr()]) {
      const cancelled = await cancel(id);
      assert.equal(cancelled.status, 200, cancelled.text);
      assert.equal(cancelled.body.status, 'cancelled');
      assert.deepEqual(cancelled.body, await lookup(id));
      assert.equal((await cancel(id)).text, cancelled.text);
      assert.equal('fee' in (await item(id)).amount, false);
    }
    assert.equal(asked.length, 2);
  });

  it('is not cancelled while a customer is paying, and the answer says so', async () => {
    for (const [{ id, number }, amount, what] of [
      [await bill(), 12_500.5, 'bill'],
      [await qr(), 15_000, 'QR code'],
    ] as const) {
      await validateBillPayment(test.database, paymentOf(number, amount));
      const refused = await cancel(id);
      assertRefused(refused, 409, 'not_cancellable');
      assert.ok(refused.body.message.startsWith(`A customer is paying this ${what} right now. `));
      const seconds = secondsTold(refused);
      assert.ok(seconds > 60 && seconds < 92, refused.text);
      assert.equal((await lookup(id)).status, 'pending');
    }
  });

  const secondsTold = ({ body }: { body: { message: string } }) => {
    const told = /If the payment has not come by (\S+), it can be cancelled$/.exec(body.message)?.[1];
    return (Date.parse(told ?? '') - Date.now()) / 1_000;
  };

  it('is not cancelled while a prompt of its page is open, and the answer says until when', async () => {
    const { id } = await bill({ amount: 12_500 });
    const merchant = { accountId: api.accountId, apiKeyId: api.keyId };
    await accept(test.database, submissionFor(merchant, { ...pushRequest(12_500), pays: id }));
    const first = secondsTold(await cancel(id));
    assert.ok(first >= 300, `${first}`);
    await test.sql`UPDATE bills SET claimed_by = NULL, claimed_until = NULL WHERE transaction_id = ${id}`;
    const later = secondsTold(await cancel(id));
    assert.ok(later >= 300, `a prompt that reserves nothing: ${later}`);
  });

  it('is not cancelled once it is paid in part, and the flow is not even asked', async () => {
    const { id, number } = await bill({ payment_mode: 'flexible' });
    await payBill(test.database, paymentOf(number, 10_000));
    const refused = await cancel(id);
    assertRefused(refused, 409, 'not_cancellable');
    assert.equal(
      refused.body.message,
      'The bill is paid in part (10,000.00 of 12,500.50) and can no longer be cancelled',
    );
    assert.deepEqual(asked, []);
  });
});
