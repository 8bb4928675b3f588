import { BILL_PAYMENTS_MAX } from '../../domain/bill.ts';
import type { FailureCode } from '../../domain/failure.ts';
import type { Minor } from '../../domain/money.ts';
import { billLimits } from '../../domain/network.ts';
import type { Status } from '../../domain/transaction.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { PROMPT_ENDS } from './bill-store.ts';
import { BILLS_OF_LINK } from './link-store.ts';
import { SHOWN } from './moved.ts';

/** A payer sees this on a page. Amounts are minor units. */
export type Payable = {
  kind: 'bill' | 'number' | 'link';
  id: string;
  accountId: string;
  /** key whose callbacks report its payments */
  apiKeyId: string;
  merchantName: string;
  /** for a link: its code */
  controlNumber: string;
  description: string | null;
  /** zero for a number */
  amount: Minor;
  paid: Minor;
  /** bounds of one payment of a number */
  minimum: Minor;
  maximum: Minor;
  currency: string;
  state: 'open' | 'paid' | 'expired' | 'closed';
  /** ISO 8601 UTC; null: never */
  expiresAt: string | null;
};

export type Prompt = {
  id: string;
  pays: string;
  status: Status;
  failureCode: FailureCode | null;
  amount: Minor;
  currency: string;
  receipt: string | null;
  /**
   * State of money that the network or a statement reports although the push did not succeed: held by us,
   * credited, or given back to the payer. Null: nothing is known.
   */
  fate: 'held' | 'credited' | 'given_back' | null;
  /** time of the fate, or of the push's end */
  at: string;
  /** end of the prompt on the phone, ISO 8601 UTC; later, a pending push waits only for its network */
  promptEndsAt: string;
};

/** Finds the page's bill, QR code or number by its id, or by its prompt's id. */
export async function findPage(
  db: Queryable,
  ids: readonly string[],
): Promise<{ payable: Payable; prompt: Prompt | null } | null> {
  const prompt = await promptAmong(db, ids);
  const payable = await payableAmong(db, prompt ? [prompt.pays] : ids);
  return payable && { payable, prompt };
}

async function promptAmong(db: Queryable, ids: readonly string[]): Promise<Prompt | null> {
  const { rows } = await db.query(
    `SELECT t.id, t.pays, t.status, t.failure_code AS "failureCode",
       coalesce(odd.held, odd.gone, odd.credited, t.amount) AS amount, t.currency,
       coalesce(t.channel_reference, odd.receipt) AS receipt, ${PROMPT_ENDS} AS "promptEndsAt",
       CASE WHEN odd.held IS NOT NULL OR odd.shown THEN 'held'
         WHEN coalesce(odd.gone_at, back.at) IS NOT NULL THEN 'given_back'
         WHEN odd.credited IS NOT NULL THEN 'credited' END AS fate,
       coalesce(CASE WHEN odd.held IS NULL THEN coalesce(odd.gone_at, back.at) END, t.status_at) AS at
     FROM transactions t LEFT JOIN bill_receipts r ON r.prompt_id = t.id CROSS JOIN LATERAL (
       SELECT sum(i.amount) FILTER (WHERE i.amount > 0
         AND (is_unresolved(i.id) OR went.kind IN ('write_off', 'own')))::bigint AS held,
         max((SELECT min(n.name) FROM entries e
             JOIN movement_names n ON n.movement_id = e.movement_id AND n.is_receipt AND n.freed_at IS NULL
             WHERE e.transfer_id = i.transfer_id)) AS receipt,
         sum(i.amount) FILTER (WHERE went.kind IN ('suspense_return', 'payback'))::bigint AS gone,
         max(coalesce(b.status_at, went.created_at)) FILTER (WHERE went.kind IN ('suspense_return',
           'payback')) AS gone_at,
         sum(i.amount) FILTER (WHERE went.kind IN ('collection', 'suspense_release'))::bigint AS credited,
         t.status <> 'completed' AND ${SHOWN} IS NOT NULL
         OR coalesce(bool_or(i.amount = 0 AND i.is_open), false) AS shown
       FROM suspense_items i LEFT JOIN transfers went ON went.id = i.left_by
       LEFT JOIN transactions b ON b.suspense_item = i.id AND b.status = 'paid'
       WHERE i.amount >= 0 AND (i.transaction_id = t.id AND t.status <> 'completed'
         OR r.outcome = 'suspended' AND i.id IN (SELECT items_called(r.space, r.receipt)))) odd
     CROSS JOIN LATERAL (SELECT coalesce(
       (SELECT max(i.created_at)
        FROM suspense_items i JOIN entries e ON e.transfer_id = i.transfer_id AND e.movement_id IS NOT NULL
        WHERE i.transaction_id = t.id AND i.amount = -t.amount AND (e.undoes IS NOT NULL OR NOT e.takes_back)
          AND NOT i.is_void),
       (SELECT max(f.status_at) FROM transactions f
         WHERE f.refund_of = r.transaction_id AND f.refund_payment = r.number AND f.status = 'paid'
          AND f.returned_at IS NULL HAVING sum(f.amount) >= t.amount)) AS at) back
     WHERE t.id = ANY($1::uuid[]) AND t.pays IS NOT NULL LIMIT 1
     /* never null: pays, amount, promptEndsAt, at */`,
    [ids],
  );
  return (rows[0] as Prompt | undefined) ?? null;
}

async function payableAmong(db: Queryable, ids: readonly string[]): Promise<Payable | null> {
  const { rows } = await db.query(
    `SELECT 'bill' AS kind, t.id, t.account_id AS "accountId", t.api_key_id AS "apiKeyId",
       coalesce(a.display_name, a.name) AS "merchantName",
       b.control_number AS "controlNumber", b.description, t.amount, b.paid, $2::bigint AS minimum,
       $3::bigint AS maximum, t.currency, b.expires_at AS "expiresAt",
       CASE WHEN t.status = 'completed' THEN 'paid'
         WHEN t.status = 'cancelled' OR b.payments >= ${BILL_PAYMENTS_MAX} THEN 'closed'
         WHEN t.status = 'failed' OR b.expires_at <= now() THEN 'expired' ELSE 'open' END AS state
     FROM bills b JOIN transactions t ON t.id = b.transaction_id JOIN accounts a ON a.id = b.account_id
     WHERE b.transaction_id = ANY($1::uuid[])
     UNION ALL
     SELECT CASE n.purpose WHEN 'link' THEN 'link' ELSE 'number' END, n.id, n.account_id, n.api_key_id,
       coalesce(a.display_name, a.name), n.control_number,
       n.description, 0, 0, coalesce(n.minimum, $2), coalesce(n.maximum, $3), n.currency, n.expires_at,
       CASE WHEN n.quantity = 'once'
         AND EXISTS (SELECT FROM bills b WHERE ${BILLS_OF_LINK} AND b.payments > 0) THEN 'paid'
         WHEN n.status = 'closed'
         OR n.purpose = 'link' AND NOT EXISTS (SELECT FROM api_keys k WHERE k.id = n.api_key_id
           AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())
           AND 'payments:write' = ANY(k.scopes))
           THEN 'closed'
         WHEN n.expires_at <= now() THEN 'expired' ELSE 'open' END
     FROM numbers n JOIN accounts a ON a.id = n.account_id WHERE n.id = ANY($1::uuid[]) LIMIT 1
     /* never null: kind, id, accountId, apiKeyId, merchantName, controlNumber, amount, paid, minimum */
     /* never null: maximum, currency, state */`,
    [ids, billLimits.minimum, billLimits.maximum],
  );
  return (rows[0] as Payable | undefined) ?? null;
}

export async function controlNumberOfPayable(db: Queryable, id: string): Promise<string | null> {
  const { rows } = await db.query(
    `SELECT control_number AS number FROM bills WHERE transaction_id = $1
     UNION ALL SELECT control_number FROM numbers WHERE id = $1 /* never null: number */`,
    [id],
  );
  return rows[0]?.number ?? null;
}

/** One query, because many requests are guessed tokens. */
export async function isPage(
  db: Queryable,
  { ids, code }: { ids: readonly string[]; code: string | undefined },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `SELECT FROM bills WHERE transaction_id = ANY($1::uuid[])
     UNION ALL SELECT FROM numbers WHERE id = ANY($1::uuid[]) OR control_number = $2 AND purpose = 'link'
     UNION ALL SELECT FROM transactions WHERE id = ANY($1::uuid[]) AND pays IS NOT NULL LIMIT 1`,
    [ids, code?.toLowerCase() ?? null],
  );
  return rowCount === 1;
}

export function isLinkCode(text: string): boolean {
  return /^[0-9a-z]{8}$/i.test(text);
}

export async function findLink(db: Queryable, code: string): Promise<Payable | null> {
  const { rows } = await db.query("SELECT id FROM numbers WHERE control_number = $1 AND purpose = 'link'", [
    code.toLowerCase(),
  ]);
  return payableAmong(
    db,
    rows.map(({ id }) => id),
  );
}
