import { type Minor, minor } from '../../domain/money.ts';
import type { LinkQuantity, LinkStatus } from '../../domain/number.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { only } from '../../platform/db/rows.ts';
import type { NumberNow } from './number-store.ts';

/** Amounts are minor units. */
export type LinkNow = {
  id: string;
  code: string;
  description: string;
  /** null: the payer chooses it */
  amount: Minor | null;
  quantity: LinkQuantity;
  status: LinkStatus;
  expiresAt: string | null;
  payments: number;
  paid: Minor;
  createdAt: string;
};

/** A link's bills are named `<code>-<n>`, so an index range of payment numbers finds them. */
export const BILLS_OF_LINK = `b.account_id = n.account_id AND b.payment_number >= n.control_number || '-'
     AND b.payment_number < n.control_number || '.'`;

/** Returns the links among these numbers, in the same order, with their payments. */
export async function linksOf(db: Queryable, numbers: readonly NumberNow[]): Promise<LinkNow[]> {
  const { rows } = await db.query(
    `SELECT n.id, n.expires_at <= now() AS expired,
       (SELECT count(*) FROM bills b WHERE ${BILLS_OF_LINK} AND b.payments > 0) AS payments,
       (SELECT coalesce(sum(b.paid), 0)::bigint FROM bills b WHERE ${BILLS_OF_LINK}) AS paid
     FROM numbers n WHERE n.id = ANY($1::uuid[]) AND n.purpose = 'link' /* never null: payments, paid */`,
    [numbers.map(({ id }) => id)],
  );
  const found = new Map(rows.map((row) => [row.id, row]));
  return numbers.flatMap((number) => {
    const [row, link] = [found.get(number.id), number.link];
    if (!row || !link) return [];
    const { id, description, minimum: amount, createdAt, status } = number;
    const isPaid = link.quantity === 'once' && row.payments > 0;
    const now: LinkStatus = isPaid ? 'paid' : status === 'closed' || !row.expired ? status : 'expired';
    const came = { payments: row.payments, paid: minor(row.paid), createdAt, status: now };
    return [{ id, description: description ?? '', amount, ...link, ...came }];
  });
}

/** Counts a link's bills of the last hour and, for a single-payment link, its failed and cancelled ones. */
export async function madeOfLink(
  db: Queryable,
  linkId: string,
): Promise<{ quantity: LinkQuantity; ended: number; lastHour: number }> {
  const { rows } = await db.query(
    `SELECT n.quantity,
       (SELECT count(*) FROM bills b JOIN transactions t ON t.id = b.transaction_id
        WHERE n.quantity = 'once' AND ${BILLS_OF_LINK} AND t.status IN ('failed', 'cancelled')) AS ended,
       (SELECT count(*) FROM transactions t JOIN bills b ON b.transaction_id = t.id
        WHERE t.account_id = n.account_id AND t.created_at > now() - interval '1 hour'
          AND ${BILLS_OF_LINK}) AS last_hour
     FROM numbers n WHERE n.id = $1 AND n.purpose = 'link' /* never null: quantity, ended, last_hour */`,
    [linkId],
  );
  const { quantity, ended, last_hour: lastHour } = only(rows);
  return { quantity: quantity as LinkQuantity, ended, lastHour };
}
