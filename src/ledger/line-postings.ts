import { BrokenInvariant } from '../domain/errors.ts';
import { type Minor, minor } from '../domain/money.ts';
import type { Queryable } from '../platform/db/pool.ts';
import { only } from '../platform/db/rows.ts';

/** One line of a statement, booked by a rule: against `charges`, another account of ours, or suspense. */
export type LinePosting = {
  transferId: string;
  kind: 'charge' | 'sweep' | 'suspense';
  dedupeKey: string;
  transactionId: string | null;
  reference: string | null;
  note: string;
  /** the codes of the ledger account that the statement proves, and of the other side */
  book: string;
  other: string;
  /** + into their account */
  amount: Minor;
};

/** What a posting wrote on each side: `amount` as a statement shows it. */
export type PostedEntry = { transferId: string; entryId: number; code: string; amount: Minor };

/**
 * Posts what a statement brings, thousands of transfers in one statement; none touches a merchant's account. Throws where
 * one was posted before: then nothing of it is. Inside the caller's transaction.
 */
export async function postLines(db: Queryable, postings: readonly LinePosting[]): Promise<PostedEntry[]> {
  if (postings.length === 0) return [];
  const { rows } = await db.query(
    `WITH asked AS (
       SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::uuid[], $5::text[], $6::text[], $7::text[], $8::text[], $9::bigint[])
         AS one (id, kind, dedupe_key, transaction_id, reference, note, book, other, amount)),
     posted AS (
       INSERT INTO transfers (id, kind, dedupe_key, transaction_id, reference, note)
       SELECT id, kind, dedupe_key, transaction_id, reference, note FROM asked RETURNING id),
     sides AS (
       SELECT id, book AS code, -amount AS amount FROM asked UNION ALL SELECT id, other, amount FROM asked),
     written AS (
       INSERT INTO entries (transfer_id, ledger_account_id, amount)
       SELECT posted.id, a.id, s.amount FROM posted JOIN sides s USING (id) JOIN ledger_accounts a ON a.code = s.code
       RETURNING id, transfer_id, ledger_account_id, amount)
     SELECT w.id AS "entryId", w.transfer_id AS "transferId", a.code, -w.amount AS amount
     FROM written w JOIN ledger_accounts a ON a.id = w.ledger_account_id`,
    [
      postings.map((one) => one.transferId),
      postings.map((one) => one.kind),
      postings.map((one) => one.dedupeKey),
      postings.map((one) => one.transactionId),
      postings.map((one) => one.reference),
      postings.map((one) => one.note),
      postings.map((one) => one.book),
      postings.map((one) => one.other),
      postings.map((one) => minor(one.amount)),
    ],
  );
  if (rows.length !== 2 * postings.length)
    throw new BrokenInvariant('a line of a statement is booked on a ledger account that does not exist');
  return rows as PostedEntry[];
}

export type LineItem = {
  transferId: string;
  channel: string;
  connection: string;
  receipt: string;
  transactionId: string | null;
  amount: Minor;
  currency: string;
  detail: string;
};

/** The items of what goes to suspense; their transfers come after them. Throws where a name is taken: nothing is dropped. */
export async function insertLineItems(db: Queryable, items: readonly LineItem[]): Promise<void> {
  if (items.length === 0) return;
  await db.query(
    `INSERT INTO suspense_items (channel, space, receipt, transaction_id, amount, currency, detail, transfer_id)
     SELECT channel, receipt_space(connection), receipt, transaction_id, amount, currency, detail, transfer
     FROM unnest($1::text[], $2::text[], $3::text[], $4::uuid[], $5::bigint[], $6::text[], $7::text[], $8::uuid[])
       AS one (channel, connection, receipt, transaction_id, amount, currency, detail, transfer)`,
    [
      items.map((one) => one.channel),
      items.map((one) => one.connection),
      items.map((one) => one.receipt),
      items.map((one) => one.transactionId),
      items.map((one) => minor(one.amount)),
      items.map((one) => one.currency),
      items.map((one) => one.detail),
      items.map((one) => one.transferId),
    ],
  );
}

/**
 * Takes back what `postLines` booked, each by a transfer that is its opposite; an item of it leaves suspense by that. On the
 * accounts of their statements both count at one time, so that they make up for each other at every moment. Throws where an item
 * has left, or one was taken back before. Inside the caller's transaction.
 */
export async function postBack(
  db: Queryable,
  transferIds: readonly string[],
  agreed: { proposalId: string; note: string },
): Promise<void> {
  const { rows } = await db.query(
    `WITH undone AS MATERIALIZED (
       SELECT t.id, gen_random_uuid() AS back, t.transaction_id, t.reference, i.id AS item
       FROM transfers t LEFT JOIN suspense_items i ON i.transfer_id = t.id WHERE t.id = ANY($1::uuid[])),
     posted AS (
       INSERT INTO transfers (id, kind, dedupe_key, transaction_id, reference, note, proposal_id)
       SELECT back, 'void', 'void:' || id, transaction_id, reference, $2, $3 FROM undone RETURNING id),
     written AS (
       INSERT INTO entries (transfer_id, ledger_account_id, amount)
       SELECT u.back, e.ledger_account_id, -e.amount FROM undone u JOIN posted p ON p.id = u.back JOIN entries e ON e.transfer_id = u.id
       RETURNING id, transfer_id, ledger_account_id, amount),
     owned AS (
       INSERT INTO entry_accounts (entry_id, account, at)
       SELECT w.id, o.account, o.at FROM written w JOIN undone u ON u.back = w.transfer_id
       JOIN entries e ON e.transfer_id = u.id AND e.ledger_account_id = w.ledger_account_id AND e.amount = -w.amount
       JOIN entry_accounts o ON o.entry_id = e.id),
     gone AS (
       UPDATE suspense_items i SET left_by = u.back FROM undone u WHERE i.id = u.item AND i.left_by IS NULL RETURNING i.id)
     SELECT (SELECT count(*) FROM undone WHERE item IS NOT NULL)::int AS items, (SELECT count(*) FROM gone)::int AS gone /* never null: items, gone */`,
    [transferIds, agreed.note, agreed.proposalId],
  );
  const { items, gone } = only(rows);
  if (items !== gone) throw new BrokenInvariant('an item left suspense while its statement was made void');
}

/** Items under names of ours that lines named: from now on each counts under the channel's number, too, where that is free. */
export async function nameItems(
  db: Queryable,
  named: readonly { item: string; receipt: string; line: number }[],
): Promise<void> {
  if (named.length === 0) return;
  await db.query(
    `UPDATE suspense_items i SET known_as = n.receipt, named_in = n.line FROM unnest($1::text[], $2::text[], $3::bigint[]) AS n (item, receipt, line)
     WHERE i.id = n.item AND i.known_as IS NULL AND i.receipt <> n.receipt
       AND NOT EXISTS (SELECT FROM suspense_items o WHERE o.space = i.space AND n.receipt IN (o.receipt, o.known_as))
       AND NOT EXISTS (SELECT FROM bill_receipts b WHERE b.space = i.space AND b.receipt = n.receipt AND b.outcome = 'accepted')`,
    [named.map(({ item }) => item), named.map(({ receipt }) => receipt), named.map(({ line }) => line)],
  );
}

/** Once: false when it has left before, whichever way. The transfer is posted after this. */
export async function leaveSuspense(db: Queryable, item: string, transferId: string): Promise<boolean> {
  const { rowCount } = await db.query(
    'UPDATE suspense_items SET left_by = $2 WHERE id = $1 AND left_by IS NULL',
    [item, transferId],
  );
  return rowCount === 1;
}

/**
 * An item of a statement's line is the money of a transaction that succeeds after its line: it leaves by the transfer that ends
 * the transaction, which is posted after this. Throws where it has left since it was looked at: the caller rolls back.
 */
export async function takeItem(db: Queryable, item: string, transferId: string): Promise<void> {
  if (!(await leaveSuspense(db, item, transferId)))
    throw new BrokenInvariant(`the item ${item} left suspense while its transaction ended`);
}
