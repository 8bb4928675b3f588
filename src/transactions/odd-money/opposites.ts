import type { Release, SuspenseItem } from '../../ledger/suspense.ts';
import type { Destination } from '../../ledger/suspense-postings.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { oppositeNameOf, RETURN, SUCCESS } from './suspense.ts';

type Item = Pick<SuspenseItem, 'id' | 'receipt' | 'transactionId' | 'amount'>;

/** How an item leaves suspense. */
export type WayOut = Destination | { to: 'payer' | 'sweep' };

const destinations: Record<Exclude<Release['kind'], 'nothing_came' | 'void'>, WayOut['to']> = {
  suspense_release: 'merchant',
  suspense_return: 'channel',
  write_off: 'us',
  payback: 'payer',
  charge: 'charges',
  sweep: 'sweep',
  own: 'own',
};

/** `to` null: it is open. `accountId`: of the merchant. */
type Opposite = { id: string; to: WayOut['to'] | null; accountId: string | null };

/**
 * Two items can stand for the same money: this one says that it came in, its opposite that it went out. Returns the id of
 * the opposite that forbids this way out, or null. The item below zero leaves first; this one may leave after it, the same
 * way. The way back over the channel is always free. An opposite that left that way later forbids nothing: its money is
 * here again.
 */
export async function oppositeAgainst(db: Queryable, item: Item, way: WayOut): Promise<string | null> {
  if (item.amount < 0 || way.to === 'channel') return null;
  // A success of an earlier payback waits until the caller's transaction ends.
  await db.query(
    'SELECT FROM transactions WHERE suspense_item = $1 ORDER BY created_at, id FOR NO KEY UPDATE',
    [item.id],
  );
  const opposites = await oppositesOf(db, item);
  const gone = isSecond(item) ? opposites : opposites.filter(({ to }) => to !== 'channel');
  const open = gone.find(({ to }) => to === null);
  if (open) return open.id;
  const accountId = way.to === 'merchant' ? way.accountId : null;
  const isSame = gone.some((one) => one.to === way.to && one.accountId === accountId);
  return isSame ? null : (gone[0]?.id ?? null);
}

/** The channel may have given back this very item, where it came after its opposite. */
const isSecond = ({ receipt }: Item) => receipt.startsWith(SUCCESS) || receipt.startsWith(RETURN);

/**
 * Items below zero that say that the money of this one went out: of an earlier payback that moved although it had failed;
 * of the same transaction, the other one of a failure and a success; and whatever a bank may have returned.
 */
async function oppositesOf(db: Queryable, { id, transactionId, receipt }: Item): Promise<Opposite[]> {
  const { rows } = await db.query(
    `SELECT moved.id, went.kind,
       (SELECT a.account_id FROM entries e JOIN ledger_accounts a ON a.id = e.ledger_account_id
        WHERE e.transfer_id = went.id AND a.kind = 'available') AS account_id
     FROM suspense_items moved LEFT JOIN transfers went ON went.id = moved.left_by
     WHERE moved.amount < 0 AND went.kind IS DISTINCT FROM 'void'
       AND moved.transaction_id = ANY(ARRAY(SELECT b.id FROM transactions b WHERE b.suspense_item = $1) || $2::uuid)
       AND (moved.transaction_id IS DISTINCT FROM $2 OR moved.receipt = $3 OR $4)
     ORDER BY moved.created_at, moved.id`,
    [id, transactionId, oppositeNameOf(receipt), receipt.startsWith(RETURN)],
  );
  return rows.map((row) => ({
    id: row.id,
    to: row.kind === null ? null : destinations[row.kind as keyof typeof destinations],
    accountId: row.account_id,
  }));
}
