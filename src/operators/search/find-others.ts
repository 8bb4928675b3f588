import { isUuid } from '../../domain/ids.ts';
import { CURRENCY, formatMoney, type Minor, minor } from '../../domain/money.ts';
import { parseMsisdn } from '../../domain/msisdn.ts';
import { type SuspenseItem, suspenseItemsOf } from '../../ledger/suspense.ts';
import type { Queryable, RowOf } from '../../platform/db/pool.ts';
import { besideOf } from '../../transactions/odd-money/suspense.ts';
import { batches } from './find-batches.ts';
import { inCapitals } from './find-sources.ts';
import { oddMoneySentence } from './odd-money.ts';

export type Others = { merchants: FoundMerchant[]; others: Other[] };

type FoundMerchant = { id: string; name: string; available: Minor; held: Minor };

type Other = {
  what: 'batch' | 'refused request' | 'payment of no bill' | 'money in suspense' | 'proposal' | 'callback';
  id: string;
  at: string;
  sentence: string;
};

const MERCHANTS_MAX = 5;
const OTHERS_MAX = 20;

export const lookedForBeside = [
  'name of a merchant',
  'id of an account',
  'id of a key',
  'id or number of a batch',
];

export async function findOthers(db: Queryable, text: string): Promise<Others> {
  const merchants = await merchantsOf(db, text);
  const others: Other[] = [];
  for (const look of [batches, refusedRequests, strangePayments, itemsWithoutOwner, proposals, pings])
    others.push(...(await look(db, text)));
  return { merchants, others: others.slice(0, OTHERS_MAX) };
}

/** Matches account id, key id, or words of the name: prefixes, in any order. */
async function merchantsOf(db: Queryable, text: string): Promise<FoundMerchant[]> {
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? [];
  const asked = words.map((word) => `${word}:*`).join(' & ');
  const { rows } = await db.query(
    `SELECT a.id, a.name, s.balance AS available, h.balance AS held FROM (
       (SELECT id FROM accounts WHERE to_tsvector('simple', name) @@ to_tsquery('simple', $1) LIMIT $5)
       UNION SELECT id FROM accounts WHERE id = $2
       UNION SELECT account_id FROM api_keys WHERE id = $3) found
     JOIN accounts a ON a.id = found.id
     LEFT JOIN ledger_accounts s ON s.code = 'available:' || a.id || ':' || $4
     LEFT JOIN ledger_accounts h ON h.code = 'held:' || a.id || ':' || $4
     ORDER BY a.name, a.id LIMIT $5 /* never null: id, name */`,
    [asked, isUuid(text) ? text : null, text, CURRENCY, MERCHANTS_MAX],
  );
  return rows.map(({ id, name, available, held }) => ({
    id,
    name,
    available: minor(available ?? 0),
    held: minor(held ?? 0),
  }));
}

/** For refusals stored under a key, no money was held, sent or taken. */
async function refusedRequests(db: Queryable, text: string): Promise<Other[]> {
  const { rows } = await db.query(
    `SELECT k.*, a.name FROM accounts a CROSS JOIN LATERAL (
       SELECT transaction_id, operation, refused, created_at FROM idempotency_keys
       WHERE account_id = a.id AND key = $1
       UNION SELECT transaction_id, operation, refused, created_at FROM idempotency_keys
       WHERE transaction_id = $2 AND account_id = a.id) k
     WHERE NOT EXISTS (SELECT 1 FROM transactions t WHERE t.id = k.transaction_id) LIMIT $3
       /* never null: transaction_id, operation, created_at, name */`,
    [text, isUuid(text) ? text : null, OTHERS_MAX],
  );
  return rows.map((row) => ({
    what: 'refused request',
    id: row.transaction_id,
    at: row.created_at,
    sentence:
      `${row.name}'s ${row.operation} was refused (${row.refused ?? 'without a code'}): ` +
      'nothing was held, sent or taken. A new attempt needs a new Idempotency-Key',
  }));
}

const STRANGE_PAYMENTS = `SELECT r.*, i.id AS item FROM (
       SELECT * FROM bill_receipts WHERE transaction_id IS NULL AND control_number = $1
       UNION SELECT * FROM bill_receipts WHERE transaction_id IS NULL AND receipt = ANY($2)
       UNION SELECT * FROM bill_receipts WHERE transaction_id IS NULL AND receipt ^@ ANY($5)
       UNION SELECT * FROM bill_receipts WHERE transaction_id IS NULL AND msisdn = $3) r
     LEFT JOIN LATERAL (SELECT id FROM items_called(r.space, r.receipt) AS its (id) LIMIT 1) i ON true
     ORDER BY r.received_at DESC LIMIT $4 /* never null: amount, received_at */`;

async function strangePayments(db: Queryable, text: string): Promise<Other[]> {
  const { rows } = await db.query(STRANGE_PAYMENTS, [
    text.replace(/[ -]/g, ''),
    inCapitals(text),
    parseMsisdn(text),
    OTHERS_MAX,
    inCapitals(text).map(besideOf),
  ]);
  const ids = rows.flatMap(({ item }) => item ?? []);
  const items = await suspenseItemsOf(db, { transactionIds: [], ids });
  return rows.map((row) => ({
    what: 'payment of no bill',
    id: `${row.connection}:${row.receipt}`,
    at: row.received_at,
    sentence: strangeSentence(
      row,
      items.find(({ id }) => id === row.item),
    ),
  }));
}

function strangeSentence(row: RowOf<typeof STRANGE_PAYMENTS>, item: SuspenseItem | undefined): string {
  const sum = row.amount === 0 ? 'an unreadable amount' : `${formatMoney(minor(row.amount))} ${row.currency}`;
  const why =
    row.reason === 'receipt_of_another'
      ? 'under the receipt of another payment'
      : `which belongs to no bill (${row.reason})`;
  const paid = `${sum} for control number ${row.control_number}, ${why}`;
  if (row.outcome === 'refused') return `Refused: ${paid}. The network gave the money back to the customer`;
  return (
    `Taken: ${paid}. ` +
    `${item === undefined ? 'It was counted before, under the same receipt' : oddMoneySentence(item)}`
  );
}

async function itemsWithoutOwner(db: Queryable, text: string): Promise<Other[]> {
  const { rows } = await db.query(
    `SELECT id FROM (
       SELECT * FROM suspense_items WHERE id = $1 UNION SELECT * FROM suspense_items
       WHERE receipt = ANY($2) AND NOT is_void
       UNION SELECT i.* FROM movement_names n JOIN entries e ON e.movement_id = n.movement_id
         JOIN suspense_items i ON i.transfer_id = e.transfer_id
         WHERE n.plain = ANY($2) AND n.freed_at IS NULL) its
       WHERE transaction_id IS NULL LIMIT $3 /* never null: id */`,
    [text, inCapitals(text), OTHERS_MAX],
  );
  const items = await suspenseItemsOf(db, { transactionIds: [], ids: rows.map(({ id }) => id) });
  return items.map((item) => ({
    what: 'money in suspense',
    id: item.id,
    at: item.createdAt,
    sentence: oddMoneySentence(item),
  }));
}

async function proposals(db: Queryable, text: string): Promise<Other[]> {
  const { rows } = await db.query(
    `SELECT id, action, state, proposed_by, decided_by, proposed_at, reason FROM proposals WHERE id = $1`,
    [text],
  );
  return rows.map((row) => ({
    what: 'proposal',
    id: row.id,
    at: row.proposed_at,
    sentence:
      `${row.action} is ${row.state}, proposed by ` +
      `${row.proposed_by}${row.decided_by === null ? '' : `, decided by ${row.decided_by}`}: ${row.reason}`,
  }));
}

async function pings(db: Queryable, text: string): Promise<Other[]> {
  const { rows } = await db.query(
    `SELECT id, event, state, api_key_id, created_at FROM callback_events
     WHERE id = $1 AND transaction_id IS NULL`,
    [text],
  );
  return rows.map((row) => ({
    what: 'callback',
    id: row.id,
    at: row.created_at,
    sentence:
      `${row.event} to the callback URL of the key ${row.api_key_id}: ${row.state}. ` +
      'No money depends on it',
  }));
}
