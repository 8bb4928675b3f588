import assert from 'node:assert/strict';
import { newKey } from '../support/gateway.ts';
import { assertShape, receiptUrl, type Shape, sentence, timestamp, uuid } from '../support/shape.ts';
import { openAccount } from '../support/shared-gateway.ts';
import {
  assertAnswer,
  billedEvent,
  lookupShape,
  nobody,
  openShop,
  paymentShape,
  type Shop,
  textOrNull,
} from './shop.ts';

const controlNumber = /^77\d{10}$/;
const payUrl = /^http:\/\/127\.0\.0\.1:\d+\/pay\/[\w-]{22}$/;

/** Bills as a merchant and its customers meet them: every answer and callback, field by field. */
describe('answers about bills', function () {
  this.timeout(90_000);
  let shop: Shop;
  let made = 0;

  before(async () => {
    shop = await openShop();
    await shop.listen();
  });

  function billBody(changes: Record<string, unknown> = {}) {
    made += 1;
    return { amount: 25000, payment_number: `INV-${made}`, description: 'School fees', ...changes };
  }
  async function bill(changes: Record<string, unknown> = {}): Promise<{ id: string; number: string }> {
    const { status, text, json } = await shop.send('POST', 'payments/billpay', billBody(changes));
    assert.equal(status, 200, text);
    return { id: json.transaction_id, number: json.bill.reference };
  }
  const billShape = (changes: Record<string, Shape>): Record<string, Shape> => ({
    amount: '25,000.00',
    reference: controlNumber,
    mode: 'exact',
    payment_number: `INV-${made}`,
    paid: '0.00',
    outstanding: '25,000.00',
    ...changes,
  });
  const billLookup = (status: string, more: Record<string, Shape>) =>
    lookupShape(status, {
      payment: paymentShape({
        transaction_mode: 'billpay',
        channel: { name: 'BILLPAY', reference: null },
        customer: nobody,
        metadata: {},
        description: 'School fees',
        amount: { value: '25,000.00' },
        expires_at: timestamp,
        pay_url: payUrl,
        payments: [],
        ...more,
      }),
    });
  it('a bill, made and waiting', async () => {
    const metadata = { order_id: 'INV-2001', customer_note: 'School fees, term 1' };
    const body = billBody({ payment_mode: 'exact', metadata });
    const created = await shop.send('POST', 'payments/billpay', body);
    assertAnswer(created, {
      success: true,
      message: sentence,
      transaction_id: uuid,
      bill: { amount: '25,000.00', reference: controlNumber, mode: 'exact' },
      pay_url: payUrl,
      metadata,
      expires_at: timestamp,
    });
    const again = await shop.send('POST', 'payments/billpay', body);
    assert.equal(again.text, created.text);
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    const { transaction_id, bill: own } = created.json;
    assertAnswer(
      await shop.get(`payments/${transaction_id}`),
      billLookup('pending', {
        metadata,
        event: 'payment.pending',
        status_reason: `Waiting for the customer to pay control number ${own.reference}`,
        bill: billShape({ reference: own.reference }),
      }),
    );
  });

  it('a flexible bill, paid in two parts from two networks, with a callback for each', async () => {
    const { id, number } = await bill({ amount: 12500.5, payment_mode: 'flexible' });
    const amount = { value: '12,500.50' };
    const common = { amount: '12,500.50', reference: number, mode: 'flexible' };
    const first = await shop.customer('pay-bill', {
      control_number: number,
      amount: 10000,
      phone_number: '0754123456',
    });
    assert.equal(first.accepted, true, JSON.stringify(first));
    const firstShape = {
      amount: { value: '10,000.00', fee: '150.00', settled: '9,850.00' },
      channel: { name: 'M-PESA', reference: first.receipt },
      customer: { full_name: textOrNull, phone_number: '0754123456' },
    };
    assertAnswer(
      await shop.get(`payments/${id}`),
      billLookup('pending', {
        amount,
        channel: firstShape.channel,
        customer: firstShape.customer,
        event: 'payment.received',
        status_reason: '10,000.00 of 12,500.50 paid',
        bill: billShape({ ...common, paid: '10,000.00', outstanding: '2,500.50' }),
        payments: [{ ...firstShape, received_at: timestamp, receipt_url: receiptUrl }],
      }),
    );
    const last = await shop.customer('pay-bill', {
      control_number: number,
      amount: 3000,
      phone_number: '0784555666',
    });
    assert.equal(last.accepted, true, JSON.stringify(last));
    const lastShape = {
      amount: { value: '3,000.00', fee: '45.00', settled: '2,955.00' },
      channel: { name: 'AIRTEL-MONEY', reference: last.receipt },
      customer: { full_name: textOrNull, phone_number: '0784555666' },
    };
    const complete = billShape({ ...common, paid: '13,000.00', outstanding: '0.00' });
    const { receipt_url: _, ...ofParts } = billLookup('completed', {
      amount,
      channel: lastShape.channel,
      customer: lastShape.customer,
      event: 'payment.received',
      fee: '195.00',
      settled: '12,805.00',
      bill: complete,
      payments: [
        { ...firstShape, received_at: timestamp, receipt_url: receiptUrl },
        { ...lastShape, received_at: timestamp, receipt_url: receiptUrl },
      ],
    });
    // Each of its two parts has a receipt, and the bill has none.
    assertAnswer(await shop.get(`payments/${id}`), ofParts);
    const item = await shop.get(`transactions?reference=${number}`);
    assertShape(item.json.data, [
      {
        transaction_id: id,
        type: 'bill',
        transaction_mode: 'billpay',
        transaction_currency: 'TZS',
        status: 'completed',
        event: 'payment.received',
        channel: lastShape.channel,
        amount: { ...amount, fee: '195.00', settled: '12,805.00' },
        customer: lastShape.customer,
        reference: `INV-${made}`,
        bill: complete,
        metadata: {},
        created_at: timestamp,
        updated_at: timestamp,
      },
    ]);
    const partly = billShape({ ...common, paid: '10,000.00', outstanding: '2,500.50' });
    assertShape(await shop.events(id, 2), [
      billedEvent({ ...firstShape, bill: partly, receipt_url: receiptUrl }),
      billedEvent({ ...lastShape, sequence: 2, bill: complete, receipt_url: receiptUrl }),
    ]);
  });

  it('a bill that expires, which nobody can pay afterwards', async () => {
    const { id, number } = await bill({ expires_at: new Date(Date.now() + 5_000).toISOString() });
    const failure = { failure_reason: 'Not paid before it expired', failure_code: 'expired' };
    assertAnswer(
      await shop.final(`payments/${id}`),
      billLookup('failed', { event: 'payment.failed', ...failure, bill: billShape({}) }),
    );
    const late = { control_number: number, amount: 25000, phone_number: '0754123456' };
    assert.equal((await shop.customer('pay-bill', late)).accepted, false);
    assertShape(await shop.events(id, 1), [
      billedEvent({
        event: 'payment.failed',
        channel: { name: 'BILLPAY', reference: null },
        amount: { value: '25,000.00' },
        customer: nobody,
        ...failure,
        bill: billShape({}),
      }),
    ]);
  });

  it('a bill that is cancelled, and one that cannot be because it is paid in part', async () => {
    const { id, number } = await bill();
    const cancelled = billLookup('cancelled', {
      event: 'payment.failed',
      status_reason: "Cancelled at the merchant's request",
      bill: billShape({}),
    });
    assertAnswer(await shop.send('POST', `payments/${id}/cancel`), cancelled);
    assertAnswer(await shop.send('POST', `payments/${id}/cancel`), cancelled);
    const late = { control_number: number, amount: 25000, phone_number: '0754123456' };
    assert.equal((await shop.customer('pay-bill', late)).accepted, false);
    const [told] = await shop.events(id, 1);
    assert.deepEqual([told.event, told.failure_code], ['payment.failed', 'cancelled']);

    const partly = await bill({ payment_mode: 'flexible' });
    await shop.customer('pay-bill', { ...late, control_number: partly.number, amount: 1 });
    const refused = await shop.send('POST', `payments/${partly.id}/cancel`);
    assert.deepEqual([refused.status, refused.json.code], [409, 'not_cancellable']);
    assert.match(refused.json.message, /paid in part \(1\.00 of 25,000\.00\)/);
  });

  it('one bill of 20 requests at once, and a key that means one bill only', async () => {
    const body = billBody();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => shop.send('POST', 'payments/billpay', body)),
    );
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
    assert.equal(answers.filter(({ headers }) => !headers.has('idempotent-replayed')).length, 1);
    const taken = await shop.send('POST', 'payments/billpay', { ...body, amount: 1 });
    assert.deepEqual([taken.status, taken.json.code], [409, 'payment_number_taken']);

    // Two bills race for one key: whichever is first has it, and the other's number stays free.
    const two = [billBody(), billBody()];
    const key = newKey();
    const raced = await Promise.all(two.map((wanted) => shop.post('payments/billpay', wanted, key)));
    assert.deepEqual(raced.map(({ status }) => status).sort(), [200, 422]);
    const loser = two[raced.findIndex(({ status }) => status === 422)];
    assert.equal(raced.find(({ status }) => status === 422)?.json.code, 'idempotency_key_reused');
    assert.equal((await shop.send('POST', 'payments/billpay', loser)).status, 200);
  });

  it('the same payment number in two accounts', async () => {
    const body = billBody();
    const { apiKey } = await openAccount(shop.gateway);
    const [own, other] = await Promise.all(
      [shop.apiKey, apiKey].map((key) =>
        shop.gateway.request('POST', 'payments/billpay', { apiKey: key, body }),
      ),
    );
    assert.deepEqual([own?.status, other?.status], [200, 200]);
    assert.notEqual(own?.json.bill.reference, other?.json.bill.reference);
    const foreign = await shop.get(`payments/${other?.json.transaction_id}`);
    assert.equal(foreign.status, 404);
  });
});
