import { z } from 'zod';
import { conflict, GatewayError } from '../../domain/errors.ts';
import { type Minor, minor } from '../../domain/money.ts';
import { getSuspenseItem, type SuspenseItem } from '../../ledger/suspense.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { requireRecovered } from '../../transactions/care/fence.ts';
import { oppositeAgainst, type WayOut } from '../../transactions/odd-money/opposites.ts';
import { isLine } from '../../transactions/rows/moved.ts';
import { lockTransaction } from '../../transactions/rows/store.ts';
import { notZero, seen, sentenceField } from './actions.ts';
import { fact, merchantNamed, shillings, type View } from './facts.ts';

/** An item's own facts are part of the proposal, so that the approver reads them and a mistyped id is refused. */
export const releaseFields = {
  item: z.string('must be the id of an item').max(40),
  receipt: z.string('must be the receipt of the item').max(200).optional().meta(seen),
  amount: z
    .int('must be the amount of the item in minor units')
    .refine((amount) => amount !== 0, 'must not be zero')
    .transform(minor)
    .optional()
    .meta({
      ...seen,
      ...notZero,
      description: 'The amount of the item, in minor units (1 TZS = 100); below zero: we miss it',
    }),
  currency: z.string('must be the currency of the item').max(3).optional().meta(seen),
  note: sentenceField(255).meta({ title: 'Why', description: 'The merchant reads it on the statement' }),
};
export type ReleasePayload = { item: string; receipt: string; amount: Minor; currency: string; note: string };
/** `bindItem` adds what a call has left out. */
export const releasePayload = <More extends z.ZodRawShape>(more?: More) =>
  z.strictObject({ ...releaseFields, ...more }) as unknown as z.ZodType<
    ReleasePayload & z.output<z.ZodObject<More>>
  >;

export const exampleItem = {
  item: 'si_2f0c9b7e51d4',
  receipt: 'QK71H2ZP9X',
  amount: 5_000_000,
  currency: 'TZS',
  note: 'paid twice, ticket 812',
};

/** Throws `not_found`. */
export async function bindItem<Asked extends { item: string }>(db: Queryable, asked: Asked) {
  const { receipt, amount, currency } = await itemNamed(db, asked.item);
  return { receipt, amount, currency, ...asked };
}

async function itemNamed(db: Queryable, id: string): Promise<SuspenseItem> {
  const item = await getSuspenseItem(db, id);
  if (item === null) throw new GatewayError('not_found', `There is no item ${id} in suspense`);
  return item;
}

/**
 * Returns the named item while it is open, else throws `not_found` or `conflict`. Locks its transaction's row
 * first, unless it is only looked at: later news raises the alarm again that ends here.
 */
export async function lockOpen(
  db: Queryable,
  asked: ReleasePayload,
  { isCheck = false }: { isCheck?: boolean } = {},
): Promise<SuspenseItem> {
  const item = await itemNamed(db, asked.item);
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
  const item = await itemNamed(view.db, id);
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
