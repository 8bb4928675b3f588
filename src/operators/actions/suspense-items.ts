import { z } from 'zod';
import { conflict, GatewayError } from '../../domain/errors.ts';
import { type Minor, minor } from '../../domain/money.ts';
import { lockOpen, movementOfItem } from '../../ledger/booked.ts';
import { getSuspenseItem, type SuspenseItem } from '../../ledger/suspense.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { requireRecovered } from '../../transactions/care/fence.ts';
import { oppositeAgainst, type WayOut } from '../../transactions/odd-money/opposites.ts';
import { isLine } from '../../transactions/rows/moved.ts';
import { lockTransaction } from '../../transactions/rows/store.ts';
import { documented, notZero, seen, sentenceField } from './actions.ts';
import { fact, merchantNamed, shillings, type View } from './facts.ts';

/** The approver reads the item's own receipt and amount, so a mistyped id is noticed. */
export const releaseFields = {
  item: z.string('must be the id of an item').max(40).meta(documented('The id of the item in suspense')),
  receipt: z
    .string('must be the receipt of the item')
    .max(200)
    .optional()
    .meta(seen("The network's number of the movement")),
  amount: z
    .int('must be the amount of the item in minor units')
    .refine((amount) => amount !== 0, 'must not be zero')
    .transform(minor)
    .optional()
    .meta({
      ...seen('The amount of the item, in minor units (1 TZS = 100); below zero: money is missing'),
      ...notZero,
    }),
  currency: z
    .string('must be the currency of the item')
    .max(3)
    .optional()
    .meta(seen('The currency of the item')),
  movement: z
    .uuid()
    .nullable()
    .optional()
    .meta(seen('The id of the movement that made the item; null: none')),
  note: sentenceField(255).meta({
    title: 'Why',
    description: 'A merchant who is credited or debited sees it on the statement',
  }),
};
export type ReleasePayload = { item: string; receipt: string; amount: Minor; currency: string; note: string };
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

type Named = { item: string };

export async function itemSeen(db: Queryable, asked: Named) {
  const { id, receipt, amount, currency } = await openItem(db, asked);
  return { receipt, amount, currency, movement: (await movementOfItem(db, id))?.id ?? null };
}

async function itemNamed(db: Queryable, id: string): Promise<SuspenseItem> {
  const item = await getSuspenseItem(db, id);
  if (item === null) throw new GatewayError('not_found', `There is no item ${id} in suspense`);
  return item;
}

/**
 * Locks the transaction's row: later news waits, and can raise the alarm again that this step closes. Locks
 * the item for news about nobody's money.
 */
export async function lockItem(db: Queryable, { item: id }: Named): Promise<void> {
  const { transactionId } = await itemNamed(db, id);
  if (transactionId !== null) await lockTransaction(db, transactionId);
  await lockOpen(db, id);
}

/** Throws `not_found`, or `conflict` if the item has left suspense. */
export async function openItem(db: Queryable, { item: id }: Named): Promise<SuspenseItem> {
  const item = await itemNamed(db, id);
  if (item.release !== null) throw hasLeft(item);
  await requireRecovered(db);
  return item;
}

export async function itemShown(view: View, { item: id }: ReleasePayload, after: string) {
  const item = await itemNamed(view.db, id);
  const { accountId, amount, createdAt, currency, detail } = item;
  const of = accountId === null ? 'no merchant' : await merchantNamed(view, accountId);
  const before = `${shillings(amount, currency)} in suspense since ${createdAt}, of ${of}: ${detail}`;
  return { item, facts: [fact(`item ${id}`, after, before)] };
}

/**
 * Throws `conflict` if another item shows that this money is gone. The caller holds the lock of `lockItem`.
 */
export async function refuseBesideOpposite(db: Queryable, item: SuspenseItem, way: WayOut): Promise<void> {
  const opposite = await oppositeAgainst(db, item, way);
  if (opposite === null) return;
  const first = isLine(opposite)
    ? `wait until this line of a statement is matched, or is an item`
    : `release ${opposite} first, then ${item.id} in the same way`;
  throw conflict(`${opposite} shows that the money of ${item.id} is gone already: ${first}`);
}

export const sizeOf = ({ amount, currency }: Pick<ReleasePayload, 'amount' | 'currency'>) =>
  shillings(Math.abs(amount), currency);
/** An item of a statement's line may have a name of ours instead of a receipt (explain.ts). */
export const nameOf = ({ item, receipt }: Pick<ReleasePayload, 'item' | 'receipt'>) =>
  /^(line|opening):/.test(receipt) ? `${item}, without a receipt of its own` : `${item}, receipt ${receipt}`;

export function hasLeft({ id }: SuspenseItem): GatewayError {
  return conflict(`${id} has left suspense already`);
}
