import { BrokenInvariant } from '../domain/errors.ts';
import type { Minor } from '../domain/money.ts';
import type { Queryable } from '../platform/db/pool.ts';
import { codeOf } from './accounts.ts';
import type { Turn } from './transfer.ts';

/** Movements that are booked: which one something is about, what an entry may say of it, and further names. */

/**
 * What an entry of this amount (+ into their account) says of a movement: that it did not happen, or that it did after all. Null
 * where it would count twice, or less than nothing, or be another amount.
 */
export async function turnOf(db: Queryable, of: string, amount: Minor): Promise<Turn | null> {
  const { rows } = await db.query(
    `SELECT m.amount, (SELECT sum(CASE WHEN e.takes_back THEN -1 ELSE 1 END) FROM entries e WHERE e.movement_id = m.id)::int AS stands
     FROM movements m WHERE m.id = $1 /* never null: stands */`,
    [of],
  );
  const [moved] = rows;
  if (moved?.stands === 0 && moved.amount === amount) return { of, takesBack: false };
  if (moved?.stands === 1 && moved.amount === -amount) return { of, takesBack: true };
  return null;
}

type Asked = { transactionId: string; channel: string; amount: Minor; currency: string };

/**
 * The movement of this amount (+ into their account) that a transaction is at its channel, or the payment that its push of a page
 * is: the last one, of those that were not made void and not given back.
 */
export async function movementOf(
  db: Queryable,
  { transactionId, channel, amount, currency }: Asked,
): Promise<string | null> {
  const { rows } = await db.query(
    `SELECT id FROM (
       SELECT m.* FROM movements m WHERE m.transaction_id = $1
       UNION ALL SELECT m.* FROM bill_receipts b JOIN movements m ON m.transaction_id = b.transaction_id AND m.part = b.number WHERE b.prompt_id = $1
       UNION ALL SELECT m.* FROM bill_receipts b JOIN suspense_items i ON i.space = b.space AND i.receipt = b.receipt
         JOIN entries e ON e.transfer_id = i.transfer_id JOIN movements m ON m.id = e.movement_id WHERE b.prompt_id = $1) its
     WHERE kind = 'itself' AND amount = $2 AND currency = $3 AND ledger_account_id = (SELECT a.id FROM ledger_accounts a WHERE a.code = $4)
       AND NOT EXISTS (SELECT FROM movements back WHERE back.gives_back = its.id)
       AND NOT EXISTS (SELECT FROM entries e JOIN transfers t ON t.id = e.transfer_id WHERE e.movement_id = its.id AND t.kind = 'void')
     ORDER BY created_at DESC, id LIMIT 1 /* never null: id */`,
    [transactionId, amount, currency, codeOf({ kind: 'clearing', channel }, currency)],
  );
  return rows[0]?.id ?? null;
}

/** The item by which a movement was taken back, where it stands for nothing. */
export async function takenBackBy(
  db: Queryable,
  movement: string,
): Promise<{ id: string; receipt: string } | null> {
  const { rows } = await db.query(
    `SELECT i.id, i.receipt FROM entries e JOIN suspense_items i ON i.transfer_id = e.transfer_id
     WHERE e.movement_id = $1 AND e.takes_back
       AND (SELECT sum(CASE WHEN f.takes_back THEN -1 ELSE 1 END) FROM entries f WHERE f.movement_id = $1) = 0
     ORDER BY e.id DESC LIMIT 1`,
    [movement],
  );
  return rows[0] ?? null;
}

export async function movementOfEntry(db: Queryable, entry: number): Promise<string> {
  const { rows } = await db.query('SELECT movement_id AS id FROM entries WHERE id = $1', [entry]);
  const id = rows[0]?.id ?? null;
  if (id === null) throw new BrokenInvariant(`entry ${entry} is of no movement`);
  return id;
}

/** The movement that an item in suspense is of, and the connection over which it moved. */
export async function movementOfItem(
  db: Queryable,
  item: string,
): Promise<{ id: string; connection: string | null } | null> {
  const { rows } = await db.query(
    `SELECT m.id, m.connection FROM suspense_items i JOIN entries e ON e.transfer_id = i.transfer_id JOIN movements m ON m.id = e.movement_id
     WHERE i.id = $1`,
    [item],
  );
  return rows[0] ?? null;
}

/** `line`: the line of a statement that says so; null: a channel does. */
export type ToldName = { movement: string; name: string; line: number | null };

/** Their numbers of movements, told later: a receipt, where no other movement has it. Run twice it changes nothing. */
export async function addNames(db: Queryable, names: readonly ToldName[]): Promise<void> {
  if (names.length === 0) return;
  await db.query(
    `WITH told AS (
       SELECT m.id, m.space, m.direction, n.name, n.line_id FROM unnest($1::uuid[], $2::text[], $3::bigint[]) AS n (movement_id, name, line_id)
       JOIN movements m ON m.id = n.movement_id
       WHERE NOT EXISTS (SELECT FROM movement_names o WHERE o.movement_id = m.id AND o.plain = plain_name(n.name) AND o.freed_at IS NULL)),
     receipts AS (
       INSERT INTO movement_names (movement_id, space, direction, name, is_receipt, line_id)
       SELECT id, space, direction, name, true, line_id FROM told ORDER BY space, direction, plain_name(name)
       ON CONFLICT DO NOTHING RETURNING movement_id, plain)
     INSERT INTO movement_names (movement_id, space, direction, name, is_receipt, line_id)
     SELECT id, space, direction, name, false, line_id FROM told
     WHERE NOT EXISTS (SELECT FROM receipts r WHERE r.movement_id = told.id AND r.plain = plain_name(told.name)) ON CONFLICT DO NOTHING`,
    [names.map(({ movement }) => movement), names.map(({ name }) => name), names.map(({ line }) => line)],
  );
}
