import type { Database, Queryable } from '../platform/db/pool.ts';
import { inTransaction } from '../platform/db/transaction.ts';
import type { LedgerAccount } from './accounts.ts';

/** entries per SQL statement: some tens of milliseconds */
const BATCH = 50_000;
const BATCHES_MAX = 20;

/**
 * SQL: no open transaction can still write a noted entry. If `until_xid` is in the future, it was dumped from
 * another cluster, where nothing writes.
 */
const IS_AT_REST = `(until_xid <= pg_snapshot_xmin(pg_current_snapshot())
  OR until_xid > pg_snapshot_xmax(pg_current_snapshot()))`;

/**
 * Keeps the sums of the service's own accounts, which carry no balance. An entry gets its id before its
 * transaction commits, so a later id may be visible before an earlier one. So a run only notes the last id
 * that it sees, and its own transaction number. A later run adds the entries up to that id, once all earlier
 * transactions have ended. The sums are some minutes old.
 */
export async function addUpEntries(database: Database, batch: number = BATCH): Promise<void> {
  for (let n = 0; n < BATCHES_MAX; n += 1) if (!(await addBatch(database, batch))) break;
  // A transaction that wrote an id up to this one already has a number. This statement takes a larger number,
  // because it takes it after reading. So never call this inside another transaction.
  await database.query(
    `UPDATE ledger_sums_head SET until = greatest(until, (SELECT coalesce(max(id), 0) FROM entries)),
       until_xid = pg_current_xact_id() WHERE counted = until`,
  );
}

/** Adds one batch once, in one transaction. Returns true while there may be more. */
function addBatch(database: Database, batch: number): Promise<boolean> {
  return inTransaction(database, async (db) => {
    // Lock first: a statement that waited for the lock would read another sweep's note, but not its entries.
    await db.query('SELECT FROM ledger_sums_head FOR UPDATE');
    const { rows } = await db.query(ADD_BATCH, [batch]);
    return rows[0]?.more ?? false;
  });
}

const ADD_BATCH = `
    WITH head AS (
       SELECT counted, least(until, counted + $1) AS up_to FROM ledger_sums_head
       WHERE until > counted AND ${IS_AT_REST}),
     added AS (
       INSERT INTO ledger_sums AS s (ledger_account_id, amount)
       SELECT e.ledger_account_id, sum(e.amount)::bigint FROM head
       JOIN entries e ON e.id > head.counted AND e.id <= head.up_to
       WHERE e.line IS NULL GROUP BY e.ledger_account_id
       ON CONFLICT (ledger_account_id) DO UPDATE SET amount = s.amount + excluded.amount)
     UPDATE ledger_sums_head h SET counted = head.up_to FROM head RETURNING h.counted < h.until AS more`;

/** `amount`: minor units, for metrics; rounded beyond a safe integer. */
export type LedgerSum = { kind: LedgerAccount['kind']; channel: string | null; amount: number };

/** The service's balances are some minutes old; all merchants' total is current. All in one currency. */
export async function ledgerSums(db: Queryable, currency: string): Promise<LedgerSum[]> {
  const { rows } = await db.query(
    `SELECT a.kind, a.channel, s.amount::float8
     FROM ledger_accounts a JOIN ledger_sums s ON s.ledger_account_id = a.id
     WHERE a.currency = $1
     UNION ALL
     SELECT kind, NULL, sum(balance)::float8 FROM ledger_accounts
     WHERE balance IS NOT NULL AND currency = $1 GROUP BY kind`,
    [currency],
  );
  return rows as LedgerSum[];
}

/** Counts items of any currency. In one currency, sums what we owe (`owed`) and what we are owed. */
export async function suspenseTotals(
  db: Queryable,
  currency: string,
): Promise<{ items: number; owed: number; missed: number; oldestSeconds: number }> {
  const { rows } = await db.query(
    `SELECT count(*)::int AS items,
       coalesce(extract(epoch FROM now() - min(created_at)), 0)::float8 AS oldest,
       coalesce(sum(amount) FILTER (WHERE amount > 0 AND currency = $1), 0)::float8 AS owed,
       coalesce(-sum(amount) FILTER (WHERE amount < 0 AND currency = $1), 0)::float8 AS missed
     FROM suspense_items WHERE is_open`,
    [currency],
  );
  const { items, oldest, owed, missed } = rows[0];
  return { items, oldestSeconds: oldest, owed, missed };
}
