import assert from 'node:assert/strict';
import type { Json } from '../support/gateway.ts';
import { newKey } from '../support/gateway.ts';
import { customer, receivedEvents, sharedGateway } from '../support/shared-gateway.ts';
import { until } from '../support/wait.ts';

type Gateway = Awaited<ReturnType<typeof sharedGateway>>;

describe('standing numbers, as a merchant and its customers see them', () => {
  let gateway: Gateway;
  before(async function () {
    this.timeout(120_000);
    gateway = await sharedGateway();
  });

  const post = async (where: string, body: object = {}): Promise<Json> => {
    const { status, json, text } = await gateway.request('POST', `payments/numbers${where}`, { body });
    assert.equal(status, 200, text);
    return json;
  };
  const pay = (number: string, amount: number, network: string, more: object = {}) =>
    customer(gateway, 'pay-bill', {
      control_number: number,
      amount,
      phone_number: '0754123456',
      network,
      ...more,
    });
  const paymentsOf = async (reference: string): Promise<Json[]> =>
    (await gateway.request('GET', `transactions?reference=${reference}`)).json.data;

  it('a number is paid over every network, each payment told once, and refunded', async () => {
    const { number } = await post('', {
      customer_reference: newKey(),
      minimum: 500,
      metadata: { class: '2 B' },
    });
    const networks = ['m-pesa', 'airtel-money', 'tigo-pesa', 'halopesa', 't-pesa', 'azampesa'];
    for (const [i, network] of networks.entries()) {
      const paid = await pay(number.reference, 1_000 + i, network);
      assert.equal(paid.accepted, true, `${network}: ${paid.message}`);
      assert.equal((await pay(number.reference, 499, network)).accepted, false, network);
    }
    const payments = await paymentsOf(number.reference);
    assert.deepEqual(
      payments
        .map(({ status, transaction_mode, amount }) => [status, transaction_mode, amount.value])
        .reverse(),
      networks.map((_, i) => ['completed', 'number', `1,00${i}.00`]),
    );
    for (const { transaction_id: id } of payments) {
      const [event, ...more] = await until(async () => {
        const received = await receivedEvents(gateway, id);
        return received.length > 0 ? received : null;
      }, `the callback about ${id}`);
      assert.deepEqual(more, []);
      assert.equal(event.service_signature_verified, true);
      const body = JSON.parse(event.body);
      assert.deepEqual([body.event, body.sequence, body.metadata], ['payment.received', 1, { class: '2 B' }]);
      assert.equal(body.number.reference, number.reference);
    }
    const refund = await gateway.request('POST', `payments/${payments[0].transaction_id}/refunds`, {
      key: newKey(),
      body: {},
    });
    assert.equal(refund.status, 200, refund.text);
    assert.equal((await gateway.outcome('payouts', refund.json.transaction_id)).status, 'paid');
    assert.equal((await paymentsOf(number.reference))[0].refunded, '1,005.00');
  }).timeout(90_000);

  it('a number is paid by its code, as often as it is scanned; one of a fixed amount asks for none', async () => {
    const scan = (payload: string, more: object = {}) =>
      customer(gateway, 'scan-qr', { payload, phone_number: '0754123456', ...more });
    const { number, qr } = await post('', { customer_reference: newKey() });
    for (const amount of [1_500, 2_500])
      assert.equal((await scan(qr.payload, { amount: `${amount}` })).accepted, true);
    const fixed = await post('', { customer_reference: newKey(), minimum: 3_000, maximum: 3_000 });
    for (const _ of [1, 2]) assert.equal((await scan(fixed.qr.payload)).accepted, true);
    const values = async (reference: string) =>
      (await paymentsOf(reference)).map(({ status, amount }) => [status, amount.value]);
    assert.deepEqual(await values(number.reference), [
      ['completed', '2,500.00'],
      ['completed', '1,500.00'],
    ]);
    assert.deepEqual(await values(fixed.number.reference), [
      ['completed', '3,000.00'],
      ['completed', '3,000.00'],
    ]);
  }).timeout(60_000);
});
