import { parseAccountNumber } from '../../domain/bank.ts';
import { isEventId, isUuid } from '../../domain/ids.ts';
import { parseMsisdn } from '../../domain/msisdn.ts';

export type Source = {
  what: string;
  /** null if the text cannot be of this kind */
  read(text: string): string | string[] | null;
  /** ids of transactions; $1: the result of `read`, $2: the limit */
  ids: string;
};

/** Every index begins with the merchant. One look per merchant (thousands) needs no other index. */
function perAccount(from: string, { id = 'id', order }: { id?: string; order?: string } = {}): string {
  const newest = order === undefined ? '' : `ORDER BY ${order} DESC`;
  return `SELECT found.id FROM accounts a CROSS JOIN LATERAL (
    SELECT ${id} AS id FROM ${from} ${newest} LIMIT $2) found LIMIT $2`;
}

/** Also finds paybacks, which have no merchant in the index. */
function perOwner(condition: string, options: { order?: string } = {}): string {
  const newest = options.order === undefined ? '' : `ORDER BY ${options.order} DESC`;
  return `(${perAccount(`transactions WHERE account_id = a.id AND ${condition}`, options)})
    UNION ALL (SELECT id FROM transactions WHERE account_id IS NULL AND ${condition} ${newest} LIMIT $2)`;
}

const asTyped = (text: string) => text;
/** People type references and receipts in lower case. */
export const inCapitals = (text: string) => [...new Set([text, text.toUpperCase()])];
const whenMatching = (pattern: RegExp) => (text: string) => (pattern.test(text) ? text : null);
const uuid = (text: string) => (isUuid(text) ? text.toLowerCase() : null);
const digits = (text: string) => {
  const joined = text.replace(/[ -]/g, '');
  return /^\d{4,20}$/.test(joined) ? joined : null;
};

export const sources: readonly Source[] = [
  { what: 'transaction id', read: uuid, ids: 'SELECT id FROM transactions WHERE id = $1::uuid LIMIT $2' },
  {
    what: 'refunded payment',
    read: uuid,
    ids: 'SELECT id FROM transactions WHERE refund_of = $1::uuid LIMIT $2',
  },
  {
    what: 'push of its page',
    read: uuid,
    ids: 'SELECT id FROM transactions WHERE pays = $1::uuid ORDER BY created_at DESC LIMIT $2',
  },
  {
    what: 'what the push pays',
    read: uuid,
    ids: 'SELECT pays AS id FROM transactions WHERE id = $1::uuid AND pays IS NOT NULL LIMIT $2',
  },
  {
    what: 'reference',
    read: inCapitals,
    ids: 'SELECT id FROM transactions WHERE reference = ANY($1::text[]) LIMIT $2',
  },
  { what: 'receipt', read: inCapitals, ids: perOwner('channel_reference = ANY($1::text[])') },
  {
    what: 'receipt of a payment',
    read: inCapitals,
    ids: 'SELECT transaction_id AS id FROM bill_receipts WHERE receipt = ANY($1::text[]) LIMIT $2',
  },
  {
    what: 'receipt in suspense',
    read: inCapitals,
    ids: `SELECT transaction_id AS id FROM (
        SELECT transaction_id FROM suspense_items WHERE receipt = ANY($1::text[]) AND NOT is_void
        UNION SELECT m.transaction_id FROM movement_names n JOIN movements m ON m.id = n.movement_id
        WHERE n.plain = ANY($1::text[]) AND n.freed_at IS NULL) its
        WHERE transaction_id IS NOT NULL LIMIT $2`,
  },
  {
    what: 'another number of a payment',
    read: inCapitals,
    // A line's item has no transaction until it leaves suspense.
    ids: `SELECT DISTINCT x.id FROM movement_names n JOIN movements m ON m.id = n.movement_id
      LEFT JOIN entries e ON e.movement_id = m.id AND m.transaction_id IS NULL
      LEFT JOIN suspense_items i ON i.transfer_id = e.transfer_id
      LEFT JOIN transfers went ON went.id = i.left_by
      JOIN transactions x ON x.id = coalesce(m.transaction_id, went.transaction_id)
      WHERE plain_reference(n.name) IN (SELECT plain_reference(typed) FROM unnest($1::text[]) AS typed)
        AND NOT (n.is_receipt AND m.transaction_id IS NOT NULL) LIMIT $2`,
  },
  { what: 'phone number', read: parseMsisdn, ids: perOwner('msisdn = $1', { order: 'created_at' }) },
  {
    what: 'phone number of a payer',
    read: parseMsisdn,
    ids: `SELECT transaction_id AS id FROM bill_receipts WHERE msisdn = $1
      ORDER BY received_at DESC LIMIT $2`,
  },
  {
    what: 'bank account',
    read: parseAccountNumber,
    ids: perAccount('transactions WHERE account_id = a.id AND account_number = $1', { order: 'created_at' }),
  },
  {
    what: 'control number',
    read: digits,
    ids: `(SELECT transaction_id AS id FROM bills WHERE control_number = $1 LIMIT $2) UNION ALL
      (SELECT t.id FROM numbers n JOIN transactions t ON t.number_id = n.id WHERE n.control_number = $1
       ORDER BY t.created_at DESC LIMIT $2)`,
  },
  {
    what: 'customer reference',
    read: asTyped,
    ids: `SELECT t.id FROM accounts a JOIN numbers n ON n.account_id = a.id AND n.customer_reference = $1
      CROSS JOIN LATERAL (SELECT id FROM transactions WHERE number_id = n.id
        ORDER BY created_at DESC LIMIT $2) t LIMIT $2`,
  },
  {
    what: 'payment number',
    read: asTyped,
    ids: perAccount('bills WHERE account_id = a.id AND payment_number = $1', { id: 'transaction_id' }),
  },
  {
    what: 'metadata',
    read: asTyped,
    ids: 'SELECT id FROM transactions WHERE metadata_hashes @> ARRAY[metadata_value_hash($1)] LIMIT $2',
  },
  {
    what: 'idempotency key',
    read: asTyped,
    ids: `SELECT t.id
      FROM (${perAccount(
        `idempotency_keys
        WHERE account_id = a.id AND key = $1`,
        { id: 'transaction_id' },
      )}) k
      JOIN transactions t ON t.id = k.id`,
  },
  {
    what: 'request',
    read: asTyped,
    ids: 'SELECT id FROM transactions WHERE request_id = $1 ORDER BY created_at DESC LIMIT $2',
  },
  {
    what: 'callback event',
    read: (text) => (isEventId(text) ? text : null),
    ids: 'SELECT transaction_id AS id FROM callback_events WHERE id = $1 LIMIT $2',
  },
  { what: 'preview', read: asTyped, ids: 'SELECT used_by AS id FROM previews WHERE id = $1 LIMIT $2' },
  {
    what: 'item in suspense',
    read: whenMatching(/^si_/),
    ids: `SELECT transaction_id AS id FROM suspense_items WHERE id = $1
      UNION (SELECT id FROM transactions WHERE suspense_item = $1 LIMIT $2)`,
  },
  {
    what: 'proposal',
    read: whenMatching(/^pr_/),
    ids: `SELECT coalesce((p.payload::jsonb->>'transaction_id')::uuid, i.transaction_id) AS id
      FROM proposals p
      CROSS JOIN jsonb_array_elements(coalesce(p.payload::jsonb->'items',
        jsonb_build_array(p.payload::jsonb))) AS part
      LEFT JOIN suspense_items i ON i.id = part->>'item' WHERE p.id = $1 LIMIT $2`,
  },
];
