import { BrokenInvariant } from '../domain/errors.ts';
import { postBack } from '../ledger/line-postings.ts';
import type { Queryable } from '../platform/db/pool.ts';

export type ImportedStatement = {
  id: string;
  account: string;
  /** ISO 8601 UTC: `from` inclusive, `to` exclusive */
  from: string;
  to: string;
  lines: number;
  importedBy: string;
  isVoid: boolean;
  /** later statements of the account, voided with it; the last one first */
  later: string[];
  /** a closed day of the group that one of these statements helps to prove; null: none */
  closed: string | null;
  /** the first items and entries of these statements that operators have decided */
  decided: string[];
};

/** A statement with more later ones must be voided in several parts. */
export const LATER_MAX = 1_000;

/** SQL: transfers `t` that booked line `l`, one per payout. */
const BOOKED = 'statement_lines l JOIN transfers t ON t.line_id = l.id' as const;

const NAMED_MAX = 3;

/** `groupOf`: returns the accounts that are proven together with this one. */
export async function findStatement(
  db: Queryable,
  id: string,
  groupOf: (account: string) => readonly string[],
): Promise<ImportedStatement | null> {
  const { rows } = await db.query(
    `SELECT s.id, s.account, s.from_at AS "from", s.to_at AS to, s.imported_by AS "importedBy",
       s.voided_by IS NOT NULL AS "isVoid",
       (SELECT count(*) FROM statement_lines l WHERE l.statement_id = s.id AND l.no > 0)::int AS lines,
       ARRAY(SELECT n.id FROM statements n
         WHERE n.account = s.account AND n.voided_by IS NULL AND n.imported_at > s.imported_at
         ORDER BY n.imported_at DESC LIMIT $2) AS later
     FROM statements s WHERE s.id = $1
     /* never null: id, account, from, to, importedBy, isVoid, lines, later */`,
    [id, LATER_MAX + 1],
  );
  const [row] = rows;
  if (!row) return null;
  const later = row.later as string[];
  const all = [id, ...later];
  const closed = await closedBy(db, all, groupOf(row.account));
  return { ...row, later, closed, decided: await decidedOf(db, all) };
}

async function decidedOf(db: Queryable, ids: readonly string[]): Promise<string[]> {
  const { rows } = await db.query(
    `SELECT i.id FROM ${BOOKED}
       JOIN suspense_items i ON i.transfer_id = t.id JOIN transfers r ON r.id = i.left_by
       WHERE l.statement_id = ANY($1) AND r.proposal_id IS NOT NULL
     UNION ALL SELECT 'en_' || e.id FROM ${BOOKED}
       JOIN entries e ON e.transfer_id = t.id JOIN entries u ON u.undoes = e.id
       JOIN transfers c ON c.id = u.transfer_id
       WHERE l.statement_id = ANY($1) AND c.kind <> 'void' ORDER BY 1 LIMIT $2 /* never null: id */`,
    [ids, NAMED_MAX],
  );
  return rows.map((row) => row.id);
}

/**
 * Returns the first closed day with lines of these statements, with movements that they explain, or that no
 * other statement covers.
 */
async function closedBy(
  db: Queryable,
  ids: readonly string[],
  group: readonly string[],
): Promise<string | null> {
  const { rows } = await db.query(
    `WITH span AS (
       SELECT greatest(min(s.from_at), (SELECT max(o.to_at) FROM statements o
         WHERE o.account = min(s.account) AND o.id <> ALL($1) AND o.voided_by IS NULL)) AS since,
         max(s.to_at) - interval '1 microsecond' AS until FROM statements s WHERE s.id = ANY($1))
     SELECT min(d.day)::text AS day FROM span CROSS JOIN closed_days d
     WHERE d.account = ANY($2) AND d.reopened_at IS NULL
       AND (EXISTS (SELECT FROM statement_lines l WHERE l.statement_id = ANY($1) AND l.day = d.day)
         OR EXISTS (SELECT FROM statement_lines l JOIN line_matches m ON m.line_id = l.id
           JOIN entries e ON e.id = m.entry_id
           WHERE l.statement_id = ANY($1) AND (e.at AT TIME ZONE 'Africa/Dar_es_Salaam')::date = d.day)
         OR d.day >= (span.since AT TIME ZONE 'Africa/Dar_es_Salaam')::date
         AND d.day <= (span.until AT TIME ZONE 'Africa/Dar_es_Salaam')::date)`,
    [ids, group],
  );
  return rows[0]?.day ?? null;
}

/** Locks the items of these statements' lines for the caller's transaction. Call it before reading them. */
export async function lockItemsOf(db: Queryable, ids: readonly string[]): Promise<void> {
  await db.query(
    `SELECT FROM ${BOOKED} JOIN suspense_items i ON i.transfer_id = t.id
     WHERE l.statement_id = ANY($1) ORDER BY i.id FOR NO KEY UPDATE OF i`,
    [ids],
  );
}

/**
 * Reverses the bookings of a statement's lines and frees their matches; the file may be imported again. Some
 * bookings stay and wait for a line of another file: an item that a channel reported or a transaction took,
 * and a sweep whose other half another account shows. A difference never stays: without its line, no report
 * of the channel is about its amount. Null if it was void before. The caller holds the locks of accounts and
 * items, and has checked that nothing forbids it.
 */
export async function voidStatement(
  db: Queryable,
  id: string,
  agreed: { proposalId: string; note: string },
): Promise<{ takenBack: number } | null> {
  const { rows } = await db.query(
    `SELECT t.id FROM ${BOOKED}
     LEFT JOIN suspense_items i ON i.transfer_id = t.id
     WHERE l.statement_id = $1 AND (i.id IS NULL OR i.left_by IS NULL
         AND (NOT EXISTS (SELECT FROM attention a WHERE a.thing = i.id) OR EXISTS (SELECT FROM entries e
           JOIN line_matches d ON d.entry_id = e.id AND d.pass = 'differs' WHERE e.transfer_id = t.id))
         AND NOT EXISTS (SELECT FROM bill_receipts b
           WHERE b.space = i.space AND b.receipt = i.receipt AND b.outcome = 'suspended'))
       AND NOT EXISTS (SELECT FROM suspense_items taken WHERE taken.left_by = t.id)
       AND NOT (t.kind = 'sweep' AND EXISTS (SELECT FROM entries e JOIN line_matches m ON m.entry_id = e.id
         JOIN statement_lines o ON o.id = m.line_id
         WHERE e.transfer_id = t.id AND o.statement_id <> $1 AND NOT o.is_void))`,
    [id],
  );
  await postBack(
    db,
    rows.map((one) => one.id),
    agreed,
  );
  const done = await db.query('SELECT void_statement($1, $2) AS done', [id, agreed.proposalId]);
  if (!done.rows[0]) throw new BrokenInvariant('void_statement gave nothing');
  return done.rows[0].done ? { takenBack: rows.length } : null;
}
