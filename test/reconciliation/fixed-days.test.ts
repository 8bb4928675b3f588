// tests: slow, generated
import assert from 'node:assert/strict';
import pg from 'pg';
import { dayOf } from '../../src/domain/day.ts';
import { createDatabase, rowKeysOf } from '../../src/platform/db/pool.ts';
import { closeDay, reopenDay } from '../../src/reconciliation/closed-days.ts';
import { daysOf } from '../../src/reconciliation/days.ts';
import { lastFixedDay } from '../../src/reconciliation/fixed-day.ts';
import { readStatement } from '../../src/reconciliation/formats/read.ts';
import type { Proven } from '../../src/reconciliation/groups.ts';
import { importStatement } from '../../src/reconciliation/import.ts';
import { findItem, itemsOf } from '../../src/reconciliation/items.ts';
import { beforeStatements } from '../support/before-statements.ts';
import { useTestDatabase } from '../support/database.ts';
import { plantProposal } from '../support/decision.ts';
import { portion } from '../support/generated.ts';
import { pick } from '../support/pick.ts';
import type { Database } from '../support/queryable.ts';
import { keys } from '../support/statements-of-accounts.ts';
import { bookMovements } from './generated-books.ts';
import { fileOf } from './generated-files.ts';
import { makeWorld } from './generator.ts';

const OPEN = ['open', 'waiting'] as const;

/**
 * What was booked beside its line moved when the line says, some of it the day before or three days later; what a line brought
 * was booked the next morning.
 */
const AS_IT_WENT = `
  WITH moved AS (
    SELECT DISTINCT ON (e.transfer_id) e.transfer_id, CASE WHEN m.pass <> 'receipt' THEN l.at + interval '20 hours'
      WHEN l.id % 7 = 0 AND l.day > $1::date THEN l.at - interval '1 day' WHEN l.id % 11 = 0 THEN l.at + interval '3 days' ELSE l.at END AS at
    FROM line_matches m JOIN statement_lines l ON l.id = m.line_id JOIN entries e ON e.id = m.entry_id ORDER BY e.transfer_id, l.id),
  unmoved AS (UPDATE entries SET at = ($1::date + 1)::timestamptz WHERE NOT EXISTS (SELECT FROM moved WHERE moved.transfer_id = entries.transfer_id)),
  of_transfers AS (UPDATE transfers t SET created_at = moved.at FROM moved WHERE t.id = moved.transfer_id)
  UPDATE entries e SET at = moved.at FROM moved WHERE e.transfer_id = moved.transfer_id`;

describe('days that are closed for good', () => {
  const test = useTestDatabase({ each: true });
  let database: Database;
  let proposalId: string;
  /** The same one, to which no closed day belongs: all of it is read. */
  let whole: Proven;
  let group: Proven;
  let days: string[];
  beforeEach(async () => {
    database = test.database;
    proposalId = await plantProposal(database, 'days.close');
  });

  async function lived(count: number, linesPerDay: number, planted = 0) {
    const world = makeWorld({ days: count, linesPerDay, planted });
    const [wallet] = world.accounts;
    assert.ok(wallet);
    await bookMovements(database, { ...world, accounts: [wallet] });
    group = [wallet];
    whole = [{ ...wallet, proves: [...wallet.proves, 'clearing:nobody:TZS'] }];
    const theirs = world.days.filter(({ account }) => account === wallet);
    days = theirs.map(({ from }) => dayOf(from));
    for (const day of theirs) {
      const read = await readStatement(wallet, fileOf([day]));
      await importStatement(database, { account: wallet, ...read, keys, actor: 'test' });
    }
    for (const table of ['transfers', 'entries'])
      await database.query(`ALTER TABLE ${table} DISABLE TRIGGER USER`);
    await database.query(AS_IT_WENT, [days[0]]);
  }
  async function close(day: string) {
    const [account] = group;
    const figures = (await daysOf(database, group, day)).find((one) => one.account === account?.id);
    assert.ok(account && figures, day);
    const proposalId = await plantProposal(database, 'days.close');
    assert.ok(await closeDay(database, { account: account.id, day, group, figures, proposalId }), day);
  }
  const fixed = async () => (await lastFixedDay(database, group))?.day ?? null;
  /** From the last fixed day and from the beginning: the same. */
  async function same() {
    assert.equal(await lastFixedDay(database, whole), null);
    const all = await daysOf(database, whole);
    for (const one of all) assert.ok(one.holds, one.day);
    assert.deepEqual(await daysOf(database, group), all);
    for (const day of days)
      assert.deepEqual(
        await daysOf(database, group, day),
        all.filter((one) => one.day === day),
        day,
      );
    const asked = { states: OPEN, limit: 1_000 };
    assert.deepEqual(await itemsOf(database, group, asked), await itemsOf(database, whole, asked));
    return all;
  }

  it('carry those after them: each figure is the same as one that is read from the beginning', async () => {
    await lived(6, 60);
    const first = await same();
    assert.ok(first.some(({ unbooked }) => unbooked !== 0) && first.some(({ unseen }) => unseen !== 0));
    for (const day of days.slice(0, 4)) {
      await close(day);
      assert.equal(await fixed(), day);
      await same();
    }
    const [one = '', two = ''] = days;
    const account = group[0]?.id ?? '';
    await reopenDay(database, { account, day: two, proposalId });
    assert.equal(await fixed(), one, 'what comes after a day that is open again may change');
    await same();
    await close(two);
    assert.equal(await fixed(), two, 'those after it were closed before it');
    assert.equal((await same()).filter(({ state }) => state === 'closed').length, 4);
    await close(days[4] ?? '');
    assert.equal(await fixed(), two, 'so their figures say nothing of this one');
    for (const day of days.slice(2, 5)) {
      await reopenDay(database, { account, day, proposalId });
      await close(day);
      assert.equal(await fixed(), day);
    }
    await same();
  });

  it('are no beginning where one before them is open, or another account is proven with theirs', async () => {
    await lived(3, 40);
    await close(days[1] ?? '');
    assert.equal(await fixed(), null);
    await same();
    await close(days[0] ?? '');
    assert.equal(await fixed(), days[0], 'the other one was closed before it');
    assert.equal(await lastFixedDay(database, [...group, ...whole]), null);
  });

  it('are none to a process without the keys', async () => {
    await lived(2, 20);
    await close(days[0] ?? '');
    const keyless = createDatabase({ url: test.url, poolMax: 1, applicationName: 'test' });
    assert.equal(await lastFixedDay(keyless, group), null);
    await keyless.end();
  });

  it('show an item of theirs that has come back to suspense, and each line and movement by its id', async () => {
    await lived(2, 40, 1);
    const asked = { states: OPEN, limit: 1_000 };
    const open = await itemsOf(database, group, asked);
    const item = open.find(({ item: its, day }) => its !== null && day === days[0]) ?? assert.fail();
    const ours = open.find(({ id }) => id.startsWith('en_')) ?? assert.fail();
    await database.query('ALTER TABLE suspense_items DISABLE TRIGGER USER');
    const left = 'UPDATE suspense_items SET left_by = (SELECT id FROM transfers LIMIT 1) WHERE id = $1';
    await database.query(left, [item.item]);
    await close(days[0] ?? '');
    assert.ok(!(await itemsOf(database, group, asked)).some(({ id }) => id === item.id));
    await database.query('UPDATE suspense_items SET left_by = NULL WHERE id = $1', [item.item]);
    assert.ok((await itemsOf(database, group, asked)).some(({ id }) => id === item.id));
    assert.deepEqual(
      pick(await daysOf(database, group), 'unbooked'),
      (await daysOf(database, whole)).map(({ unbooked }) => unbooked),
    );
    const accounts = new Map(group.map((one) => [one.id, one]));
    for (const one of [item, ours]) assert.deepEqual((await findItem(database, accounts, one.id))?.item, one);
    for (const id of ['ln_0', 'en_x', 'ln_999999999', 'xx'])
      assert.equal(await findItem(database, accounts, id), null, id);
  });

  it('are not read again: a long history costs what a short one does', async () => {
    await lived(9, 100 + portion(600));
    // As rows lie where they were inserted in their time.
    for (const [table, column] of [
      ['transfers', 'created_at'],
      ['entries', 'at'],
    ]) {
      await database.query(`CREATE INDEX lie ON ${table} (${column})`);
      await database.query(`CLUSTER ${table} USING lie`);
      await database.query('DROP INDEX lie');
    }
    // Where it is the whole table, as here, it is read only because the table is small.
    await database.query('ALTER TABLE entries DROP CONSTRAINT entries_ledger_account_id_line_key');
    await database.query("SELECT brin_summarize_new_values('transfers_created_at')");
    await database.query('ANALYZE');
    const asked = { states: OPEN, limit: 1_000 };
    const read = (work: (on: Database) => Promise<unknown>) => rowsRead(database, work);
    const figures = async () => ({
      days: await read((on) => daysOf(on, group)),
      lines: await read((on) => itemsOf(on, group, asked)),
    });
    const all = await figures();
    for (const day of days.slice(0, 4)) await close(day);
    const half = await figures();
    for (const day of days.slice(4, 8)) await close(day);
    const last = await figures();
    for (const what of ['days', 'lines'] as const) {
      const said = `${what}: ${all[what]}, ${half[what]}, ${last[what]} rows`;
      assert.ok(last[what] < half[what] && last[what] < 0.25 * all[what], said);
    }
  });
}).timeout(180_000);

type Plan = Record<string, unknown> & { Plans?: Plan[] };

/** Rows of tables that its queries look at, closed days left out. */
async function rowsRead(database: Database, work: (on: Database) => Promise<unknown>): Promise<number> {
  const { types, connectionString = '' } = database.options;
  // As of large tables: each row that is read costs, and nobody joins all of them.
  const off = ['seqscan', 'hashjoin', 'mergejoin'].map((name) => `-c enable_${name}=off`).join(' ');
  const keys = { rowKeys: rowKeysOf(database) };
  const pool = new pg.Pool({
    ...keys,
    connectionString,
    max: 1,
    types,
    options: `${off} -c cpu_tuple_cost=1`,
  });
  // Its database is dropped while it says goodbye.
  pool.on('error', () => {});
  let rows = 0;
  const count = (plan: Plan) => {
    const of = (name: string) => Number(plan[name] ?? 0);
    if (plan['Relation Name'] !== undefined && plan['Relation Name'] !== 'closed_days')
      rows +=
        (of('Actual Rows') + of('Rows Removed by Filter') + of('Rows Removed by Index Recheck')) *
        of('Actual Loops');
    for (const one of plan.Plans ?? []) count(one);
  };
  const watched = beforeStatements(pool, async (on, query, values) => {
    const explained = await on.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${query}`, values);
    count(explained.rows[0]['QUERY PLAN'][0].Plan);
  });
  try {
    await work(watched);
    return rows;
  } finally {
    await pool.end();
  }
}
