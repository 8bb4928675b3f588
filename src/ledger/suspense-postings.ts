import { randomUUID } from 'node:crypto';
import type { Direction } from '../domain/kinds.ts';
import { type Minor, minor } from '../domain/money.ts';
import type { Queryable } from '../platform/db/pool.ts';
import { only } from '../platform/db/rows.ts';
import { ensureServiceAccounts, type OwnAccount } from './accounts.ts';
import { knownBy, movementOfItem, turnOf } from './booked.ts';
import { leaveSuspense } from './line-postings.ts';
import type { Release, SuspenseItem, TakenAs } from './suspense.ts';
import { type MovedLine, type Movement, namesFrom, postOnce } from './transfer.ts';

/**
 * Makes a suspense item for money that no transaction can take (a late success, a wrong amount); a person
 * handles it. `receipt` names the movement in the number space of `connection`, so it counts once, however
 * often it is reported. Other currencies have accounts of their own. An unreadable amount is an item of zero
 * without a posting, until two operators set it (`postNamed`). False if nothing was posted. `isOurs`:
 * `receipt` is our name. `of`: the movement that this reverses, or reports as moved after all; nothing is
 * posted if the books already agree.
 */
export async function postSuspense(
  db: Queryable,
  movement: {
    channel: string;
    connection: string;
    receipt: string;
    isOurs?: boolean;
    /** given if the channel's names differ from `receipt` */
    names?: Movement['names'];
    alsoKnownAs?: readonly string[] | undefined;
    toldBy?: Movement['toldBy'];
    kind?: Movement['kind'];
    of?: string | null;
    /** null: money for no transaction of ours */
    transactionId: string | null;
    direction: Direction;
    /** null if unreadable */
    amount: Minor | null;
    currency: string;
    note: string;
  },
): Promise<boolean> {
  const { channel, connection, receipt, transactionId, currency, note, of = null } = movement;
  const isMoney = movement.amount !== null && movement.amount > 0 && /^[A-Z]{3}$/.test(currency);
  const size = isMoney ? (movement.amount ?? 0) : 0;
  const amount = minor(movement.direction === 'collection' ? size : -size);
  const turn = of === null ? null : await turnOf(db, of, amount);
  if (of !== null && turn === null) return false;
  if (turn === null && movement.isOurs !== true && (await knownBy(db, movement, movement)) !== null)
    return false;
  const transferId = isMoney ? randomUUID() : null;
  // A receipt that was credited for a bill has an owner; with another amount it is another movement. An
  // existing item stays locked until this report is stored, so its statement cannot be voided meanwhile.
  const { rows } = await db.query(
    `INSERT INTO suspense_items AS i (channel, space, receipt, transaction_id, amount, currency,
       detail, transfer_id)
     SELECT $1, own.space, $2, $3, $4, $5, $6, $7 FROM receipt_space($8) AS own (space)
     WHERE NOT EXISTS (SELECT 1 FROM bill_receipts b
       WHERE b.space = own.space AND b.receipt = $2 AND b.outcome = 'accepted'
         AND b.amount = $4)
     ON CONFLICT (receipt, space) WHERE NOT is_void DO UPDATE SET left_by = i.left_by WHERE false
     RETURNING space`,
    [channel, receipt, transactionId, amount, currency, note, transferId, connection],
  );
  if (!rows[0]) return false;
  const { space } = rows[0];
  if (transferId === null) return false;
  const { isOurs = false, alsoKnownAs, toldBy = 'channel', kind } = movement;
  const { names = namesFrom(isOurs ? null : receipt, alsoKnownAs) } = movement;
  const moved = turn ?? { kind, toldBy, connection, names };
  await postItem(db, { transferId, space, channel, receipt, transactionId, currency, amount, note, moved });
  return true;
}

/**
 * Posts an item whose unreadable amount two operators have set: minor units, negative if it left us, zero if
 * nothing came. False if it was set before. Call it inside the caller's transaction.
 */
export async function postNamed(
  db: Queryable,
  item: SuspenseItem,
  named: { amount: Minor; currency: string; proposalId: string; note: string },
): Promise<boolean> {
  const { amount, currency, proposalId } = named;
  const transferId = amount === 0 ? null : randomUUID();
  const { rows } = await db.query('SELECT name_amount($1, $2, $3, $4, $5) AS named', [
    item.id,
    amount,
    currency,
    transferId,
    proposalId,
  ]);
  if (!rows[0].named) return false;
  if (transferId === null) return true;
  const { rows: told } = await db.query(
    `SELECT coalesce(b.connection, t.connection) AS connection,
       coalesce(t.reference = i.receipt, false) AS "isOurs"
     FROM suspense_items i LEFT JOIN transactions t ON t.id = i.transaction_id
     LEFT JOIN bill_receipts b ON b.space = i.space AND b.receipt = i.receipt
     WHERE i.id = $1 /* never null: isOurs */`,
    [item.id],
  );
  const { connection, isOurs } = only(told);
  const names = isOurs ? [] : [{ name: item.receipt, isReceipt: true }];
  const moved = { toldBy: 'people' as const, connection, names };
  await postItem(db, { ...item, ...named, transferId, moved });
  return true;
}

type Posting = Pick<SuspenseItem, 'space' | 'channel' | 'receipt' | 'transactionId' | 'currency' | 'amount'>;

async function postItem(
  db: Queryable,
  item: Posting & {
    transferId: string;
    note: string;
    moved: MovedLine['moved'];
    proposalId?: string;
  },
): Promise<void> {
  const { transferId, space, channel, receipt, transactionId, currency, amount, note, moved, proposalId } =
    item;
  await ensureServiceAccounts(db, [channel], currency);
  await postOnce(db, {
    id: transferId,
    kind: 'suspense',
    currency,
    transactionId,
    dedupeKey: `suspense:${space}:${receipt}`,
    reference: receipt,
    note,
    ...(proposalId === undefined ? {} : { proposalId }),
    lines: [
      { account: { kind: 'clearing', channel }, amount: -amount, moved },
      { account: { kind: 'suspense' }, amount },
    ],
  });
}

/** An item goes to a merchant (who pays a negative one), back over its channel (a movement), or to us. */
export type Destination =
  | { to: 'merchant'; accountId: string }
  /** `receipt`: the channel's number of that movement */
  | { to: 'channel'; receipt?: string }
  | { to: 'us' | 'charges' | 'own' };

/**
 * Takes an item out of suspense, once, without a fee; false if it has left before. Throws InsufficientFunds
 * if a merchant must pay more than the balance. Call it last in the caller's transaction.
 */
export async function postRelease(
  db: Queryable,
  item: SuspenseItem,
  released: Destination & { proposalId: string; note: string },
): Promise<boolean> {
  const { amount, currency } = item;
  await ensureServiceAccounts(db, [], currency);
  const { kind, account } = otherSideOf(item, released);
  const line = account === null ? await wayBack(db, item, released) : { account, amount };
  // A merchant's statement must not show another merchant's transaction, nor one for our own accounts.
  const isForeign =
    (released.to === 'merchant' && released.accountId !== item.accountId) || account?.kind === released.to;
  const transferId = randomUUID();
  if (!(await leaveSuspense(db, item.id, transferId))) return false;
  await postOnce(db, {
    id: transferId,
    kind,
    currency,
    transactionId: isForeign ? null : item.transactionId,
    dedupeKey: `release:${item.id}`,
    reference: item.receipt,
    note: released.note,
    proposalId: released.proposalId,
    lines: [{ account: { kind: 'suspense' }, amount: -amount }, line],
  });
  return true;
}

/** Makes the separate movement by which the channel gave the money back. */
async function wayBack(
  db: Queryable,
  { id, channel, amount }: SuspenseItem,
  released: Destination,
): Promise<MovedLine> {
  const given = await movementOfItem(db, id);
  const name = released.to === 'channel' ? released.receipt : undefined;
  const names = name === undefined ? [] : [{ name, isReceipt: true }];
  const moved: Movement = {
    kind: 'reversal',
    toldBy: 'people',
    names,
    connection: given?.connection,
    givesBack: given?.id,
  };
  return { account: { kind: 'clearing', channel }, amount, moved };
}

/** `account` is null for the channel's clearing account. */
function otherSideOf(
  { amount }: SuspenseItem,
  destination: Destination,
): {
  kind: Exclude<Release['kind'], 'payback' | 'nothing_came' | 'sweep' | 'void' | TakenAs>;
  account: OwnAccount | null;
} {
  switch (destination.to) {
    case 'merchant':
      return { kind: 'suspense_release', account: { kind: 'available', accountId: destination.accountId } };
    case 'channel':
      return { kind: 'suspense_return', account: null };
    case 'us':
      return { kind: 'write_off', account: { kind: amount > 0 ? 'gains' : 'losses' } };
    case 'charges':
      return { kind: 'charge', account: { kind: 'charges' } };
    case 'own':
      return { kind: 'own', account: { kind: 'own' } };
  }
}
