import assert from 'node:assert/strict';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { type ForgetfulProxy, startForgetfulProxy } from '../support/forgetful-proxy.ts';
import { type Json, newKey } from '../support/gateway.ts';
import { type Parts, startParts } from '../support/parts.ts';
import { customer } from '../support/shared-gateway.ts';
import { until } from '../support/wait.ts';

describe('bills while something is lost, down or killed', () => {
  let proxy: ForgetfulProxy;
  let parts: Parts;

  before(async function () {
    this.timeout(120_000);
    proxy = await startForgetfulProxy();
    parts = await startParts({ SIMULATOR_GATEWAY_URL: proxy.url });
    proxy.target = parts.local.api_url;
    await parts.startWorker();
  });
  after(async function () {
    this.timeout(30_000);
    await parts?.stop();
    await proxy?.close();
  });

  const bill = async (): Promise<{ id: string; number: string }> => {
    const body = { amount: 25_000, payment_number: newKey(), description: 'School fees' };
    const { status, json, text } = await parts.request('POST', 'payments/billpay', { body });
    assert.equal(status, 200, text);
    return { id: json.transaction_id, number: json.bill.reference };
  };
  const pay = (number: string, network: string) =>
    customer(parts, 'pay-bill', {
      control_number: number,
      amount: 25_000,
      phone_number: '0754123456',
      network,
    });
  const told = (id: string): Promise<Json[]> =>
    until(
      async () => {
        const { events } = await parts.simulator(`receiver/events?transaction_id=${id}`);
        return events.length > 0 ? events : null;
      },
      { deadlineMs: 60_000, what: 'the callback', everyMs: 100 },
    );
  const postedFor = async (id: string) => {
    const { rows } = await parts.database.query(
      `SELECT (SELECT status FROM transactions WHERE id = $1) AS status,
         (SELECT count(*)::int FROM transfers WHERE transaction_id = $1) AS transfers,
         (SELECT count(*)::int FROM callback_events WHERE transaction_id = $1) AS events`,
      [id],
    );
    return rows[0];
  };
  const once = { status: 'completed', transfers: 1, events: 1 };

  for (const [network, path] of [
    ['tigo-pesa', '/notification'],
    ['m-pesa', '/payments'],
  ] as const) {
    it(`a notification of ${network} whose answers are lost five times is acknowledged, posted once and told once`, async () => {
      const { id, number } = await bill();
      const before = proxy.count(path);
      proxy.lose(path, 5);
      await pay(number, network);
      await until(() => proxy.count(path) - before >= 6, {
        deadlineMs: 90_000,
        what: 'the network notifies until it reads an answer',
        everyMs: 100,
      });
      const [event] = await told(id);
      assert.deepEqual(await postedFor(id), once);
      const { receipt } = { receipt: JSON.parse(event?.body).channel.reference };
      const { movements } = await parts.simulator(`truth?reference=${receipt}`);
      assert.equal(movements.length, 1);
    }).timeout(120_000);
  }

  it('a customer pays while Temporal is down: accepted and posted; the callback follows when it is back', async () => {
    const { id, number } = await bill();
    await parts.temporal.kill();
    const paid = await pay(number, 'airtel-money');
    assert.equal(paid.accepted, true, paid.message);
    assert.deepEqual(await postedFor(id), once);
    assert.equal((await parts.request('GET', `payments/${id}`)).json.status, 'completed');
    await parts.temporal.startAgain();
    assert.equal((await told(id)).length, 1);
  }).timeout(120_000);

  it('leaves a ledger that adds up', async () => {
    assert.deepEqual(await checkInvariants(parts.database), []);
  });
});
