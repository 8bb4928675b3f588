import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { controlNumberOf } from '../support/bill-customer.ts';
import { type Json, newKey } from '../support/gateway.ts';
import { customer, movementsOf, receivedEvents, sharedGateway } from '../support/shared-gateway.ts';
import { until } from '../support/wait.ts';
import { askOnPage, readPage } from './payer.ts';

describe('bills, codes, numbers and pages, as a merchant and its customers see them', function () {
  this.timeout(120_000);
  let gateway: Awaited<ReturnType<typeof sharedGateway>>;
  before(async () => {
    gateway = await sharedGateway();
  });

  const post = async (where: string, body: object): Promise<Json> => {
    const { status, json, text } = await gateway.request('POST', where, { key: newKey(), body });
    assert.equal(status, 200, text);
    return json;
  };
  const makeBill = (more: object = {}) =>
    post('payments/billpay', {
      amount: 25_000,
      payment_number: `INV-${newKey()}`,
      description: 'School fees',
      ...more,
    });
  const pay = (number: string, amount: number, more: object = {}) =>
    customer(gateway, 'pay-bill', { control_number: number, amount, phone_number: '0754123456', ...more });
  const lookup = async (id: string) => (await gateway.request('GET', `payments/${id}`)).json;
  const events = (id: string, count = 1): Promise<Json[]> =>
    until(async () => {
      const received = await receivedEvents(gateway, id);
      return received.length >= count ? received : null;
    }, `${count} callbacks about ${id}`);

  it('a flexible bill is paid in two parts from two networks, with two callbacks, in order and signed', async () => {
    const { transaction_id: id, bill } = await makeBill({ amount: 12_500.5, payment_mode: 'flexible' });
    const first = await pay(bill.reference, 10_000);
    assert.deepEqual([first.accepted, typeof first.receipt], [true, 'string'], first.message);
    const partly = await lookup(id);
    assert.deepEqual(
      [partly.status, partly.payment.event, partly.payment.bill.outstanding, partly.payment.status_reason],
      ['pending', 'payment.received', '2,500.50', '10,000.00 of 12,500.50 paid'],
    );
    const second = await pay(bill.reference, 3_000, { phone_number: '0655123456' });
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
    const late = await pay(bill.reference, 100);
    assert.equal(late.accepted, false);
    assert.equal((await movementsOf(gateway, late.receipt)).length, 0, 'the network gave it back');
  });

  it('a QR code is scanned and paid once, and told as a QR payment', async () => {
    const order = { amount: 15_000, currency: 'TZS', description: 'Order INV1001' };
    const { transaction_id: id, qr } = await post('payments/qr', order);
    const scan = () => customer(gateway, 'scan-qr', { payload: qr.payload, phone_number: '0784555666' });
    const paid = await scan();
    assert.equal(paid.accepted, true, paid.message);
    assert.equal((await scan()).accepted, false);
    const { status, payment } = await lookup(id);
    assert.deepEqual(
      [status, payment.transaction_mode, payment.channel.name, payment.fee],
      ['completed', 'qr', 'AIRTEL-MONEY', '150.00'],
    );
    const [event] = await events(id);
    assert.equal(JSON.parse(event?.body).channel.reference, paid.receipt);
    assert.ok(qr.payload.includes(await controlNumberOf(gateway.database, id)));
  });

  it('a number is paid over every network and by its code, each payment told once, and refunded', async () => {
    const made = { customer_reference: newKey(), minimum: 500, metadata: { class: '2 B' } };
    const { number, qr } = await post('payments/numbers', made);
    const networks = ['m-pesa', 'airtel-money', 'tigo-pesa', 'halopesa', 't-pesa', 'azampesa'];
    for (const [i, network] of networks.entries()) {
      const paid = await pay(number.reference, 1_000 + i, { network });
      assert.equal(paid.accepted, true, `${network}: ${paid.message}`);
      assert.equal((await pay(number.reference, 499, { network })).accepted, false, network);
    }
    const scanned = { payload: qr.payload, phone_number: '0754123456', amount: '1006' };
    assert.equal((await customer(gateway, 'scan-qr', scanned)).accepted, true);
    const payments = async (): Promise<Json[]> =>
      (await gateway.request('GET', `transactions?reference=${number.reference}`)).json.data;
    const all = await payments();
    assert.deepEqual(
      all.map(({ status, transaction_mode, amount }) => [status, transaction_mode, amount.value]).reverse(),
      [0, 1, 2, 3, 4, 5, 6].map((i) => ['completed', 'number', `1,00${i}.00`]),
    );
    for (const { transaction_id: id } of all) {
      const [event, ...more] = await events(id);
      assert.deepEqual([more, event.service_signature_verified], [[], true]);
      const body = JSON.parse(event.body);
      assert.deepEqual([body.event, body.sequence, body.metadata], ['payment.received', 1, made.metadata]);
      assert.equal(body.number.reference, number.reference);
    }
    const refund = await post(`payments/${all[0]?.transaction_id}/refunds`, {});
    assert.equal((await gateway.outcome('payouts', refund.transaction_id)).status, 'paid');
    assert.equal((await payments())[0].refunded, '1,006.00');
  });

  it('a bill is paid from its page: the merchant is told of the bill, and of nothing else', async () => {
    const { transaction_id: id, pay_url: payUrl } = await makeBill();
    assert.equal((await lookup(id)).payment.pay_url, payUrl);
    // The number of a phone that confirms, and no other test's.
    const phone = `0754${String(Math.floor(Math.random() * 1_000)).padStart(3, '0')}001`;
    const { outcome } = await readPage(await askOnPage(payUrl, { once: newKey(), phone }));
    assert.equal(outcome, 'paid');
    assert.equal((await gateway.outcome('payments', id)).status, 'completed');
    const [event, ...more] = await events(id);
    assert.deepEqual([JSON.parse(event.body).event, more], ['payment.received', []]);
    const { json } = await gateway.request('GET', 'transactions?type=payment&per_page=100');
    const push = json.data.find((one: { pays?: string }) => one.pays === id);
    assert.deepEqual([push.status, push.amount], ['completed', { value: '25,000.00', settled: '0.00' }]);
    assert.deepEqual(await receivedEvents(gateway, push.transaction_id), []);
  });
});
