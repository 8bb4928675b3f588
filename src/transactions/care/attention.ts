import { describeError } from '../../base/redact.ts';
import { type AttentionReason, attentionReasons } from '../../domain/attention.ts';
import type { Minor } from '../../domain/money.ts';
import { type Listed, type Page, readPage } from '../../platform/db/listing.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { prepared } from '../../platform/db/prepared.ts';
import { DEFAULT, insert, NOW, update } from '../../platform/db/write.ts';

export const SCHEMA = 'schema';

/** A transaction, or a name (an unknown bill's money, a callback address). */
export type AttentionSubject = { transactionId: string } | { subject: string };

/** Opens an entry. A subject has at most one open entry per reason and `thing`. */
export async function raiseAttention(
  db: Queryable,
  entry: AttentionSubject & { reason: AttentionReason; detail: string; thing?: string },
): Promise<void> {
  const isTransaction = 'transactionId' in entry;
  await insert(
    db,
    'attention',
    {
      transaction_id: isTransaction ? entry.transactionId : null,
      subject: isTransaction ? null : entry.subject,
      reason: entry.reason,
      detail: entry.detail,
      thing: entry.thing ?? '',
      raised_at: DEFAULT,
      resolved_at: null,
    },
    { onConflict: 'DO NOTHING' },
  );
}

/** Opens one entry for all payments that wait; `malipo migrate` closes it. */
export async function raiseSchemaBehind(db: Queryable, error: unknown): Promise<void> {
  await raiseAttention(db, { subject: SCHEMA, reason: 'schema', detail: describeError(error).message });
}

export type AttentionEntry = {
  subject: string;
  reason: AttentionReason;
  detail: string;
  raisedAt: string;
  ageDays: number;
};

const OPEN_ENTRIES = `
  SELECT coalesce(a.transaction_id::text, a.subject) AS subject, a.reason, a.detail,
    a.raised_at AS "raisedAt",
    extract(day FROM now() - a.raised_at)::int AS "ageDays" /* never null: subject, ageDays */
  FROM attention a WHERE a.resolved_at IS NULL`;

const OF_REASON = `${OPEN_ENTRIES} AND ($1::text IS NULL OR a.reason = $1)` as const;

const OLDEST_FIRST = 'a.raised_at, a.id';

export async function pageOfAttention(
  db: Queryable,
  { reason = null, ...page }: Page & { reason?: AttentionReason | null },
): Promise<Listed<AttentionEntry>> {
  const listed = await readPage(db, { text: OF_REASON, values: [reason], order: OLDEST_FIRST }, page);
  return listed as Listed<AttentionEntry>;
}

export async function attentionOf(
  db: Queryable,
  transactionIds: readonly string[],
): Promise<AttentionEntry[]> {
  const { rows } = await db.query(
    `${OPEN_ENTRIES} AND a.transaction_id = ANY($1::uuid[]) ORDER BY ${OLDEST_FIRST}`,
    [transactionIds],
  );
  return rows as AttentionEntry[];
}

/** The Temporal UI shows entries without their detail, because outsiders can influence its text. */
export type ShownEntry = {
  id: number;
  reason: AttentionReason;
  raisedAt: string;
  transactionId: string | null;
  /** null without a transaction, or if the service owns it */
  accountId: string | null;
  channel: string | null;
  /** null without a transaction, or if the customer chooses it */
  amount: Minor | null;
};

export async function entriesToShow(db: Queryable, limit: number): Promise<ShownEntry[]> {
  const { rows } = await db.query(
    `SELECT a.id, a.reason, a.raised_at AS "raisedAt", a.transaction_id AS "transactionId",
       t.account_id AS "accountId", t.channel, t.amount
     FROM attention a LEFT JOIN transactions t ON t.id = a.transaction_id
     WHERE a.resolved_at IS NULL ORDER BY a.raised_at, a.id LIMIT $1`,
    [limit],
  );
  return rows as ShownEntry[];
}

export async function countAttention(
  db: Queryable,
): Promise<{ reason: AttentionReason; open: number; oldestSeconds: number }[]> {
  const { rows } = await db.query(
    `SELECT reason, count(*)::int AS open, extract(epoch FROM now() - min(raised_at))::float8 AS oldest
     FROM attention WHERE resolved_at IS NULL GROUP BY reason`,
  );
  const found = new Map(rows.map((row) => [row.reason, row]));
  return attentionReasons.map((reason) => ({
    reason,
    open: found.get(reason)?.open ?? 0,
    oldestSeconds: found.get(reason)?.oldest ?? 0,
  }));
}

export async function resolveAttention(
  db: Queryable,
  transactionId: string,
  reasons: AttentionReason[],
): Promise<void> {
  await db.query(
    prepared(`UPDATE attention SET resolved_at = now()
     WHERE transaction_id = $1 AND resolved_at IS NULL AND reason = ANY($2)`),
    [transactionId, reasons],
  );
}

type Thing = { subject: string; thing: string; reason: AttentionReason };

export async function resolveThing(db: Queryable, { subject, thing, reason }: Thing): Promise<void> {
  await update(db, 'attention', { resolved_at: NOW }, { subject, thing, reason, resolved_at: null });
}

/** Includes subjects whose entry is closed. */
export async function subjectsWith(
  db: Queryable,
  { thing, reason }: Omit<Thing, 'subject'>,
): Promise<Set<string>> {
  const { rows } = await db.query('SELECT subject FROM attention WHERE thing = $1 AND reason = $2', [
    thing,
    reason,
  ]);
  return new Set(rows.flatMap(({ subject }) => subject ?? []));
}

/** Draws at random, so permanently stuck transactions do not crowd out the others. */
export async function someStuck(db: Queryable, limit: number): Promise<string[]> {
  const { rows } = await db.query(
    `SELECT coalesce(transaction_id::text, subject) AS subject FROM attention
     WHERE reason = 'stuck' AND resolved_at IS NULL ORDER BY random() LIMIT $1 /* never null: subject */`,
    [limit],
  );
  return rows.map((row) => row.subject);
}

export async function resolveStuck(db: Queryable, subject: string): Promise<void> {
  await db.query(
    `UPDATE attention SET resolved_at = now()
     WHERE coalesce(transaction_id::text, subject) = $1 AND resolved_at IS NULL AND reason = 'stuck'`,
    [subject],
  );
}

/** Closes a subject's entries, except those about money in suspense or on its way back. */
export async function resolveSubject(
  db: Queryable,
  subject: string,
): Promise<{ closed: number; kept: number }> {
  const { rows } = await db.query(
    `WITH entry AS (SELECT id, is_unresolved(thing) AS kept FROM attention
       WHERE coalesce(transaction_id::text, subject) = $1 AND resolved_at IS NULL),
     closed AS (UPDATE attention a SET resolved_at = now() FROM entry WHERE a.id = entry.id AND NOT kept)
     SELECT count(*) FILTER (WHERE NOT kept)::int AS closed, count(*) FILTER (WHERE kept)::int AS kept
     FROM entry`,
    [subject],
  );
  return rows[0] as { closed: number; kept: number };
}

/** Closes an item's entries of these reasons, unless its money is unresolved. */
export async function resolveItem(db: Queryable, item: string, reasons: AttentionReason[]): Promise<void> {
  await db.query(
    `UPDATE attention SET resolved_at = now()
     WHERE thing = $1 AND resolved_at IS NULL AND reason = ANY($2) AND NOT is_unresolved(thing)`,
    [item, reasons],
  );
}
