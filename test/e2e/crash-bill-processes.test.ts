// tests: hard
import assert from 'node:assert/strict';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { type Json, newKey, useGateway } from '../support/gateway.ts';
import { customer } from '../support/shared-gateway.ts';
import { until } from '../support/wait.ts';
import { type Part, strike } from './strike.ts';

const blows: Part[] = ['API', 'simulator', 'worker', 'Postgres', 'API', 'Temporal', 'simulator', 'API'];

/** Each bill is paid in parts while processes die, so that there is always something in the middle of things. */
const BILLS = 8;
const PART = 1_000;
const TOTAL = 1_000_000;
/** A bill takes 500 payments; the last one here pays all of it. */
const PARTS_MAX = 450;
const networks = ['m-pesa', 'tigo-pesa', 'airtel-money', 'halopesa', 't-pesa', 'azampesa'];

describe('bills and numbers under processes that die and are started again', () => {
  const gateway = useGateway();

  /** Asks again while whoever is asked is down. */
  const insist = <T>(what: string, ask: () => Promise<T | null>): Promise<T> =>
    until(() => ask().catch(() => null), { deadlineMs: 90_000, what, everyMs: 200 }) as Promise<T>;

  async function make(): Promise<{ id: string; number: string }> {
    const body = {
      amount: TOTAL,
      payment_number: newKey(),
      payment_mode: 'flexible',
      description: 'x',
    };
    const json = await insist('the bill is made', async () => {
      const answer = await gateway.request('POST', 'payments/billpay', { body });
      if (answer.status !== 200) assert.equal(answer.json.retryable, true, answer.text);
      return answer.status === 200 ? answer.json : null;
    });
    return { id: json.transaction_id, number: json.bill.reference };
  }

  /** Made again and again, it is one number. */
  async function makeNumber(): Promise<string> {
    const body = { customer_reference: newKey() };
    const json = await insist('the number is made', async () => {
      const answer = await gateway.request('POST', 'payments/numbers', { body });
      if (answer.status !== 200) assert.equal(answer.json.retryable, true, answer.text);
      return answer.status === 200 ? answer.json : null;
    });
    return json.number.reference;
  }

  /** One customer: pays once, whatever it takes. Returns the receipt. */
  async function pay(number: string, network: string, amount = PART): Promise<string> {
    const receipt = `R${newKey()}`;
    const request = {
      control_number: number,
      amount,
      phone_number: '0754123456',
      network,
      receipt,
    };
    await insist(`${receipt} is paid`, async () => {
      const found: Json = await gateway.simulator(`customer/pay-bill/${receipt}`);
      const state = found.payments[0]?.state;
      if (state === 'kept') return true;
      assert.notEqual(state, 'returned', found.payments[0]?.message);
      if (state !== 'taken') await customer(gateway, 'pay-bill', request);
      return null;
    });
    return receipt;
  }

  /** By the log, because the simulator's receiver forgets what it got when it dies. */
  async function assertToldInOrder(id: string, payments: number): Promise<void> {
    const events = await until(
      async () => {
        const { rows } = await gateway.database.query(
          `SELECT e.sequence, e.state, max(a.sent_at) AS delivered_at FROM callback_events e
           JOIN callback_attempts a ON a.event_id = e.id AND a.http_status = 200
           WHERE e.transaction_id = $1 GROUP BY e.id ORDER BY e.sequence`,
          [id],
        );
        return rows.length === payments && rows.every(({ state }) => state === 'delivered') ? rows : null;
      },
      { deadlineMs: 90_000, what: `${id} is told of`, everyMs: 200 },
    );
    const moments = events.map((event) => event.delivered_at);
    assert.deepEqual(moments, [...moments].sort(), 'an earlier event came after a later one');
  }

  /** Each payment of the number is one transaction, completed and told once. */
  async function assertPaidOnce(number: string, receipts: string[]): Promise<void> {
    const { rows } = await gateway.database.query(
      `SELECT t.id, t.channel_reference FROM numbers n JOIN transactions t ON t.number_id = n.id AND t.status = 'completed'
       WHERE n.control_number = $1`,
      [number],
    );
    assert.deepEqual(rows.map((row) => row.channel_reference).sort(), receipts.toSorted());
    for (const { id } of rows) await assertToldInOrder(id, 1);
  }

  it('takes every payment once, tells of each once and in order', async () => {
    const bills = await Promise.all(Array.from({ length: BILLS }, make));
    let paid = 0;
    let isOver = false;
    const customers = bills.map(async ({ number }, i) => {
      const receipts: string[] = [];
      while (!isOver && receipts.length < PARTS_MAX) {
        receipts.push(await pay(number, networks[(i + receipts.length) % networks.length] ?? 'm-pesa'));
        paid += 1;
      }
      receipts.push(await pay(number, 'm-pesa', TOTAL));
      return receipts;
    });
    const number = await makeNumber();
    const ofNumber = async () => {
      const receipts: string[] = [];
      while (!isOver && receipts.length < PARTS_MAX)
        receipts.push(await pay(number, networks[receipts.length % networks.length] ?? 'm-pesa'));
      return receipts;
    };
    // New numbers are made in the middle of it, too.
    const made: string[] = [];
    const making = (async () => {
      while (!isOver) made.push(await makeNumber());
    })();
    const all = Promise.all([...customers, ofNumber(), ofNumber()]);
    all.catch(() => {});
    for (const part of blows) {
      await strike(gateway, { part, wellWithinMs: 90_000 });
      const before = paid;
      await until(() => paid > before, {
        deadlineMs: 60_000,
        what: `customers pay on after the death of ${part}`,
      });
    }
    isOver = true;
    const receipts = await all;
    await making;
    assert.equal(new Set(made).size, made.length, 'each number once');
    await assertPaidOnce(number, receipts.slice(BILLS).flat());

    for (const [i, { id }] of bills.entries()) {
      const { status, payment } = await gateway.outcome('payments', id);
      assert.equal(status, 'completed');
      assert.deepEqual(
        payment.payments.map((one: Json) => one.channel.reference),
        receipts[i],
      );
      for (const receipt of receipts[i] ?? []) {
        const { movements } = await gateway.simulator(`truth?reference=${receipt}`);
        assert.equal(movements.length, 1, receipt);
      }
      await assertToldInOrder(id, receipts[i]?.length ?? 0);
    }
    assert.deepEqual((await gateway.database.query('SELECT reason, detail FROM attention')).rows, []);
    assert.deepEqual(await checkInvariants(gateway.database), []);
  }).timeout(300_000);
});
