import type { Release, SuspenseItem, TakenAs } from '../../ledger/suspense.ts';
import type { Destination } from '../../ledger/suspense-postings.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { type Moved, movedOf } from '../rows/moved.ts';

type Item = Pick<SuspenseItem, 'id' | 'transactionId' | 'amount'>;

export type WayOut = Destination | { to: 'payer' | 'sweep' | 'bill' };

const destinations: Record<Exclude<Release['kind'], 'nothing_came' | 'void' | TakenAs>, WayOut['to']> = {
  suspense_release: 'merchant',
  suspense_return: 'channel',
  write_off: 'us',
  payback: 'payer',
  charge: 'charges',
  sweep: 'sweep',
  own: 'own',
};

/** null: the item is open, or is a waiting line */
const wayOf = ({ left }: Moved): WayOut['to'] | null =>
  left === null ? null : destinations[left as keyof typeof destinations];

/**
 * Two items may stand for the same money: a positive one (it came in) and its negative opposite (it went
 * out). To pay it only once, the opposite must leave suspense first; then this item may leave the same way.
 * Returns the opposite that blocks `way`, or null. Returning money over the channel is never blocked. An
 * opposite that the channel returned later blocks nothing, because its money is here again.
 */
export async function oppositeAgainst(db: Queryable, item: Item, way: WayOut): Promise<string | null> {
  if (item.amount < 0 || way.to === 'channel') return null;
  // Lock the paybacks, so a late success of one waits until the caller's transaction ends.
  const { rows: paybacks } = await db.query(
    'SELECT id FROM transactions WHERE suspense_item = $1 ORDER BY created_at, id FOR NO KEY UPDATE',
    [item.id],
  );
  const { own, opposites } = await oppositesOf(db, item, paybacks);
  // If this item came after its opposite, the channel may have returned exactly this money.
  const isSecond = own?.isReturn || own?.isAgain;
  const gone = isSecond ? opposites : opposites.filter((one) => wayOf(one) !== 'channel');
  const open = gone.find((one) => wayOf(one) === null);
  if (open) return open.id;
  const accountId = way.to === 'merchant' ? way.accountId : null;
  const isSame = gone.some((one) => wayOf(one) === way.to && one.accountId === accountId);
  return isSame ? null : (gone[0]?.id ?? null);
}

/**
 * Finds evidence that an item's money went out: a payback that failed but moved, a contradicting report of
 * the same movement, its reversal line, or a possible return by a bank.
 */
async function oppositesOf(
  db: Queryable,
  { id, transactionId, amount }: Item,
  paybacks: readonly { id: string }[],
): Promise<{ own: Moved | undefined; opposites: Moved[] }> {
  const subjects = [...paybacks.map((payback) => payback.id), transactionId].filter((one) => one !== null);
  const moved = await movedOf(db, subjects);
  const own = moved.find((one) => one.id === id);
  const movement = own?.movement ?? null;
  const isOpposite = (one: Moved) => {
    if (one.transactionId !== transactionId || own?.isReturn) return true;
    if (movement !== null && one.movement === movement) return true;
    return one.isShown && one.amount === -amount && (one.of === null || one.of === movement);
  };
  return { own, opposites: moved.filter((one) => one.amount < 0 && isOpposite(one)) };
}
