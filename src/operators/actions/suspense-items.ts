import { z } from 'zod';
import { conflict, GatewayError } from '../../domain/errors.ts';
import { minor } from '../../domain/money.ts';
import { getSuspenseItem, type SuspenseItem } from '../../ledger/suspense.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { requireRecovered } from '../../transactions/care/fence.ts';
import { oppositeAgainst, type WayOut } from '../../transactions/odd-money/opposites.ts';
import { isLine } from '../../transactions/rows/moved.ts';
import { lockTransaction } from '../../transactions/rows/store.ts';
import { notZero, sentenceField } from './actions.ts';
import { fact, merchantNamed, shillings, type View } from './facts.ts';

/** An item's own facts are part of the proposal, so that the approver reads them and a mistyped id is refused. */
export const releaseFields = {
  item: z.string('must be the id of an item').max(40),
  receipt: z.string('must be the receipt of the item').max(200),
  amount: z
    .int('must be the amount of the item in minor units')
    .refine((amount) => amount !== 0, 'must not be zero')
    .transform(minor)
    .meta({
      ...notZero,
      description: 'The amount of the item, in minor units (1 TZS = 100); below zero: we miss it',
    }),
  currency: z.string('must be the currency of the item').max(3),
  note: sentenceField(255),
};
export const releasePayload = z.strictObject(releaseFields);
export type ReleasePayload = z.output<typeof releasePayload>;

/**
 * Returns the named item while it is open. Throws `not_found` or `conflict`. Locks the row of its transaction
 * first, unless the item is only looked at: news of the same transaction waits, and raises the alarm again
 * that is ended here.
 */
export async function lockOpen(
  db: Queryable,
  asked: ReleasePayload,
  { isCheck = false }: { isCheck?: boolean } = {},
): Promise<SuspenseItem> {
  const item = await getSuspenseItem(db, asked.item);
  if (item === null) throw new GatewayError('not_found', `There is no item ${asked.item} in suspense`);
  if (item.release !== null) throw hasLeft(item);
  const { receipt, amount, currency } = item;
  if (receipt !== asked.receipt || amount !== asked.amount || currency !== asked.currency)
    throw conflict(`${item.id} is ${sizeOf(item)} (${receipt}): look at it again`);
  await requireRecovered(db);
  if (!isCheck && item.transactionId !== null) await lockTransaction(db, item.transactionId);
  return item;
}

/** Tells an approver whose money an item is, how it came, and where it goes. */
export async function itemShown(view: View, { item: id }: ReleasePayload, after: string) {
  const item = await getSuspenseItem(view.db, id);
  if (item === null) throw new GatewayError('not_found', `There is no item ${id} in suspense`);
  const { accountId, amount, createdAt, currency, detail } = item;
  const of = accountId === null ? 'no merchant' : await merchantNamed(view, accountId);
  const before = `${shillings(amount, currency)} in suspense since ${createdAt}, of ${of}: ${detail}`;
  return { item, facts: [fact(`item ${id}`, after, before)] };
}

/** Throws `conflict` where the item's money is gone by another item already. Under the lock of `lockOpen`. */
export async function refuseBesideOpposite(db: Queryable, item: SuspenseItem, way: WayOut): Promise<void> {
  const opposite = await oppositeAgainst(db, item, way);
  if (opposite === null) return;
  const first = isLine(opposite)
    ? `that line of a statement waits for its other side, and is an item after that`
    : `${opposite} leaves suspense first, and ${item.id} after it in the same way`;
  throw conflict(`${opposite} says that the money of ${item.id} is gone already: ${first}`);
}

export const sizeOf = ({ amount, currency }: Pick<ReleasePayload, 'amount' | 'currency'>) =>
  shillings(Math.abs(amount), currency);
export const nameOf = ({ item, receipt }: ReleasePayload) => `${item}, receipt ${receipt}`;

export function hasLeft({ id }: SuspenseItem): GatewayError {
  return conflict(`${id} has left suspense already`);
}
