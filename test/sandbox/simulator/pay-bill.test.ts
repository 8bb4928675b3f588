// tests: slow
import assert from 'node:assert/strict';
import type { Simulator } from '../../../sandbox/simulator/app.ts';
import { networks } from '../../../src/domain/network.ts';
import { freshKey } from '../../api/support/api.ts';
import { billTokenOf } from '../../api/support/bill-networks.ts';
import { makeBill, mistyped, statusOf } from '../../api/support/bills.ts';
import { useTestApi } from '../../api/support/use-api.ts';
import { useFolder } from '../../support/folder.ts';
import { sqlOf } from '../../support/queryable.ts';
import { openSimulator } from '../../support/simulator.ts';
import { until } from '../../support/wait.ts';
import { type Line, openLine } from './line.ts';

type Outcome = { status: number; accepted: boolean; message: string; receipt: string };

const tokens = Object.fromEntries(networks.map(({ id }) => [id, billTokenOf(id)]));
const PHONES: Record<string, string> = {
  'm-pesa': '0754123456',
  'airtel-money': '0784123456',
  'tigo-pesa': '0654123456',
  halopesa: '0624123456',
  't-pesa': '0734123456',
  azampesa: '0754123457',
};

describe('customers of the simulator', () => {
  const inFolder = useFolder();
  const { api, test } = useTestApi({ poolMax: 10 });
  let line: Line;
  let simulator: Simulator;
  before(async () => {
    line = await openLine(() => `http://127.0.0.1:${api.port}`);
  });
  beforeEach(async () => {
    line.mend();
    simulator = await start();
  });
  afterEach(() => simulator.close());
  after(async () => await line.close());

  async function start(payBillWaitMs = 10_000): Promise<Simulator> {
    const started = await openSimulator({
      bookFile: inFolder('book.jsonl'),
      gateway: { url: line.url, tokens, timeoutMs: 2_000 },
      payBillWaitMs,
    });
    return started;
  }
  async function customer(path: string, body: unknown): Promise<Outcome> {
    const answer = await fetch(`${simulator.url}/customer/${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
    });
    return { ...((await answer.json()) as Omit<Outcome, 'status'>), status: answer.status };
  }
  const payBill = (number: string, network: string, more: object = {}) =>
    customer('pay-bill', {
      control_number: number,
      amount: 25_000,
      phone_number: PHONES[network],
      network,
      ...more,
    });
  const kept = (number: string) => simulator.book.movements(number);
  const receiptsOf = async (id: string): Promise<string[]> => {
    const rows = await sqlOf(
      test.database,
    )`SELECT outcome FROM bill_receipts WHERE transaction_id = ${id} ORDER BY received_at`;
    return rows.map((row) => row.outcome);
  };

  for (const { id: network, bill } of networks)
    it(`pay over ${network} (${bill.protocol}), once per receipt`, async () => {
      const { id, number } = await makeBill(api);
      const paid = await payBill(number, network, { receipt: `R-${network}` });
      assert.deepEqual(paid, { status: 200, accepted: true, message: 'Accepted', receipt: `R-${network}` });
      assert.equal(await statusOf(api, id), 'completed');
      const again = await payBill(number, network, { receipt: `R-${network}` });
      assert.equal(again.accepted, true);
      assert.deepEqual(
        kept(number).map(({ at: _, ...movement }) => movement),
        [
          {
            reference: `R-${network}`,
            direction: 'in',
            network,
            party: `255${PHONES[network]?.slice(1)}`,
            amount: 25_000,
            receipt: `R-${network}`,
            control_number: number,
          },
        ],
      );
      assert.deepEqual(await receiptsOf(id), ['accepted']);
    });

  it('pay what a code says', async () => {
    const made = await api.call('POST', 'payments/qr', {
      body: { amount: 15_000, currency: 'TZS' },
      headers: freshKey(),
    });
    const { payload } = made.body.qr;
    const scan = (what: string) =>
      customer('scan-qr', { payload: what, phone_number: PHONES.halopesa, network: 'HALOPESA' });
    assert.equal((await scan(payload)).accepted, true);
    assert.equal(await statusOf(api, made.body.transaction_id), 'completed');
    const torn = await scan(payload.slice(0, -1));
    assert.deepEqual([torn.accepted, torn.receipt, torn.status], [false, null, 200]);
    assert.equal((await scan(payload)).accepted, false);
  });

  it('keep their money when anything is refused before it is taken', async () => {
    const { id, number } = await makeBill(api);
    for (const { id: network } of networks) {
      for (const wrong of ['779999999994', mistyped(number)]) {
        assert.equal((await payBill(wrong, network)).accepted, false);
        assert.deepEqual(kept(wrong), []);
      }
      assert.equal((await payBill(number, network, { amount: 25_001 })).accepted, false);
    }
    assert.deepEqual(kept(number), []);
    assert.equal(await statusOf(api, id), 'pending');
  });

  it('keep their money when the service does not answer before it is taken', async () => {
    const { number } = await makeBill(api);
    line.breakAt('validation', { times: 1, how: 'swallow' });
    const refused = await payBill(number, 'tigo-pesa');
    assert.equal(refused.accepted, false);
    assert.match(refused.message, /did not answer; nothing was taken/);
    line.breakAt('lookup', { times: 1, how: '503' });
    assert.equal((await payBill(number, 'tigo-pesa')).accepted, false);
    assert.deepEqual(kept(number), []);
  });

  for (const how of ['503', 'swallow', 'answer lost'] as const)
    it(`are not charged twice when the notification ends with: ${how}`, async () => {
      const { id, number } = await makeBill(api);
      line.breakAt('notification', { times: 2, how });
      assert.equal((await payBill(number, 'airtel-money')).accepted, true);
      assert.equal(line.seen('notification'), 3);
      assert.equal(kept(number).length, 1);
      assert.deepEqual(await receiptsOf(id), ['accepted']);
    });

  it('get it back when the notification is refused where the network returns money, and not elsewhere', async () => {
    const { id, number } = await makeBill(api);
    await test.database.query("UPDATE transactions SET status = 'cancelled' WHERE id = $1", [id]);
    const returned = await payBill(number, 'airtel-money', { step: 'notify', receipt: 'N-1' });
    assert.equal(returned.accepted, false);
    assert.match(returned.message, /given back/);
    assert.deepEqual(kept(number), []);
    const again = await payBill(number, 'airtel-money', { receipt: 'N-1' });
    assert.equal(again.accepted, false);
    const suspended = await payBill(number, 't-pesa', { step: 'notify' });
    assert.equal(suspended.accepted, true);
    assert.equal(kept(number).length, 1);
    assert.deepEqual(await receiptsOf(id), ['refused', 'suspended']);
  });

  it('wait after the validation when they are told to', async () => {
    const { id, number } = await makeBill(api);
    const waiting = await payBill(number, 'tigo-pesa', { step: 'validate', receipt: 'V-1' });
    assert.deepEqual([waiting.status, waiting.accepted], [202, false]);
    assert.deepEqual([kept(number).length, await statusOf(api, id)], [0, 'pending']);
    await simulator.close();
    simulator = await start();
    assert.equal((await customer('pay-bill/V-1/continue', {})).accepted, true);
    assert.equal((await customer('pay-bill/V-1/continue', {})).status, 404);
    assert.equal(kept(number).length, 1);
  });

  it('are told when there is no answer yet; the network goes on asking, also after a restart', async () => {
    const { id, number } = await makeBill(api);
    line.breakAt('notification', { times: Number.POSITIVE_INFINITY, how: '503' });
    await simulator.close();
    simulator = await start(300);
    const waiting = await payBill(number, 'airtel-money', { receipt: 'L-1' });
    assert.deepEqual([waiting.status, waiting.accepted, waiting.receipt], [202, false, 'L-1']);
    assert.match(waiting.message, /goes on asking/);
    assert.deepEqual(kept(number), []);
    const stateOf = async () => {
      const answer = await fetch(`${simulator.url}/customer/pay-bill/L-1`);
      return ((await answer.json()) as { payments: { state: string }[] }).payments[0]?.state;
    };
    assert.equal(await stateOf(), 'taken');
    await simulator.close();
    line.mend();
    simulator = await start();
    await until(async () => (await stateOf()) === 'kept', 'it was told at last');
    assert.equal(kept(number).length, 1);
    assert.equal(await statusOf(api, id), 'completed');
  });

  it('of two networks with the same receipt number are two payments', async () => {
    const { id, number } = await makeBill(api, { mode: 'flexible' });
    for (const network of ['m-pesa', 'halopesa'])
      assert.equal((await payBill(number, network, { receipt: 'SAME', amount: 1_000 })).accepted, true);
    assert.equal(kept(number).length, 2);
    assert.deepEqual(await receiptsOf(id), ['accepted', 'accepted']);
  });

  it('cannot pay what is nothing', async () => {
    for (const more of [
      { amount: 0 },
      { amount: -1 },
      { amount: 1.005 },
      { phone_number: '123' },
      { network: 'nobody' },
      { control_number: null },
      { step: 'other' },
    ]) {
      const { status, accepted, receipt } = await payBill('770000000017', 'm-pesa', more);
      assert.deepEqual([status, accepted, receipt], [422, false, null], JSON.stringify(more));
    }
    const alone = await openSimulator();
    const answer = await fetch(`${alone.url}/customer/pay-bill`, {
      method: 'POST',
      body: JSON.stringify({ control_number: '1', amount: 1, phone_number: '0754123456' }),
    });
    assert.equal(answer.status, 503);
    await alone.close();
  });
});
