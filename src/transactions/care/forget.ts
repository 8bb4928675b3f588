import { keptDays } from '../../domain/data/retention.ts';
import { ERASED_MSISDN } from '../../domain/msisdn.ts';
import type { Database, Queryable } from '../../platform/db/pool.ts';
import { inTransaction } from '../../platform/db/transaction.ts';

/** transactions per call; takes a few seconds */
const LOOKED_AT_MAX = 5_000;

/** Selects an account's payers older than a number of days, or one person. */
export type Whose = {
  /** true if there is a reason not to wait for the usual retention */
  isEarly: boolean;
} & (
  | { accountId: string; olderThanDays: number }
  /** phone number (255…) or bank account number */
  | { person: string }
);

export type Found = {
  /** erasable transactions among those read; for a person also payments without a bill */
  erasable: number;
  /** for a person: transactions that are too recent or still in progress */
  kept: number;
  ids: string[];
  /** where the next part begins; null: finished */
  next: string | null;
};

/** Days (data/retention.json). Before `usually`, erasure needs a reason; before `atLeast`, it is refused. */
export const FORGETTABLE_AFTER_DAYS = { usually: keptDays.payers, atLeast: keptDays.payers_at_least };

const NAMED = `(t.msisdn <> '${ERASED_MSISDN}' OR t.account_number <> 'ERASED'
    OR (t.full_name IS NOT NULL AND t.account_number IS NULL)
  OR EXISTS (SELECT 1 FROM bill_receipts r
    WHERE r.transaction_id = t.id AND (r.msisdn <> '${ERASED_MSISDN}' OR r.full_name IS NOT NULL)))`;

/** Counts what would be erased. Changes nothing. `after`: the end of the part before. */
export function findForgettable(db: Queryable, whose: Whose, after: string | null): Promise<Found> {
  return 'person' in whose ? findPerson(db, whose) : findOld(db, whose, after);
}

async function findOld(
  db: Queryable,
  { accountId, olderThanDays, isEarly }: Extract<Whose, { accountId: string }>,
  after: string | null,
): Promise<Found> {
  const { rows } = await db.query(
    `SELECT t.id, t.created_at, is_forgettable(t, $5) AND t.status_at < now() - make_interval(days => $2)
       AND ${NAMED} AS erasable
     FROM transactions t WHERE t.account_id = $1 AND t.created_at < now() - make_interval(days => $2)
       AND t.created_at >= coalesce($3::timestamptz, '-infinity')
     ORDER BY t.created_at, t.id LIMIT $4`,
    [accountId, olderThanDays, after, LOOKED_AT_MAX, isEarly],
  );
  const ids = rows.filter((row) => row.erasable).map((row) => row.id);
  const last = rows.length === LOOKED_AT_MAX ? (rows.at(-1)?.created_at ?? null) : null;
  // All rows of this part have one timestamp: the next part begins just after it.
  const next = last !== null && last === after ? new Date(Date.parse(last) + 1).toISOString() : last;
  return { erasable: ids.length, kept: 0, ids, next };
}

/** Includes paybacks, which belong to no account, and payments without a bill (`id` null). */
async function findPerson(
  db: Queryable,
  { person, isEarly }: Extract<Whose, { person: string }>,
): Promise<Found> {
  const { rows } = await db.query(
    `SELECT t.id, is_forgettable(t, $3) AS erasable FROM transactions t WHERE t.id IN (
       SELECT f.id FROM accounts a CROSS JOIN LATERAL (
         SELECT id FROM transactions b WHERE b.account_id = a.id AND b.msisdn = $1
         UNION ALL SELECT id FROM transactions b WHERE b.account_id = a.id AND b.account_number = $1) f
       UNION SELECT id FROM transactions WHERE suspense_item IS NOT NULL AND msisdn = $1
       UNION SELECT transaction_id FROM bill_receipts WHERE msisdn = $1)
     UNION ALL SELECT NULL, is_forgettable_receipt(r, $3) FROM bill_receipts r
     WHERE r.transaction_id IS NULL AND r.msisdn = $1
     ORDER BY erasable DESC LIMIT $2`,
    [person, LOOKED_AT_MAX, isEarly],
  );
  const erasable = rows.filter((row) => row.erasable);
  const ids = erasable.map((row) => row.id).filter((id) => id !== null);
  // Erased rows are not found again, so the same query finds the next part.
  const next = erasable.length === LOOKED_AT_MAX ? new Date().toISOString() : null;
  return { erasable: erasable.length, kept: rows.length - erasable.length, ids, next };
}

/** Erases what is still erasable and records it with `note`, in one transaction. Returns the count. */
export function forget(
  database: Database,
  { ids, whose }: { ids: readonly string[]; whose: Whose },
  note: (db: Queryable, erased: number) => Promise<void>,
): Promise<number> {
  return inTransaction(database, async (db) => {
    await db.query("SET LOCAL statement_timeout = '60s'");
    const person = 'person' in whose ? whose.person : null;
    const { rows } = await db.query('SELECT erase_payers($1, $2, $3) AS erased /* never null: erased */', [
      ids,
      person,
      whose.isEarly,
    ]);
    await note(db, rows[0].erased);
    return rows[0].erased;
  });
}
