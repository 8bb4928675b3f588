import assert from 'node:assert/strict';
import pg from 'pg';
import {
  bankPayoutBody,
  type Json,
  mobilePayoutBody,
  newKey,
  pushBody,
  useGateway,
} from '../support/gateway.ts';
import { pick } from '../support/pick.ts';
import { cli, customer } from '../support/shared-gateway.ts';
import { untilSwept } from '../support/swept.ts';
import { until } from '../support/wait.ts';

type Sent = {
  path: string;
  key: string;
  body: object;
  text: string;
  id: string;
  lookup: string;
  ended: string;
};

type Bill = { number: string; id: string; page: string };

/** How many of each kind are sent before the copy, and again after it. `npm run drill -- restore` asks for more. */
const EACH = Number(process.env.DRILL_EACH ?? 3);

describe('Postgres is put back from an older copy', function () {
  this.timeout(300_000 + EACH * 20_000);
  const gateway = useGateway();
  const sent: Sent[] = [];
  const bills: Bill[] = [];
  /** one that the copy has, and one that it lacks */
  const numbers: Json[] = [];
  /** the same, with what came of each */
  let links: Json[] = [];
  let before: Json[];

  async function send(path: string, body: object, lookup = path.split('/')[0]): Promise<Sent> {
    const key = newKey();
    const { status, text, json } = await gateway.request('POST', path, { key, body });
    assert.equal(status, 200, text);
    const id = json.transaction_id;
    return { path, key, body, text, id, lookup: `${lookup}/${id}`, ended: '' };
  }

  /** Every kind, with good ends, lost answers and refusals. */
  async function sendAll(): Promise<Sent[]> {
    const all: Sent[] = [];
    for (let i = 0; i < EACH; i += 1)
      for (const [path, body] of [
        ['payments/ussd', pushBody()],
        ['payments/ussd', pushBody('039')],
        ['payouts/mobile', mobilePayoutBody('456', 1_000)],
        ['payouts/mobile', mobilePayoutBody('159', 1_000)],
        ['payouts/bank', bankPayoutBody('789', 2_000)],
        ['payouts/bank', bankPayoutBody('029', 2_000)],
      ] as const)
        all.push(await send(path, body));
    return all;
  }

  const refund = (of: string, body: object = {}) => send(`payments/${of}/refunds`, body, 'payouts');

  const statusOf = async (one: Sent): Promise<string> =>
    (await gateway.request('GET', one.lookup)).json.status ?? 'not found';

  async function allFinal(some: Sent[]): Promise<void> {
    await until(
      async () => {
        const statuses = await Promise.all(some.map(statusOf));
        return statuses.every((status) => status !== 'pending' && status !== 'not found');
      },
      { deadlineMs: 120_000, what: 'all of them are final', everyMs: 500 },
    );
    for (const one of some) one.ended = await statusOf(one);
  }

  async function makeBill(amount: number): Promise<Bill> {
    const body = { amount, payment_number: newKey(), payment_mode: 'flexible', description: 'Rent' };
    const { json } = await gateway.request('POST', 'payments/billpay', { body });
    return { number: json.bill.reference, id: json.transaction_id, page: json.pay_url };
  }

  async function makeNumber(customerReference: string): Promise<Json> {
    const body = { customer_reference: customerReference, minimum: 500 };
    const { json, text } = await gateway.request('POST', 'payments/numbers', { body });
    assert.ok(json.number, text);
    return json.number;
  }

  async function makeLink(description: string): Promise<Json> {
    const body = { amount: 1_000, description, quantity: 'many' };
    const { json, text } = await gateway.request('POST', 'payments/links', { key: newKey(), body });
    assert.ok(json.link, text);
    return json.link;
  }

  const linkNow = async ({ id }: Json): Promise<Json> =>
    (await gateway.request('GET', `payments/links/${id}`)).json.link;

  /** What the numbers received, newest first. */
  async function paidToNumbers(): Promise<[value: string, refunded: string | undefined][]> {
    const { json } = await gateway.request('GET', 'transactions?mode=number');
    return json.data.map((one: Json) => [one.amount.value, one.refunded]);
  }

  async function pay(number: string, amount: number): Promise<void> {
    const paid = { control_number: number, amount, phone_number: '0754123456' };
    assert.equal((await customer(gateway, 'pay-bill', paid)).accepted, true);
  }

  /** Over its page, by a push to a phone. */
  async function payOverPage({ page, id }: Bill): Promise<void> {
    await ask(page, '0754123001');
    assert.equal((await gateway.outcome('payments', id)).status, 'completed');
  }

  async function ask(page: string, phone: string): Promise<void> {
    const body = new URLSearchParams({ once: newKey(), phone });
    const asked = await fetch(page, { method: 'POST', body, redirect: 'manual' });
    assert.equal(asked.status, 303, await asked.text());
  }

  async function payLink(link: Json, phone: string): Promise<void> {
    const { payments } = await linkNow(link);
    await ask(link.url, phone);
    await until(async () => (await linkNow(link)).payments > payments, `${link.url} is paid`);
  }

  /** With nobody connected, as a copy of the files would be made. */
  async function alone(work: (admin: pg.Client, name: string) => Promise<void>): Promise<void> {
    const url = new URL(gateway.local.database_url);
    const name = url.pathname.slice(1);
    url.pathname = '/template1';
    const admin = new pg.Client({ connectionString: url.href });
    await admin.connect();
    try {
      await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
      await admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
      await work(admin, name);
      await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
    } finally {
      await admin.end();
    }
  }

  const one = async (sql: string) => (await gateway.database.query(sql)).rows[0];

  it('after payments of every kind, before and after the copy', async () => {
    const first = await sendAll();
    sent.push(...first);
    bills.push(await makeBill(10_000));
    await pay(bills[0]?.number ?? '', 1_000);
    numbers.push(await makeNumber('KNOWN'));
    await pay(numbers[0].reference, 700);
    links.push(await makeLink('KNOWN'));
    await allFinal(first.slice(0, EACH));
    await untilSwept(gateway.database);
    await alone((admin, name) => admin.query(`CREATE DATABASE copy TEMPLATE ${name}`).then(() => {}));
    const { progress } = await until(() => one('SELECT progress FROM fence'), 'Postgres is back');
    sent.push(...(await sendAll()));
    bills.push(await makeBill(20_000));
    await pay(bills[0]?.number ?? '', 2_000);
    await pay(bills[1]?.number ?? '', 3_000);
    const overPage = await makeBill(10_000);
    bills.push(overPage);
    await payOverPage(overPage);
    links.push(await makeLink('LOST'));
    for (const [i, link] of links.entries()) await payLink(link, `075412400${i + 1}`);
    links = await Promise.all(links.map(linkNow));
    numbers.push(await makeNumber('LOST'));
    await pay(numbers[0].reference, 800);
    await pay(numbers[1].reference, 900);
    const [lost] = (await gateway.request('GET', 'transactions?reference=LOST')).json.data;
    await allFinal(sent);
    sent.push(await refund(lost.transaction_id, { amount: 400 }));
    // Of a payment that the copy has, of one that it lacks, and of what a lost bill received.
    for (const paid of [first[0], sent[first.length], bills[1]])
      sent.push(await refund(paid?.id ?? '', { amount: 500 }), await refund(paid?.id ?? ''));
    await allFinal(sent);
    await until(
      async () => Number((await one('SELECT progress FROM fence')).progress) > Number(progress),
      'the sweep has passed the fence again',
    );
    before = (await gateway.simulator('truth')).movements;
  });

  it('closes the fence: nothing is taken, and nothing is decided from what is not there', async () => {
    await alone(async (admin, name) => {
      await admin.query(`ALTER DATABASE ${name} RENAME TO lost`);
      await admin.query(`ALTER DATABASE copy RENAME TO ${name}`);
    });
    await until(async () => (await one('SELECT reason FROM fence')).reason, 'the fence is closed');
    const pending = 'SELECT count(*)::int AS n FROM transactions WHERE status = ANY($1)';
    const ended = async () =>
      (await gateway.database.query(pending, [['failed', 'cancelled']])).rows[0].n as number;
    const endedThen = await ended();
    const { status } = await until(async () => {
      const answer = await gateway.request('POST', 'payments/ussd', { key: newKey(), body: pushBody() });
      return answer.status === 503 ? answer : null;
    }, 'a payment is refused');
    assert.equal(status, 503);
    const ready = await fetch(`${gateway.local.management_url}/readyz`);
    assert.equal(ready.status, 200, 'lookups and doors go on');
    assert.match(await cli(gateway, 'attention', 'list'), /restored/);
    assert.equal(await ended(), endedThen);
  });

  it('brings everything back by one command, which may first be tried', async () => {
    assert.match(await cli(gateway, 'recover', '--dry-run'), /Nothing was changed/);
    assert.notEqual((await one('SELECT reason FROM fence')).reason, null);
    const report = await cli(gateway, 'recover');
    assert.match(report, /The fence is lifted/, report);
    assert.match(report, / 0 {2}could not be brought back/, report);
    assert.match(await cli(gateway, 'recover'), /nothing to recover/);
  });

  it('ends everything as it had ended, and answers every key with the same bytes', async () => {
    const ended = sent.map((each) => each.ended);
    await allFinal(sent);
    assert.deepEqual(pick(sent, 'ended'), ended);
    for (const { path, key, body, text } of sent) {
      const again = await gateway.request('POST', path, { key, body });
      assert.equal(again.text, text);
    }
  });

  it('moves no money again, books what the networks have, and gives no number twice', async () => {
    const { movements } = await gateway.simulator('truth');
    assert.deepEqual(movements, before);
    const { rows } = await gateway.database.query(
      `SELECT a.channel, -sum(e.amount)::float8 / 100 AS booked FROM entries e
       JOIN ledger_accounts a ON a.id = e.ledger_account_id WHERE a.kind = 'clearing' GROUP BY 1 ORDER BY 1`,
    );
    const booked = Object.fromEntries(rows.map((row) => [row.channel, row.booked]));
    const moved: Record<string, number> = {};
    for (const { network, direction, amount } of movements)
      moved[network] = (moved[network] ?? 0) + (direction === 'in' ? amount : -amount);
    assert.deepEqual(booked, moved);
    const paid = await Promise.all(bills.map(({ id }) => gateway.request('GET', `payments/${id}`)));
    assert.deepEqual(
      paid.map(({ json }) => json.payment.bill.paid),
      ['3,000.00', '3,000.00', '10,000.00'],
    );
    assert.deepEqual(await Promise.all(links.map(linkNow)), links, 'the same links, paid as often');
    const pages = [...bills, ...numbers, ...links].map((one) => one.page ?? one.pay_url ?? one.url);
    for (const page of pages) assert.equal((await fetch(page)).status, 200, 'the same pages');
    assert.deepEqual((await paidToNumbers()).sort(), [
      ['700.00', undefined],
      ['800.00', undefined],
      ['900.00', '400.00'],
    ]);
    for (const number of numbers)
      assert.deepEqual(await makeNumber(number.customer_reference), number, 'the same number again');
    await pay(numbers[1].reference, 1_000);
    for (const [i, link] of links.entries()) await payLink(link, `075412500${i + 1}`);
    const given = new Set([...bills, ...numbers].map((one) => one.number ?? one.reference));
    for (let i = 0; i < 3; i += 1) given.add((await makeBill(1_000)).number);
    assert.equal(given.size, bills.length + numbers.length + 3);
    assert.match(await cli(gateway, 'ledger', 'check'), /adds up|no problem|right/i);
  });

  it('tells the merchant of each payment of a bill that is still open, and of the next one', async () => {
    const events = async () => {
      const found = await Promise.all(
        bills.map(({ id }) => gateway.request('GET', `callbacks?transaction_id=${id}`)),
      );
      return found.map(({ json }) => json.data.map((event: Json) => event.state).sort());
    };
    const told = (states: unknown) =>
      until(async () => JSON.stringify(await events()) === JSON.stringify(states), {
        deadlineMs: 120_000,
        what: `the events are ${JSON.stringify(states)}`,
      });
    await told([['delivered', 'delivered'], ['delivered'], ['delivered']]);
    // The third one was paid whole, over its page.
    for (const { number } of bills.slice(0, 2)) await pay(number, 10);
    await told([['delivered', 'delivered', 'delivered'], ['delivered', 'delivered'], ['delivered']]);
  });
});
