import assert from 'node:assert/strict';
import { newKey } from '../support/gateway.ts';
import { customer, receivedEvents, sharedGateway } from '../support/shared-gateway.ts';
import { until } from '../support/wait.ts';

type Gateway = Awaited<ReturnType<typeof sharedGateway>>;

describe('the page to pay on, as a payer and the merchant see it', () => {
  let gateway: Gateway;
  before(async function () {
    this.timeout(120_000);
    gateway = await sharedGateway();
  });

  /** The number of a phone that confirms, and no other test's. */
  const newPhone = () => `0754${String(Math.floor(Math.random() * 1_000)).padStart(3, '0')}001`;
  async function ask(payUrl: string, fields: Record<string, string> = {}): Promise<string> {
    const body = new URLSearchParams({ once: newKey(), phone: newPhone(), ...fields });
    const answer = await fetch(payUrl, { method: 'POST', body, redirect: 'manual' });
    assert.equal(answer.status, 303, await answer.text());
    return new URL(answer.headers.get('location') ?? '', payUrl).href;
  }
  const see = (url: string, words: RegExp) =>
    until(
      async () => {
        const text = await (await fetch(url)).text();
        return words.test(text) ? text : null;
      },
      { deadlineMs: 40_000, what: `${words} on the page` },
    );
  const eventsOf = (id: string) =>
    until(
      async () => {
        const received = await receivedEvents(gateway, id);
        return received.length > 0 ? received : null;
      },
      { deadlineMs: 30_000, what: `the callback about ${id}` },
    );

  it('a bill is paid from its page: the merchant is told of the bill, and of nothing else', async () => {
    const made = await gateway.request('POST', 'payments/billpay', {
      body: {
        amount: 25_000,
        payment_number: newKey(),
        description: 'Ada ya shule',
        metadata: { class: '2 B' },
      },
    });
    assert.equal(made.status, 200, made.text);
    const { transaction_id: id, pay_url: payUrl } = made.json;
    const look = await gateway.request('GET', `payments/${id}`);
    assert.equal(look.json.payment.pay_url, payUrl);
    const prompt = await ask(payUrl);
    await see(prompt, /Imelipwa: 25,000 TZS/);
    assert.equal((await gateway.outcome('payments', id)).status, 'completed');
    const [event, ...more] = await eventsOf(id);
    assert.deepEqual([JSON.parse(event.body).event, more], ['payment.received', []]);
    const { json } = await gateway.request('GET', 'transactions?type=payment&per_page=100');
    const push = json.data.find((one: { pays?: string }) => one.pays === id);
    assert.deepEqual([push.status, push.amount], ['completed', { value: '25,000.00', settled: '0.00' }]);
    assert.deepEqual(await receivedEvents(gateway, push.transaction_id), []);
    const refund = await gateway.request('POST', `payments/${push.transaction_id}/refunds`, {
      key: newKey(),
      body: {},
    });
    assert.equal(refund.json.code, 'not_refundable', refund.text);
  }).timeout(120_000);

  it('a number is paid from its page and by its control number, each once', async () => {
    const made = await gateway.request('POST', 'payments/numbers', {
      body: { customer_reference: newKey() },
    });
    const { number } = made.json;
    await see(await ask(number.pay_url, { amount: '3000' }), /Imelipwa: 3,000 TZS/);
    const paid = await customer(gateway, 'pay-bill', {
      control_number: number.reference,
      amount: 4_000,
      phone_number: '0754123456',
      network: 'm-pesa',
    });
    assert.equal(paid.accepted, true, paid.message);
    const { json } = await gateway.request('GET', `transactions?reference=${number.reference}`);
    const amounts = json.data.map(({ amount }: { amount: { value: string } }) => amount.value);
    assert.deepEqual(amounts.sort(), ['3,000.00', '4,000.00']);
    for (const { transaction_id: id } of json.data) assert.equal((await eventsOf(id)).length, 1);
  }).timeout(120_000);
});
