import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { controlNumberOf } from '../support/bill-customer.ts';
import type { Json } from '../support/gateway.ts';
import { newKey } from '../support/gateway.ts';
import { customer, movementsOf, receivedEvents, sharedGateway } from '../support/shared-gateway.ts';
import { until } from '../support/wait.ts';

type Gateway = Awaited<ReturnType<typeof sharedGateway>>;

describe('bills and QR codes, as a merchant and its customers see them', () => {
  let gateway: Gateway;
  before(async function () {
    this.timeout(120_000);
    gateway = await sharedGateway();
  });

  const bill = async (more: object = {}): Promise<{ id: string; number: string }> => {
    const body = { amount: 25_000, payment_number: `INV-${newKey()}`, description: 'School fees', ...more };
    const { status, json, text } = await gateway.request('POST', 'payments/billpay', { body });
    assert.equal(status, 200, text);
    return { id: json.transaction_id, number: json.bill.reference };
  };
  const pay = (number: string, amount: number, more: object = {}) =>
    customer(gateway, 'pay-bill', {
      control_number: number,
      amount,
      phone_number: '0754123456',
      ...more,
    });
  const lookup = async (id: string) => (await gateway.request('GET', `payments/${id}`)).json;
  const events = (id: string, count: number): Promise<Json[]> =>
    until(async () => {
      const received = await receivedEvents(gateway, id);
      return received.length >= count ? received : null;
    }, `${count} callbacks about ${id}`);

  it('a flexible bill is paid in two parts from two networks, with two callbacks, in order and signed', async () => {
    const { id, number } = await bill({ amount: 12_500.5, payment_mode: 'flexible' });
    const first = await pay(number, 10_000);
    assert.deepEqual([first.accepted, typeof first.receipt], [true, 'string'], first.message);
    const partly = await lookup(id);
    assert.deepEqual(
      [partly.status, partly.payment.event, partly.payment.bill.outstanding, partly.payment.status_reason],
      ['pending', 'payment.received', '2,500.50', '10,000.00 of 12,500.50 paid'],
    );
    const second = await pay(number, 3_000, { phone_number: '0655123456' });
    assert.equal(second.accepted, true, second.message);
    const paid = await lookup(id);
    assert.deepEqual(
      [paid.status, paid.payment.fee, paid.payment.settled, paid.payment.channel.name],
      ['completed', '195.00', '12,805.00', 'TIGO-PESA'],
    );
    assert.deepEqual(
      paid.payment.payments.map((one: Json) => one.channel.reference),
      [first.receipt, second.receipt],
    );

    const received = await events(id, 2);
    const bodies = received.map((event) => JSON.parse(event.body));
    assert.deepEqual(
      bodies.map((body) => [body.sequence, body.event, body.amount.value, body.bill.paid]),
      [
        [1, 'payment.received', '10,000.00', '10,000.00'],
        [2, 'payment.received', '3,000.00', '13,000.00'],
      ],
    );
    for (const { headers, body } of received) {
      const expected = createHmac('sha256', gateway.local.passphrase).update(body).digest('hex');
      assert.equal(headers['service-signature'], expected);
    }
    for (const receipt of [first.receipt, second.receipt])
      assert.equal((await movementsOf(gateway, receipt)).length, 1, 'the network keeps the money');
    const late = await pay(number, 100);
    assert.equal(late.accepted, false);
    assert.equal((await movementsOf(gateway, late.receipt)).length, 0, 'the network gave it back');
  }).timeout(40_000);

  it('a QR code is scanned and paid once, and told as a QR payment', async () => {
    const body = { amount: 15_000, currency: 'TZS', description: 'Order INV1001' };
    const { json } = await gateway.request('POST', 'payments/qr', { key: newKey(), body });
    const id = json.transaction_id;
    const scan = () => customer(gateway, 'scan-qr', { payload: json.qr.payload, phone_number: '0784555666' });
    const paid = await scan();
    assert.equal(paid.accepted, true, paid.message);
    assert.equal((await scan()).accepted, false);
    const { status, payment } = await lookup(id);
    assert.deepEqual(
      [status, payment.transaction_mode, payment.channel.name, payment.fee],
      ['completed', 'qr', 'AIRTEL-MONEY', '150.00'],
    );
    const [event] = await events(id, 1);
    assert.equal(JSON.parse(event?.body).channel.reference, paid.receipt);
    assert.ok(json.qr.payload.includes(await controlNumberOf(gateway.database, id)));
  }).timeout(40_000);
});
