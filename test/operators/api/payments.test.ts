// tests: slow
import assert from 'node:assert/strict';
import { DAY_MS } from '../../../src/domain/day.ts';
import { readAll, sumAll } from '../../../src/transactions/rows/all-transactions.ts';
import { beforeStatements } from '../../support/before-statements.ts';
import { createDeskClient, type DeskClient } from '../../support/desk-client.ts';
import { seedTransactions } from '../../support/many-transactions.ts';
import { createMerchant, type Merchant } from '../../support/merchant.ts';
import { useOperatorDesk } from '../../support/operator-desk.ts';
import { watchPlans } from '../../support/watched.ts';

const COUNT = 3_000;
/** One for every 30 seconds, 30 of them cancelled or pending. */
const from = () => new Date(Date.now() - 2 * DAY_MS).toISOString();
const to = () => new Date(Date.now() + DAY_MS).toISOString();
const range = () => `from=${from()}&to=${to()}`;

describe('payments of all merchants', () => {
  const { test, desk } = useOperatorDesk();
  let merchant: Merchant;
  let other: Merchant;
  let asha: DeskClient;
  before(async function () {
    this.timeout(60_000);
    merchant = await createMerchant(test.database);
    await seedTransactions(test.database, merchant, COUNT);
    await test.database.query("UPDATE accounts SET name = '=Duka' WHERE id = $1", [merchant.accountId]);
    other = await createMerchant(test.database);
    asha = createDeskClient(desk.url);
    await asha.signIn(desk.tokens.asha ?? '');
  });

  const list = async (query: string, as = 'asha') => {
    const { status, body } = await desk.call(as, 'GET', `payments?${range()}&${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };
  const counted = (body: { totals: { count: number }[] }) =>
    body.totals.reduce((sum, { count }) => sum + count, 0);

  it('are listed part by part, each once, newest first, with the totals of all', async () => {
    const ids = new Set<string>();
    let last = '9';
    let part = await list('per_page=1000');
    assert.equal(counted(part), COUNT);
    for (;;) {
      for (const { id, created_at } of part.data) {
        assert.ok(created_at <= last);
        last = created_at;
        ids.add(id);
      }
      if (part.next === null) break;
      part = await list(`per_page=1000&after=${part.next}`);
      assert.equal(part.totals, null, 'they were counted once');
    }
    assert.equal(ids.size, COUNT);
  });

  for (const [query, holds] of [
    ['network=halopesa', "t.channel = 'halopesa'"],
    ['state=failed&kind=ussd', "t.status = 'failed' AND t.mode = 'ussd'"],
    ['direction=out', "t.type = 'payout'"],
    ['amount=5,000', 't.amount = 500000'],
    ['amount_from=5000.01', 'false'],
    ['amount_to=5000', 'true'],
    ['direction=out&kind=ussd', 'false'],
    ['merchant=duk', 'true'],
  ] as const)
    it(`are those, and their totals, that are asked for: ${query}`, async () => {
      const { rows } = await test.database.query(
        `SELECT count(*) AS count FROM transactions t WHERE ${holds}`,
      );
      const body = await list(`${query}&per_page=1000`);
      assert.equal(counted(body), rows[0].count);
      assert.equal(body.data.length, Math.min(rows[0].count, 1_000));
      assert.equal(body.next === null, rows[0].count <= 1_000);
    });

  it('show numbers to those who may see them, and leave the filter in the audit log', async () => {
    assert.match((await list('kind=ussd&per_page=1', 'only-finance')).data[0].party, /^0754/);
    assert.equal((await list('kind=ussd&per_page=1', 'only-admin')).data[0].party, null);
    assert.equal((await desk.call('only-viewer', 'GET', 'payments')).status, 403);
    await list('amount=25,000.50&network=m-pesa');
    const rows = await test.sql`SELECT detail FROM audit_log WHERE action = 'call.listPayments'
      ORDER BY id DESC LIMIT 1`;
    assert.match(rows[0].detail.read[0], /^payments\?from=2\d{3}-.*&network=m-pesa&amount=2500050$/);
  });

  it('are of at most 31 days, today if nothing is said', async () => {
    const refused = async (query: string) => {
      const { status, body } = await desk.call('asha', 'GET', `payments?${query}`);
      return [status, body.errors?.[0].field];
    };
    assert.deepEqual(await refused('from=2026-01-01&to=2026-02-02'), [422, 'to']);
    assert.deepEqual(await refused('from=2026-01-01&to=2026-02-01'), [200, undefined]);
    assert.deepEqual(await refused('from=2026-01-02&to=2026-01-01'), [422, 'to']);
    assert.equal((await list(`merchant=${other.accountId}`)).data.length, 0);
    assert.deepEqual(await refused('amount=5.000,00'), [422, 'amount']);
    assert.deepEqual(await refused('after=x'), [422, 'after']);
    assert.deepEqual(await refused('merchant=nobody-is-called-so'), [422, 'merchant']);
    assert.equal((await desk.call('asha', 'GET', 'payments?from=2026-01-01')).body.data.length, 0);
  });

  it('are a page with links and totals, and a file of exactly what is filtered', async () => {
    const query = `${range()}&direction=out&state=paid`;
    const page = (await asha.get(`/desk/payments?${query}`)).text;
    assert.match(page, /data-head="How many">\d+</);
    assert.match(page, /href="\/desk\/transactions\/[0-9a-f-]{36}"/);
    assert.equal(page.split('data-head="When"').length - 1, 40);
    const { text } = await asha.get(`/desk/payments?${query}&format=csv`);
    const [head, ...lines] = text.trimEnd().split('\r\n');
    assert.match(head ?? '', /^When,Day,Direction,Amount,State,Failure,Kind,Network,Merchant,Party,/);
    assert.equal(lines.length, counted(await list('direction=out&state=paid')));
    assert.ok(lines.every((line) => /,out,5000\.00,paid,,/.test(line)));
    assert.ok(
      lines.some((line) => line.includes(",'=Duka,")),
      'a cell computes nothing',
    );
  });

  it('are found by an amount and a day, and at the command line', async () => {
    const { text } = await asha.get('/desk?q=25%2C000%20today');
    assert.match(text, /href="\/desk\/payments\?amount=25000&amp;from=2/);
    const day = new Date(Date.now() - DAY_MS).toISOString().slice(0, 10);
    assert.match((await desk.cli('asha', 'find', '5000', day)).join(), /payments --amount 5000 --from 2/);
    const lines = await desk.cli('asha', 'payments', '--from', from(), '--to', to(), '--kind', 'bank');
    assert.match(lines[0] ?? '', /^Id +When +Direction +Amount +State/);
    assert.match(lines[101] ?? '', /^In all +State +How many +Sum$/);
    assert.match(lines.at(-1) ?? '', /continue with --after 2\S+_[0-9a-f-]{36}$/);
  });

  it('are read by the index of all merchants, and a file of too many is refused', async function () {
    this.timeout(240_000);
    // As many rows as the list may not give as a file, all of yesterday and today.
    await test.database.query('ALTER TABLE transactions DISABLE TRIGGER USER');
    for (let part = 0; part < 20; part += 1)
      await test.sql`INSERT INTO transactions (id, account_id, api_key_id, submission_id, type, mode, status, event, amount, currency, fee,
        fee_version, channel, reference, msisdn, timing, created_at, connection, failure_code)
        SELECT gen_random_uuid(), account_id, api_key_id, submission_id, type, mode, 'failed', event, 100 * n, currency, fee,
        fee_version, channel, 'PYALL' || ${part}::int || '-' || n, msisdn, timing, now() - n * interval '4 seconds', connection, 'network_error'
        FROM (SELECT * FROM transactions WHERE mode = 'ussd' LIMIT 1) t CROSS JOIN generate_series(1, 10000) n`;
    await test.database.query('VACUUM ANALYZE transactions');
    const { database, plans } = watchPlans(test.database);
    const filter = { from: from(), to: to(), amountMin: 2_500_000, amountMax: 2_500_000 };
    const found = await readAll(database, { filter, after: null, count: 101 });
    assert.equal(found.length, 0);
    await readAll(database, { filter: { from: from(), to: to() }, after: null, count: 101 });
    const { sums } = await sumAll(database, { from: from(), to: to() });
    assert.equal(
      sums?.reduce((sum, { count }) => sum + count, 0),
      COUNT + 200_000,
    );
    const [rare = '', ...others] = plans;
    assert.match(rare, /Index Scan (Backward )?using transactions_amounts/);
    assert.equal(others.length, 2);
    for (const plan of others) {
      assert.match(plan, /Index Only Scan (Backward )?using transactions_of_all/);
      assert.doesNotMatch(plan, /Seq Scan on transactions/);
    }
    // What takes longer than a list may is counted as far as a list is.
    const slow = beforeStatements(test.database, async (on, query) => {
      if (typeof query === 'string' && query.startsWith('SELECT t.mode'))
        await on.query('SELECT pg_sleep(60)');
    });
    assert.deepEqual(await sumAll(slow, { from: from(), to: to() }), { sums: null, moreThan: 100_000 });
    const { status, text } = await asha.get(`/desk/payments?${range()}&format=csv`);
    assert.equal(status, 422);
    assert.match(text, /a file has at most 100000 payments/);
  });
});
