import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { type Gateway, type Json, newKey } from '../support/gateway.ts';
import type { Database } from '../support/queryable.ts';
import { until } from '../support/wait.ts';
import { askOnPage, assertPaidOnce, payOnce, readPage } from './payer.ts';
import type { Going } from './strike.ts';

/** Each bill is paid in parts, so that there is always something in the middle of things. */
const BILLS = 8;
const PART = 1_000;
const TOTAL = 1_000_000;
/** A bill takes 500 payments; the last one here pays all of it. */
const PARTS_MAX = 450;
/** Merchants, pages and customers go on at once: it is their sum that a machine bears. */
const PAUSE_MS = 1_000;
/** Together they send fewer forms than the 100 a minute of an address. */
const PAYERS = 3;
const PAYERS_PAYMENTS_MAX = 200;
const networks = ['m-pesa', 'tigo-pesa', 'airtel-money', 'halopesa', 't-pesa', 'azampesa'];

type Made = { id: string; number: string; url: string };

/** Customers who pay bills and numbers, by typing them and on pages, once, whatever it takes. */
export function carefulCustomers(gateway: Gateway & { database: Database }) {
  const bills: (Made & { receipts: string[] })[] = [];
  const numbers: Made[] = [];
  /** of the number that is paid, by its two customers */
  const receipts: string[][] = [[], []];
  let phones = 4_100;

  /** Asks again while whoever is asked is down. */
  const insist = <T>(what: string, ask: () => Promise<T | null>, deadlineMs = 90_000) =>
    until(ask, { deadlineMs, what, everyMs: 200 }) as Promise<T>;

  /** Made again and again, it is one. */
  function make(what: 'bill' | 'number', bill: object): Promise<Made> {
    const name = newKey();
    const [path, body] =
      what === 'bill'
        ? ['payments/billpay', { payment_number: name, description: 'Ada', ...bill }]
        : ['payments/numbers', { customer_reference: name }];
    return insist(`the ${what} is made`, async () => {
      const { status, json, text } = await gateway.request('POST', String(path), { body });
      if (status !== 200) assert.equal(json.retryable, true, text);
      if (status !== 200) return null;
      if (what === 'number')
        return { id: json.number.id, number: json.number.reference, url: json.number.pay_url };
      return { id: json.transaction_id, number: json.bill.reference, url: json.pay_url };
    });
  }

  const pay = (control_number: string, network: string, amount = PART) =>
    payOnce(gateway, { control_number, amount, network });

  /** On its page: asked, answered, and right everywhere. Whether it was paid. */
  async function payOnPage(what: 'bill' | 'number'): Promise<boolean> {
    const { id, url } = await make(what, { amount: 25_000 });
    phones += 1;
    const prompt = await askOnPage(url, { once: newKey(), phone: `075${phones}456`, amount: '25000' });
    const said = await readPage(prompt);
    const asked = 'SELECT id FROM transactions WHERE pays = $1';
    const ids = async () => (await gateway.database.query(asked, [id])).rows;
    const rows = await insist('Postgres answers', ids, 60_000);
    assert.equal(rows.length, 1, 'one form is one question');
    const isRight = async () => {
      await assertPaidOnce(gateway, { id, url: prompt, promptId: rows[0]?.id }, said);
      return true;
    };
    await insist(`${what} ${id}, of which the page says ${said.outcome}, counts once`, isRight, 60_000);
    return said.outcome === 'paid';
  }

  /** By the log, because the simulator's receiver forgets what it got when it dies. */
  async function assertToldInOrder(id: string, payments: number): Promise<void> {
    const events = await insist(`${id} is told of`, async () => {
      const { rows } = await gateway.database.query(
        `SELECT e.sequence, e.state, max(a.sent_at) AS delivered_at FROM callback_events e
         JOIN callback_attempts a ON a.event_id = e.id AND a.http_status = 200
         WHERE e.transaction_id = $1 GROUP BY e.id ORDER BY e.sequence`,
        [id],
      );
      return rows.length === payments && rows.every(({ state }) => state === 'delivered') ? rows : null;
    });
    const moments = events.map((event) => event.delivered_at);
    assert.deepEqual(moments, [...moments].sort(), 'an earlier event came after a later one');
  }

  async function payWhile(number: string, during: () => boolean, paid: string[], first = 0): Promise<void> {
    while (during() && paid.length < PARTS_MAX) {
      paid.push(await pay(number, networks[(first + paid.length) % networks.length] ?? 'm-pesa'));
      await pause(PAUSE_MS);
    }
  }

  return {
    /** Each goes on, and counts what it did. */
    async beginWhile(during: () => boolean): Promise<Going[]> {
      const bill = { amount: TOTAL, payment_mode: 'flexible' };
      for (let i = 0; i < BILLS; i += 1) bills.push({ ...(await make('bill', bill)), receipts: [] });
      const shared = await make('number', {});
      numbers.push(shared);
      let onPages = 0;
      const payInParts = bills.map(async ({ number, receipts }, i) => {
        await payWhile(number, during, receipts, i);
        receipts.push(await pay(number, 'm-pesa', TOTAL));
      });
      // New numbers are made in the middle of it, too.
      const makeNumbers = async () => {
        while (during()) {
          numbers.push(await make('number', {}));
          await pause(PAUSE_MS);
        }
      };
      const payOnPages = Array.from({ length: PAYERS }, async (_, payer) => {
        for (let i = payer; during() && i < PAYERS_PAYMENTS_MAX; i += 1)
          if (await payOnPage(i % 2 === 0 ? 'bill' : 'number')) onPages += 1;
      });
      const payNumber = receipts.map((paid) => payWhile(shared.number, during, paid));
      const sum = () => bills.reduce((all, { receipts }) => all + receipts.length, 0);
      const going = (what: string, count: () => number, done: Promise<unknown>[], least = 1) => ({
        what,
        count,
        least,
        withinMs: least > 1 ? 90_000 : 60_000,
        done: Promise.all(done),
      });
      return [
        going('payments of bills', sum, payInParts),
        going('payments of a number', () => receipts.flat().length, payNumber),
        going('new numbers', () => numbers.length, [makeNumbers()]),
        going('payments on pages', () => onPages, payOnPages, PAYERS),
      ];
    },

    /** Every payment was taken once, and each is told once and in order. */
    async assertAllPaidOnce(): Promise<void> {
      assert.equal(new Set(numbers.map(({ number }) => number)).size, numbers.length, 'each number once');
      const { rows } = await gateway.database.query(
        "SELECT id, channel_reference FROM transactions WHERE number_id = $1 AND status = 'completed'",
        [numbers[0]?.id],
      );
      assert.deepEqual(rows.map((row) => row.channel_reference).sort(), receipts.flat().sort());
      for (const { id } of rows) await assertToldInOrder(id, 1);
      for (const { id, receipts } of bills) {
        const { status, payment } = await gateway.outcome('payments', id);
        assert.equal(status, 'completed');
        assert.deepEqual(
          payment.payments.map((one: Json) => one.channel.reference),
          receipts,
        );
        for (const receipt of receipts) {
          const { movements } = await gateway.simulator(`truth?reference=${receipt}`);
          assert.equal(movements.length, 1, receipt);
        }
        await assertToldInOrder(id, receipts.length);
      }
    },
  };
}
