import { BrokenInvariant } from '../domain/errors.ts';
import type { Direction } from '../domain/kinds.ts';
import { CURRENCY, type Minor } from '../domain/money.ts';
import type { Queryable } from '../platform/db/pool.ts';
import { prepared } from '../platform/db/prepared.ts';
import { codeOf } from './accounts.ts';
import { namesFrom, type Turn } from './transfer.ts';

/** Finds booked movements. Signed amounts are positive for money into our account at a network or bank. */

/**
 * Returns whether an entry of this signed amount reverses movement `of` or undoes its reversal. Null if the
 * amount differs, or if the movement would count twice or be reversed twice.
 */
export async function turnOf(db: Queryable, of: string, amount: Minor): Promise<Turn | null> {
  const { rows } = await db.query(
    `SELECT m.amount, sum(CASE WHEN e.takes_back THEN -1 ELSE 1 END)::int AS stands,
       max(e.id) FILTER (WHERE e.takes_back) AS undoes
     FROM movements m JOIN entries e ON e.movement_id = m.id WHERE m.id = $1
     GROUP BY m.id /* never null: stands */`,
    [of],
  );
  const [moved] = rows;
  if (moved?.stands === 0 && moved.amount === amount) return { of, takesBack: false, undoes: moved.undoes };
  if (moved?.stands === 1 && moved.amount === -amount) return { of, takesBack: true };
  return null;
}

/** SQL: the movement of name `c` has no receipt. */
export const UNNAMED = `NOT EXISTS (SELECT FROM movement_names r
     WHERE r.movement_id = c.movement_id AND r.is_receipt AND r.freed_at IS NULL)` as const;

/** A movement reported before. `item`: its item in suspense; null: it was never in suspense. */
export type Known = {
  id: string;
  transactionId: string | null;
  /** minor units, positive: incoming */
  amount: number;
  currency: string;
  item: { id: string; transferId: string; isOpen: boolean; isOfLine: boolean } | null;
  isBack: boolean;
  /** code of its ledger account */
  book: string;
};

/** SQL: finds movements with the name `one.told` over connection $2 and direction $4, by index. */
export const CALLED = `(SELECT movement_id, is_receipt FROM movement_names
    WHERE space = receipt_space($2) AND direction = $4 AND plain = plain_name(one.told) AND is_receipt
      AND freed_at IS NULL
    UNION ALL SELECT movement_id, false FROM movement_names
    WHERE space = receipt_space($2) AND direction = $4 AND plain = plain_name(one.told) AND NOT is_receipt
      AND freed_at IS NULL)` as const;

const BANK_NUMBERS = "hashtext('numbers of banks')" as const;

/** Operators may be typing a bank's number: its payments are booked after that, or before. */
export async function lockAgainstTyping(db: Queryable, { channel }: { channel: string }): Promise<void> {
  if (channel === 'bank') await db.query(`SELECT pg_advisory_xact_lock_shared(${BANK_NUMBERS})`);
}

/** For a bank's number that operators type. Lock the statements' accounts first. */
export async function lockTyping(db: Queryable): Promise<void> {
  await db.query(`SELECT pg_advisory_xact_lock(${BANK_NUMBERS})`);
}

type Asked = { channel: string; connection: string; receipt: string; direction: Direction };

/**
 * Finds the movement of this receipt in the number space of `connection`. A bank's receipt may also be one
 * that operators typed for a top-up or withdrawal. If none matches, finds a line's item with the money that
 * the argument `or` names:
 * 1. The only line with one of the numbers. A number in `alsoKnownAs` must be the line's receipt, if it has
 *    one.
 * 2. A line with this `controlNumber` and no receipt; if `hasReceipt` is false, any line whose item is open.
 */
export async function knownBy(
  db: Queryable,
  asked: Asked,
  or?: {
    amount: Minor | null;
    currency: string;
    alsoKnownAs?: readonly string[] | undefined;
    controlNumber?: string | null;
    hasReceipt?: boolean;
  },
): Promise<Known | null> {
  const { connection, receipt, direction } = asked;
  const amount = or?.amount ?? null;
  const { rows } = await db.query(
    prepared(`SELECT m.id, coalesce(m.transaction_id, i.transaction_id) AS "transactionId", m.amount,
       m.currency, i.id AS item,
       i.transfer_id AS "transferId", i.is_open AS "isOpen",
       m.told_by = 'line' AS "isOfLine", m.gives_back IS NOT NULL AS "isBack", a.code AS book
     FROM (SELECT movement_id, CASE WHEN space = receipt_space($2) THEN 1 ELSE 2 END AS rank
         FROM movement_names
         WHERE space IN (receipt_space($2), $3) AND direction = $4 AND plain = plain_name($1) AND is_receipt
           AND freed_at IS NULL
       UNION ALL SELECT min(p.id::text)::uuid, 3 FROM unnest($5::text[]) WITH ORDINALITY AS one (told, n)
         JOIN LATERAL ${CALLED} c ON one.n = 1 OR c.is_receipt OR ${UNNAMED}
         JOIN movements p ON p.id = c.movement_id
         WHERE p.told_by = 'line' AND p.amount = $6 AND p.currency = $7 HAVING count(DISTINCT p.id) = 1
       UNION ALL (SELECT c.movement_id, 4 FROM statement_lines l
         JOIN line_matches x ON x.line_id = l.id AND NOT x.is_freed JOIN entries c ON c.id = x.entry_id
         JOIN movements p ON p.id = c.movement_id JOIN suspense_items i ON i.transfer_id = c.transfer_id
         WHERE l.reference = $8 AND l.receipt IS NULL AND NOT l.is_void AND p.told_by = 'line'
           AND p.space = receipt_space($2) AND p.amount = $6 AND p.currency = $7 AND ${UNNAMED}
         ORDER BY i.is_open DESC, l.id LIMIT 1)
       UNION ALL (SELECT e.movement_id, 3 FROM suspense_items i JOIN transfers t ON t.id = i.transfer_id
         JOIN statement_lines l ON l.id = t.line_id JOIN entries e ON e.transfer_id = t.id
         WHERE $9 AND i.is_open AND i.space = receipt_space($2) AND i.amount = $6 AND i.currency = $7
           AND l.reference = $8 AND e.movement_id IS NOT NULL ORDER BY l.id LIMIT 1)) n
     JOIN movements m ON m.id = n.movement_id JOIN ledger_accounts a ON a.id = m.ledger_account_id
     LEFT JOIN LATERAL (SELECT s.* FROM entries e JOIN suspense_items s ON s.transfer_id = e.transfer_id
       WHERE e.movement_id = m.id AND NOT e.takes_back ORDER BY e.id LIMIT 1) i ON true
     WHERE n.rank < 3 OR i.id IS NOT NULL
     ORDER BY n.rank LIMIT 1 /* never null: id, amount, currency, book, isOfLine, isBack */`),
    [
      receipt,
      connection,
      typedSpace(asked),
      sideOf(direction),
      amount === null ? [] : [receipt, ...(or?.alsoKnownAs ?? [])],
      amount === null ? null : signed({ direction, amount }),
      or?.currency ?? null,
      amount === null ? null : (or?.controlNumber ?? null),
      or?.hasReceipt === false,
    ],
  );
  const [row] = rows;
  if (!row) return null;
  const { item: id, transferId, isOpen, isOfLine, ...known } = row;
  if (id === null || transferId === null) return { ...known, item: null };
  // If its statement was voided meanwhile, look again.
  if (isOpen && isOfLine && !(await lockOpen(db, id))) return knownBy(db, asked, or);
  return { ...known, item: { id, transferId, isOpen: isOpen === true, isOfLine } };
}

/**
 * Finds the receipt that a person may mean with `receipt`: separators make no difference. It serves only to
 * refuse what was typed.
 */
export async function receiptLike(
  db: Queryable,
  { channel, connection, receipt, direction }: Asked,
): Promise<string | null> {
  const { rows } = await db.query(
    `SELECT name FROM movement_names
     WHERE plain_reference(name) = plain_reference($1) AND space IN (receipt_space($2), $3)
       AND direction = $4 AND is_receipt AND freed_at IS NULL LIMIT 1`,
    [receipt, connection, typedSpace({ channel, connection }), sideOf(direction)],
  );
  return rows[0]?.name ?? null;
}

/** The space of the receipts that operators type for this channel. */
const typedSpace = ({ channel, connection }: Pick<Asked, 'channel' | 'connection'>) =>
  channel === 'bank' ? codeOf({ kind: 'settlement' }, CURRENCY) : connection;

const sideOf = (direction: Direction) => (direction === 'collection' ? 'in' : 'out');

/** Keeps an open item open, with its amount, until the caller's transaction ends. */
export async function lockOpen(db: Queryable, item: string): Promise<boolean> {
  const { rowCount } = await db.query(
    'SELECT FROM suspense_items WHERE id = $1 AND left_by IS NULL FOR NO KEY UPDATE',
    [item],
  );
  return rowCount === 1;
}

/** True for an open item of this signed amount that belongs to no other transaction. */
export function isOpenFor(
  known: Known,
  of: { transactionId: string | null; amount: number; currency: string },
): known is Known & { item: NonNullable<Known['item']> } {
  const isFree = known.transactionId === null || known.transactionId === of.transactionId;
  return (
    known.item?.isOpen === true && isFree && known.amount === of.amount && known.currency === of.currency
  );
}

type Money = { direction: Direction; amount: Minor; currency: string };
const signed = ({ direction, amount }: Pick<Money, 'direction' | 'amount'>) =>
  direction === 'collection' ? amount : -amount;

/** Finds an item of this money that has `receipt` only as a pointer. */
export async function pointedBy(
  db: Queryable,
  { connection, receipt, ...money }: Money & { connection: string; receipt: string },
): Promise<string | null> {
  const { rows } = await db.query(
    `SELECT i.id FROM movement_names n JOIN movements m ON m.id = n.movement_id
     JOIN entries e ON e.movement_id = m.id AND NOT e.takes_back
     JOIN suspense_items i ON i.transfer_id = e.transfer_id
     WHERE n.space = receipt_space($1) AND n.plain = plain_name($2) AND NOT n.is_receipt
       AND n.freed_at IS NULL
       AND m.amount = $3 AND m.currency = $4 AND NOT i.is_void LIMIT 1 FOR NO KEY UPDATE OF i`,
    [connection, receipt, signed(money), money.currency],
  );
  return rows[0]?.id ?? null;
}

/**
 * Finds the item of a transaction's money that has our reference and no receipt. `isNumberedAnew`: lines may
 * have given it another one. Ignores items that the transaction took: a later report is another movement.
 */
export async function unnamedItemOf(
  db: Queryable,
  { transactionId, isNumberedAnew, ...money }: Money & { transactionId: string; isNumberedAnew: boolean },
): Promise<{ id: string; item: string; isOfLine: boolean } | null> {
  const { rows } = await db.query(
    `SELECT m.id, i.id AS item, m.told_by = 'line' AS "isOfLine"
     FROM suspense_items i JOIN entries e ON e.transfer_id = i.transfer_id
     JOIN movements m ON m.id = e.movement_id
     WHERE (i.transaction_id = $1 OR i.receipt = (SELECT t.reference FROM transactions t WHERE t.id = $1))
       AND NOT i.is_void AND m.amount = $2 AND m.currency = $3 AND m.kind = 'itself' AND NOT e.takes_back
       AND NOT EXISTS (SELECT FROM transfers v
         WHERE v.id = i.left_by AND v.kind IN ('collection', 'payout', 'payback_paid')
           AND v.proposal_id IS NULL)
       AND NOT EXISTS (SELECT FROM movement_names n
         WHERE n.movement_id = m.id AND n.is_receipt AND n.freed_at IS NULL
           AND NOT ($4 AND n.line_id IS NOT NULL))
     ORDER BY m.told_by <> 'line' LIMIT 1 FOR NO KEY UPDATE OF i /* never null: isOfLine */`,
    [transactionId, signed(money), money.currency, isNumberedAnew],
  );
  return rows[0] ?? null;
}

/** Finds the item of a line that showed a transaction's money going back, if only one matches. */
export async function backItemOf(
  db: Queryable,
  { transactionId, ...money }: Money & { transactionId: string },
): Promise<{ id: string; isOpen: boolean } | null> {
  const { rows } = await db.query(
    `SELECT i.id, i.is_open FROM (
       SELECT id FROM suspense_items WHERE transaction_id = $1
       UNION SELECT s.id FROM movements given JOIN movements back ON back.gives_back = given.id
         JOIN entries e ON e.movement_id = back.id
         JOIN suspense_items s ON s.transfer_id = e.transfer_id WHERE given.transaction_id = $1) its
     JOIN suspense_items i ON i.id = its.id JOIN entries e ON e.transfer_id = i.transfer_id
     JOIN movements m ON m.id = e.movement_id
     WHERE m.amount = $2 AND m.currency = $3 AND m.told_by = 'line' AND NOT e.takes_back
       AND NOT i.is_void
       AND NOT EXISTS (SELECT FROM transfers r WHERE r.id = i.left_by AND r.kind = 'reversal')
     LIMIT 2 FOR NO KEY UPDATE OF i /* never null: id */`,
    [transactionId, signed(money), money.currency],
  );
  const [item] = rows;
  return item && rows.length === 1 ? { id: item.id, isOpen: item.is_open === true } : null;
}

/**
 * Finds the transaction's movement of this signed amount; for a push from a page, its payment's movement.
 * Ignores voided and returned movements. Prefers a booked movement over one in suspense, then the latest.
 */
export async function movementOf(
  db: Queryable,
  {
    transactionId,
    channel,
    amount,
    currency,
  }: { transactionId: string; channel: string; amount: Minor; currency: string },
): Promise<string | null> {
  const { rows } = await db.query(
    `SELECT id FROM (
       SELECT m.* FROM movements m WHERE m.transaction_id = $1
       UNION ALL SELECT m.* FROM bill_receipts b
       JOIN movements m ON m.transaction_id = b.transaction_id AND m.part = b.number WHERE b.prompt_id = $1
       UNION ALL SELECT m.* FROM bill_receipts b
         JOIN suspense_items i ON i.space = b.space AND i.receipt = b.receipt AND NOT i.is_void
         JOIN entries e ON e.transfer_id = i.transfer_id JOIN movements m ON m.id = e.movement_id
         WHERE b.prompt_id = $1) its
     WHERE kind = 'itself' AND amount = $2 AND currency = $3
       AND ledger_account_id = (SELECT a.id FROM ledger_accounts a WHERE a.code = $4)
       AND NOT EXISTS (SELECT FROM movements back WHERE back.gives_back = its.id)
       AND NOT EXISTS (SELECT FROM entries e JOIN transfers t ON t.id = e.transfer_id
         WHERE e.movement_id = its.id AND t.kind = 'void')
     ORDER BY EXISTS (SELECT FROM entries e JOIN suspense_items i ON i.transfer_id = e.transfer_id
         LEFT JOIN transfers w ON w.id = i.left_by
         WHERE e.id = (SELECT min(f.id) FROM entries f WHERE f.movement_id = its.id)
           AND coalesce(w.kind, '') NOT IN ('collection', 'payout', 'payback_paid')),
       created_at DESC, id LIMIT 1 /* never null: id */`,
    [transactionId, amount, currency, codeOf({ kind: 'clearing', channel }, currency)],
  );
  return rows[0]?.id ?? null;
}

/**
 * A movement was reversed into this item. `isAgreed`: operators corrected it; else its channel reported a
 * failure. `shown`: the line that shows the money coming back.
 */
export type TakenBack = {
  id: string;
  receipt: string;
  isAgreed: boolean;
  shown: { receipt: string | null } | null;
};

export async function takenBackBy(db: Queryable, movement: string): Promise<TakenBack | null> {
  const { rows } = await db.query(
    `SELECT i.id, i.receipt, t.proposal_id IS NOT NULL AS "isAgreed", l.id AS line, l.receipt AS shown
     FROM entries e JOIN transfers t ON t.id = e.transfer_id
     JOIN suspense_items i ON i.transfer_id = e.transfer_id
     LEFT JOIN line_matches x ON x.entry_id = e.id AND NOT x.is_freed
     LEFT JOIN statement_lines l ON l.id = x.line_id
     WHERE e.movement_id = $1 AND e.takes_back
       AND (SELECT sum(CASE WHEN f.takes_back THEN -1 ELSE 1 END) FROM entries f WHERE f.movement_id = $1) = 0
     ORDER BY e.id DESC LIMIT 1 /* never null: isAgreed */`,
    [movement],
  );
  const [row] = rows;
  if (!row) return null;
  const { line, shown, ...item } = row;
  return { ...item, shown: line === null ? null : { receipt: shown } };
}

export async function isShown(db: Queryable, movement: string): Promise<boolean> {
  const { rowCount } = await db.query(
    `SELECT FROM entries e JOIN line_matches x ON x.entry_id = e.id AND NOT x.is_freed
     JOIN statement_lines l ON l.id = x.line_id
     WHERE e.movement_id = $1 AND NOT e.takes_back AND NOT l.is_void LIMIT 1`,
    [movement],
  );
  return rowCount === 1;
}

export async function movementOfEntry(db: Queryable, entry: number): Promise<string> {
  const { rows } = await db.query('SELECT movement_id AS id FROM entries WHERE id = $1', [entry]);
  const id = rows[0]?.id ?? null;
  if (id === null) throw new BrokenInvariant(`entry ${entry} is of no movement`);
  return id;
}

export async function movementOfItem(
  db: Queryable,
  item: string,
): Promise<{ id: string; connection: string | null } | null> {
  const { rows } = await db.query(
    `SELECT m.id, m.connection FROM suspense_items i JOIN entries e ON e.transfer_id = i.transfer_id
     JOIN movements m ON m.id = e.movement_id
     WHERE i.id = $1`,
    [item],
  );
  return rows[0] ?? null;
}

/** `line` shows the name; null: a channel reported it. `isReceipt`: true by default. */
export type ToldName = { movement: string; name: string; line: number | null; isReceipt?: boolean };

export const toldNames = (
  movement: string,
  told: { channelReference: string | null; alsoKnownAs?: readonly string[] | undefined },
): ToldName[] =>
  namesFrom(told.channelReference, told.alsoKnownAs).map((name) => ({ movement, line: null, ...name }));

/** Adds names reported later. A receipt of another movement becomes only a pointer. Idempotent. */
export async function addNames(db: Queryable, names: readonly ToldName[]): Promise<void> {
  if (names.length === 0) return;
  await db.query(
    `WITH told AS (
       SELECT m.id, m.space, m.direction, n.name, n.line_id, n.is_receipt
       FROM unnest($1::uuid[], $2::text[], $3::bigint[], $4::boolean[]) AS n (movement_id, name,
         line_id, is_receipt)
       JOIN movements m ON m.id = n.movement_id
       WHERE NOT EXISTS (SELECT FROM movement_names o
         WHERE o.movement_id = m.id AND o.plain = plain_name(n.name)
         AND (o.is_receipt OR NOT n.is_receipt)
         AND (o.line_id IS NULL OR n.line_id IS NOT NULL OR m.told_by = 'line') AND o.freed_at IS NULL)),
     receipts AS (
       INSERT INTO movement_names (movement_id, space, direction, name, is_receipt, line_id)
       SELECT id, space, direction, name, true, line_id FROM told WHERE is_receipt
       ORDER BY space, direction, plain_name(name)
       ON CONFLICT DO NOTHING RETURNING movement_id, plain)
     INSERT INTO movement_names (movement_id, space, direction, name, is_receipt, line_id)
     SELECT id, space, direction, name, false, line_id FROM told
     WHERE NOT EXISTS (SELECT FROM receipts r
       WHERE r.movement_id = told.id AND r.plain = plain_name(told.name)) ON CONFLICT DO NOTHING`,
    [
      names.map(({ movement }) => movement),
      names.map(({ name }) => name),
      names.map(({ line }) => line),
      names.map(({ isReceipt = true }) => isReceipt),
    ],
  );
}
