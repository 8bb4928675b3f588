// tests: slow
import assert from 'node:assert/strict';
import type pg from 'pg';
import { createSweep } from '../../src/app/sweep.ts';
import { beforeStatements } from '../support/before-statements.ts';
import { useTestDatabase } from '../support/database.ts';
import { idleTemporal } from '../support/idle-temporal.ts';
import { submissionKeys } from '../support/key-rings.ts';
import { createMerchant } from '../support/merchant.ts';
import type { Database } from '../support/queryable.ts';

/** 1,000,000 was run by hand. */
const BILLS = Number(process.env.SWEEP_BILLS) || 20_000;
/** What one statement of the sweep may read of a big table while there is nothing to do. */
const ROWS_MAX = 20;
const RANGE_ROWS_MAX = 5_000;

const BIG = 'transactions bills bill_receipts callback_events notifications abandoned_submissions'.split(' ');
/** Each duty and the index that it is read by. */
const INDEXES = `
  notifications_unapplied bill_receipts_unsignalled transactions_due callback_events_due
  callback_events_behind callback_events_resent transactions_overdue bill_receipts_received
  abandoned_submissions_open
`
  .trim()
  .split(/\s+/);

type Node = Record<string, unknown> & { Plans?: Node[] };

describe(`a sweep of ${BILLS} open bills`, function () {
  this.timeout(Math.max(120_000, BILLS / 2));
  const test = useTestDatabase();
  before(() => plant(test.database));

  it('reads what is due by the index of each duty, and next to nothing where nothing is', async () => {
    const plans: { text: string; nodes: Node[] }[] = [];
    const database = beforeStatements(test.database, async (_on, query, values) => {
      const text = String(query);
      if (/^\s*(SELECT|UPDATE|INSERT|DELETE|WITH)/.test(text))
        plans.push({ text, nodes: await planOf(text, values) });
    });
    const client = idleTemporal();
    const { sweep } = createSweep({
      database,
      client,
      unattendedAfterMs: 60_000,
      submissionKeys,
      keepMark: async () => {},
      volumeAlarms: [{ connection: 'test', abovePerHour: 1 as never }],
      controlNumberPrefix: '881',
    });
    const began = performance.now();
    const { resumed, flagged, signalled, resent } = await sweep();
    assert.deepEqual(
      { resumed, flagged, signalled, resent },
      { resumed: 0, flagged: 0, signalled: 0, resent: 0 },
    );
    if (BILLS >= 1_000_000) console.log(`${Math.round(performance.now() - began)} ms, with the plans`);

    const nodes = plans.flatMap((plan) => plan.nodes);
    const used = nodes.map((node) => node['Index Name']);
    for (const index of INDEXES) assert.ok(used.includes(index), `${index} is not among ${used.join()}`);
    for (const { text, nodes: own } of plans) {
      for (const node of own) {
        const table = String(node['Relation Name']);
        // Its index knows ranges of 32 pages, and the last one is always read.
        const max = table === 'bill_receipts' ? RANGE_ROWS_MAX : ROWS_MAX;
        if (BIG.includes(table))
          assert.ok(rowsRead(node) <= max, `${rowsRead(node)} rows of ${table}: ${text}`);
      }
      assert.ok(!own.some((node) => isWhole(node)), `reads a table whole: ${text}`);
    }
  });

  /** The plan as it was carried out, taken back again. */
  async function planOf(text: string, values?: unknown[]): Promise<Node[]> {
    const session: pg.PoolClient = await test.database.connect();
    try {
      await session.query('BEGIN');
      const { rows } = await session.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values);
      return flat(rows[0]['QUERY PLAN'][0].Plan);
    } finally {
      await session.query('ROLLBACK');
      session.release();
    }
  }
});

const flat = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(flat)];
const isWhole = (node: Node) =>
  node['Node Type'] === 'Seq Scan' && BIG.includes(String(node['Relation Name']));
const rowsRead = (node: Node) =>
  Number(node['Actual Loops']) *
  (Number(node['Actual Rows']) +
    Number(node['Rows Removed by Filter'] ?? 0) +
    Number(node['Rows Removed by Index Recheck'] ?? 0));

/** Open bills that end in months; events that a dead receiver gets tomorrow; and what is long done. */
async function plant(database: Database): Promise<void> {
  const { accountId, apiKeyId } = await createMerchant(database);
  const session = await database.connect();
  try {
    await session.query("SET statement_timeout = 0; SET session_replication_role = 'replica'");
    const run = (text: string) => session.query({ text, query_timeout: 3_600_000 } as pg.QueryConfig);
    await run(`INSERT INTO transactions (id, account_id, api_key_id, submission_id, type, mode, status, event, amount, currency, fee,
        fee_version, channel, reference, timing, due_at, overdue_at, status_at, created_at, updated_at)
      SELECT md5('bill ' || n)::uuid, '${accountId}', '${apiKeyId}', gen_random_uuid(), 'bill', 'billpay', 'pending', 'payment.pending',
        100000, 'TZS', 100, 'test', 'billpay', 'BILL' || n, '{}', now() + interval '80 days', now() + interval '81 days', moment, moment, moment
      FROM generate_series(1, ${BILLS}) n CROSS JOIN LATERAL (SELECT now() - n * interval '4 seconds' AS moment) at`);
    await run(`INSERT INTO bills (transaction_id, account_id, control_number, payment_number, mode, expires_at)
      SELECT id, account_id, reference, reference, 'flexible', now() + interval '80 days' FROM transactions`);
    await run(`INSERT INTO bill_receipts (space, channel, receipt, transaction_id, control_number, amount, currency, connection, outcome, number, received_at, signalled_at)
      SELECT 'test', 'm-pesa', 'R' || reference, id, reference, 100, 'TZS', 'test', 'accepted', 1, created_at - interval '2 hours', now() FROM transactions
      ORDER BY created_at`);
    await run('CREATE TEMP VIEW busy AS SELECT * FROM transactions LIMIT 100000');
    await run(`INSERT INTO callback_events (id, transaction_id, api_key_id, account_id, event, sequence, body, state, next_attempt_at, created_at)
      SELECT 'evt_' || reference || '_' || s, id, api_key_id, account_id, 'payment.received', s, '{}', CASE s WHEN 3 THEN 'delivered' ELSE 'pending' END,
        CASE s WHEN 1 THEN now() + interval '20 hours' END, created_at
      FROM busy CROSS JOIN generate_series(1, 3) s`);
    await run(`UPDATE callback_events SET swept_at = now() + interval '10 minutes' WHERE sequence = 2`);
    await run(`INSERT INTO notifications (channel, event_key, transaction_id, content, state)
      SELECT 'm-pesa', reference, id, '{"kind":"succeeded"}', 'applied' FROM busy`);
    await run(`INSERT INTO abandoned_submissions (transaction_id, account_id, idempotency_key, operation, fingerprint, request_id, noticed_at, resolved_at)
      SELECT id, account_id, reference, 'test', '', '', created_at - interval '1 day', created_at FROM busy`);
    for (const table of BIG) await run(`VACUUM ANALYZE ${table}`);
  } finally {
    session.release(true);
  }
}
