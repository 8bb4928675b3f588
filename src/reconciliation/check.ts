import { setTimeout as pause } from 'node:timers/promises';
import type { Database, Queryable } from '../platform/db/pool.ts';
import { inTransaction } from '../platform/db/transaction.ts';
import { queryUnlisted } from '../platform/db/unlisted.ts';
import { BOOK, BREACHES_MAX, checkInvariants, payoutDays, rulesOfEach } from './invariants.ts';

/** entries per SQL statement; each reads some ten rows */
const BATCH = 10_000;
/** minutes of changed states that one SQL statement checks */
const SLICE_MINUTES = 10;
/** A state change has the start time of its transaction, and may be committed this much later. */
const LATE_MINUTES = 15;
const STATEMENT_TIMEOUT_MS = 60_000;
const FULL_TIMEOUT_MS = 600_000;
/** time that the check waits for transactions that began before it */
const SETTLE_MS = 30_000;

export type Checked = {
  /** a sentence each */
  breaches: string[];
  entries: number;
  /** false after breaches, or if a transaction stayed open: the next check starts at the same entry */
  isNoted: boolean;
};

type Checkpoint = { id: number | null; entry: number; at: string };

/**
 * Checks what is new since the last check, in short statements without a common snapshot. Each line continues
 * the one before, so a proof stays valid unless the past changes, which only a full check finds.
 */
export async function checkNew(database: Database, { batch = BATCH } = {}): Promise<Checked> {
  const from = await lastCheckpoint(database);
  const { entry: to, isSettled, now } = await settledEntry(database);
  const breaches = [...(await beyond(database, from)), ...(await changedStates(database, from.at, now))];
  const note = async (base: Checkpoint, entry: number, at: string) =>
    breaches.length === 0 && isSettled ? insertCheckpoint(database, base, { entry, at }) : base;
  let base = from;
  for (let entry = from.entry; entry < to && breaches.length < BREACHES_MAX; ) {
    const next = Math.min(entry + batch, to);
    breaches.push(...(await proveEntries(database, entry, next)));
    base = await note(base, next, from.at);
    entry = next;
  }
  breaches.push(...(await proveBalances(database, base, from.at)));
  await note(base, Math.max(to, from.entry), now);
  return { breaches, entries: Math.max(0, to - from.entry), isNoted: breaches.length === 0 && isSettled };
}

export async function checkAll(database: Database): Promise<Checked> {
  const { entry, isSettled, now } = await settledEntry(database);
  const breaches = await checkInvariants(database);
  const isNoted = breaches.length === 0 && isSettled;
  if (isNoted) await insertCheckpoint(database, { id: null, entry: 0, at: now }, { entry, at: now });
  return { breaches, entries: entry, isNoted };
}

async function lastCheckpoint(db: Queryable): Promise<Checkpoint> {
  const { rows } = await db.query('SELECT id, entry, at FROM ledger_checkpoints ORDER BY id DESC LIMIT 1');
  if (rows[0]) return rows[0] as Checkpoint;
  const first = await db.query('SELECT coalesce(min(created_at), now()) AS at FROM accounts');
  return { id: null, entry: 0, at: first.rows[0].at };
}

/**
 * Returns the last entry id. Ids are taken before the commit, so an open transaction may still commit an
 * earlier one. This waits until all of these have ended; `isSettled` false: one stayed open too long. Their
 * transaction numbers are lower than our own, which is taken after the id.
 */
async function settledEntry(db: Queryable): Promise<{ entry: number; isSettled: boolean; now: string }> {
  const { rows } = await db.query('SELECT coalesce(max(id), 0)::bigint AS entry, now() AS now FROM entries');
  const begun = await db.query('SELECT pg_current_xact_id()::text AS own');
  const deadline = performance.now() + SETTLE_MS;
  for (;;) {
    const open = await db.query(
      'SELECT pg_snapshot_xmin(pg_current_snapshot()) >= $1::xid8 AS none /* never null: none */',
      [begun.rows[0].own],
    );
    const isSettled = open.rows[0].none;
    if (isSettled || performance.now() > deadline)
      return { entry: rows[0].entry, now: rows[0].now, isSettled };
    await pause(100);
  }
}

function insertCheckpoint(
  database: Database,
  base: Checkpoint,
  { entry, at }: { entry: number; at: string },
): Promise<Checkpoint> {
  return inTransaction(database, async (db) => {
    await db.query(`SET LOCAL statement_timeout = ${FULL_TIMEOUT_MS}`);
    const { rows } = await db.query(INSERT_CHECKPOINT, [base.id, base.entry, entry, at]);
    return rows[0] as Checkpoint;
  });
}

/** Continues the sums of the previous checkpoint ($1), if any. */
const INSERT_CHECKPOINT = `
    INSERT INTO ledger_checkpoints (entry, at, sums)
     SELECT $3, $4, coalesce(jsonb_object_agg(account, sum), '{}') FROM (
       SELECT account, sum(amount) FROM (
         SELECT key AS account, value::numeric AS amount FROM ledger_checkpoints, jsonb_each_text(sums)
         WHERE id = $1
         UNION ALL
         SELECT ledger_account_id::text, amount FROM entries
         WHERE id > $2 AND id <= $3 AND line IS NULL) parts
       GROUP BY account) sums
     RETURNING id, entry, at`;

function beyond(database: Database, { id, entry }: Checkpoint): Promise<string[]> {
  const rule = `SELECT format('checkpoint %s says entry %s but the last one is %s',
      $1::bigint, $2::bigint, max(id)) FROM entries
    HAVING coalesce(max(id), 0) < $2::bigint`;
  return prove(database, null, [rule], [id ?? 0, entry]);
}

/** Selects some transactions (`touched`) and entries (`fresh`) for the rules of invariants.ts. */
const SCOPE = `asked AS (
    SELECT id FROM touched UNION SELECT t.refund_of FROM public.transactions t JOIN touched USING (id)
    WHERE t.refund_of IS NOT NULL),
  transactions AS MATERIALIZED (
    SELECT t.* FROM public.transactions t WHERE t.id IN (SELECT id FROM asked)
    UNION SELECT t.* FROM public.transactions t WHERE t.refund_of IN (SELECT id FROM asked)),
  transfers AS MATERIALIZED (
    SELECT t.* FROM public.transfers t WHERE t.transaction_id IN (SELECT id FROM transactions)
    UNION SELECT t.* FROM public.transfers t WHERE t.id IN (SELECT transfer_id FROM fresh)
    UNION SELECT * FROM empty),
  entries AS MATERIALIZED (
    SELECT e.* FROM public.entries e WHERE e.transfer_id IN (SELECT id FROM transfers) UNION SELECT *
    FROM fresh),
  holds AS MATERIALIZED (SELECT h.* FROM public.holds h
    WHERE h.transaction_id IN (SELECT id FROM transactions)
    OR h.batch_id IS NOT NULL AND h.transfer_id IN (SELECT id FROM transfers)),
  batches AS MATERIALIZED (SELECT b.* FROM public.batches b WHERE b.id IN (SELECT batch_id FROM transactions)
    OR b.id IN (SELECT batch_id FROM holds)
    OR 'release:batch:' || b.id IN (SELECT dedupe_key FROM transfers
      WHERE kind = 'release' AND transaction_id IS NULL)),
  hold_resolutions AS MATERIALIZED (
    SELECT r.* FROM public.hold_resolutions r WHERE r.transaction_id IN (SELECT id FROM transactions)),
  bills AS MATERIALIZED (SELECT b.* FROM public.bills b
    WHERE b.transaction_id IN (SELECT id FROM transactions)),
  bill_receipts AS MATERIALIZED (
    SELECT r.* FROM public.bill_receipts r WHERE r.transaction_id IN (SELECT id FROM transactions)
    UNION SELECT * FROM came),
  suspense_items AS MATERIALIZED (
    SELECT i.* FROM public.suspense_items i WHERE i.transfer_id IN (SELECT id FROM transfers))`;

const ENTRIES = `fresh AS MATERIALIZED (SELECT * FROM public.entries WHERE id > $1 AND id <= $2),
  touched AS MATERIALIZED (SELECT DISTINCT t.transaction_id AS id
    FROM public.transfers t JOIN fresh f ON f.transfer_id = t.id
    WHERE t.transaction_id IS NOT NULL),
  came AS (SELECT * FROM public.bill_receipts WHERE false),
  empty AS (SELECT * FROM public.transfers WHERE false)`;

const STATES = `fresh AS (SELECT * FROM public.entries WHERE false),
  empty AS MATERIALIZED (SELECT * FROM public.transfers t WHERE created_at >= $1 AND created_at < $2
    AND NOT EXISTS (SELECT 1 FROM public.entries e WHERE e.transfer_id = t.id)),
  came AS MATERIALIZED (SELECT * FROM public.bill_receipts WHERE received_at >= $1 AND received_at < $2),
  touched AS MATERIALIZED (SELECT id FROM public.transactions WHERE status_at >= $1 AND status_at < $2
    UNION SELECT transaction_id FROM came WHERE transaction_id IS NOT NULL)`;

/** Each line follows from the one before, and held money belongs to a hold. */
const LINKS = [
  `SELECT format('line %s of ledger account %s does not follow from the one before it',
     f.line, f.ledger_account_id)
   FROM fresh f
   LEFT JOIN public.entries b ON b.ledger_account_id = f.ledger_account_id AND b.line = f.line - 1
   WHERE f.line IS NOT NULL
     AND (f.balance <> coalesce(b.balance, 0) + f.amount OR (f.line > 1) <> (b.id IS NOT NULL)
       OR b.at > f.at)`,
  `SELECT format('entry %s has a line although its account carries no balance, or none although it does',
     f.id)
   FROM fresh f JOIN ledger_accounts a ON a.id = f.ledger_account_id
   WHERE (f.line IS NULL) <> (a.balance IS NULL)`,
  `SELECT format('entry %s moves held money that belongs to no hold', f.id)
   FROM fresh f JOIN ledger_accounts a ON a.id = f.ledger_account_id
   WHERE a.kind = 'held' AND NOT EXISTS (SELECT 1 FROM holds h WHERE h.transfer_id = f.transfer_id)
     AND NOT EXISTS (SELECT 1 FROM hold_resolutions r WHERE r.transfer_id = f.transfer_id)
     AND NOT EXISTS (SELECT 1
       FROM public.transfers t JOIN public.batches b ON t.dedupe_key = 'release:batch:' || b.id
       WHERE t.id = f.transfer_id)`,
];

function proveEntries(database: Database, from: number, to: number): Promise<string[]> {
  return prove(database, ENTRIES, [...LINKS, ...rulesOfEach], [from, to]);
}

/** Checks transactions whose state changed, with or without an entry. */
async function changedStates(database: Database, from: string, to: string): Promise<string[]> {
  const breaches: string[] = [];
  const { rows } = await database.query(
    `SELECT moment AS from, moment + $3 * interval '1 minute' AS to
     FROM generate_series($1::timestamptz - $4 * interval '1 minute', $2::timestamptz,
       $3 * interval '1 minute') moment /* never null: from, to */`,
    [from, to, SLICE_MINUTES, LATE_MINUTES],
  );
  for (const slice of rows) {
    if (breaches.length >= BREACHES_MAX) break;
    breaches.push(...(await prove(database, STATES, rulesOfEach, [slice.from, slice.to])));
  }
  return [...new Set(breaches)];
}

/** Checks accounts as they are now: last lines, sums for metrics, suspense, and payout days since `since`. */
function proveBalances(database: Database, { id, entry }: Checkpoint, since: string): Promise<string[]> {
  const rules = [
    `SELECT format('ledger account %s has the balance %s in %s lines but its last line says %s',
       a.code, a.balance, a.lines, l.balance)
     FROM ledger_accounts a LEFT JOIN entries l ON l.ledger_account_id = a.id AND l.line = a.lines
     WHERE a.lines IS NOT NULL
       AND (a.balance < 0 OR coalesce(l.balance, 0) <> a.balance OR (a.lines > 0) <> (l.id IS NOT NULL)
         OR EXISTS (SELECT 1 FROM entries m WHERE m.ledger_account_id = a.id AND m.line > a.lines))`,
    `SELECT format('suspense is %s %s but its open items sum to %s',
       coalesce(b.amount, 0), coalesce(b.currency, i.currency), coalesce(i.amount, 0))
     FROM (SELECT a.currency,
       sum(coalesce((SELECT (sums->>a.id::text)::numeric FROM ledger_checkpoints WHERE id = $1),
         0) + coalesce(n.amount, 0)) AS amount
       FROM ledger_accounts a
       LEFT JOIN (SELECT ledger_account_id, sum(amount) AS amount FROM entries WHERE id > $2 GROUP BY 1) n
         ON n.ledger_account_id = a.id WHERE a.kind = 'suspense' GROUP BY a.currency) b
     FULL JOIN (SELECT currency, sum(amount) AS amount FROM suspense_items i
       WHERE left_by IS NULL GROUP BY currency) i USING (currency)
     WHERE coalesce(b.amount, 0) <> coalesce(i.amount, 0)`,
    `SELECT format('ledger account %s was added up to %s, but its entries so far sum to %s',
       a.code, s.amount, e.sum)
     FROM ledger_sums s JOIN ledger_accounts a ON a.id = s.ledger_account_id CROSS JOIN ledger_sums_head h
     CROSS JOIN LATERAL (
       SELECT coalesce((SELECT (sums->>a.id::text)::numeric FROM ledger_checkpoints WHERE id = $1), 0)
         + coalesce(sum(n.amount) FILTER (WHERE n.id > $2),
           0) - coalesce(sum(n.amount) FILTER (WHERE n.id <= $2), 0) AS sum
       FROM entries n
       WHERE n.ledger_account_id = a.id AND n.id > least(h.counted, $2) AND n.id <= greatest(h.counted, $2)) e
     WHERE s.amount <> e.sum`,
    payoutDays("d.day >= ($3::timestamptz AT TIME ZONE 'Africa/Dar_es_Salaam')::date"),
  ];
  return prove(database, null, rules, [id, entry, since]);
}

/** Each statement runs in its own transaction and reads its own snapshot. */
function prove(
  database: Database,
  part: string | null,
  rules: readonly string[],
  parameters: unknown[],
): Promise<string[]> {
  const views = part === null ? '' : `WITH ${part}, ${SCOPE}, ${BOOK} `;
  const union = rules.map((rule) => `SELECT * FROM (${rule}) AS found (breach)`).join(' UNION ALL ');
  return inTransaction(database, async (db) => {
    await db.query(`SET LOCAL statement_timeout = ${STATEMENT_TIMEOUT_MS}`);
    const { rows } = await queryUnlisted<{ breach: string }>(
      db,
      'the rules of the books',
      `${views}${union} LIMIT ${BREACHES_MAX}`,
      parameters,
    );
    return rows.map((row) => row.breach);
  });
}
