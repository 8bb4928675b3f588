import type { AttentionReason } from '../../domain/attention.ts';
import type { Succeeded } from '../../domain/channel.ts';
import type { FailureCode } from '../../domain/failure.ts';
import type { Direction } from '../../domain/kinds.ts';
import { formatMoney, type Minor, minor } from '../../domain/money.ts';
import { isSameName } from '../../domain/receipt.ts';
import { connectionOf, isBilled, isFinal, kindOf, type Transaction } from '../../domain/transaction.ts';
import { codeOf } from '../../ledger/accounts.ts';
import {
  addNames,
  isOpenFor,
  isShown,
  type Known,
  knownBy,
  movementOf,
  pointedBy,
  type TakenBack,
  takenBackBy,
  toldNames,
  unnamedItemOf,
} from '../../ledger/booked.ts';
import { joinItem, joinUnnamed } from '../../ledger/line-postings.ts';
import { hasUnresolved, isUnresolved, subjectOfItem } from '../../ledger/suspense.ts';
import { postSuspense } from '../../ledger/suspense-postings.ts';
import { assignItem, itemLike, itemOfReceipt, refuseTaken } from '../../ledger/suspense-receipts.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { update } from '../../platform/db/write.ts';
import { raiseAttention, resolveItem } from '../care/attention.ts';
import { isUnconfirmed, noteAnswer } from '../care/decisions.ts';
import { shownAs } from '../rows/moved.ts';
import { lockTransaction } from '../rows/store.ts';

/** A success is ours only if amount and currency match (docs/words.md). */
export function isOurs(transaction: Transaction, success: Succeeded): boolean {
  return success.amount === transaction.amount && success.currency === transaction.currency;
}

/**
 * Handles a success that cannot end its transaction, because its amount differs, the transaction ended
 * before, or it is another movement. Returns false if it repeats the success that ended the transaction.
 */
export async function takeLateSuccess(
  db: Queryable,
  transaction: Transaction,
  success: Succeeded,
): Promise<boolean> {
  const known = await receiptOfEnd(db, transaction);
  const hasOtherReceipt =
    known !== null && success.channelReference !== null && !isSameName(success.channelReference, known);
  const hasOtherAmount = !isOurs(transaction, success);
  const isOwn = transaction.status === kindOf(transaction).success && !hasOtherReceipt && !hasOtherAmount;
  if (isOwn) {
    // If a receipt is known already, or none was given, the movement needs no new name.
    const isTold = known !== null || success.channelReference === null;
    return (await confirm(db, transaction, success, isTold)) ? bookAgain(db, transaction, success) : true;
  }
  await suspend(db, transaction, success, hasOtherAmount ? 'wrong_amount' : 'late_success');
  if (!hasOtherAmount) await noteAnswer(db, transaction.id, 'contradicted');
  return true;
}

/**
 * Returns the receipt of the movement that ended the transaction. Null if the channel named none: the column
 * may then hold the number from the acceptance, which is no receipt.
 */
async function receiptOfEnd(db: Queryable, { id }: Transaction): Promise<string | null> {
  const { rows } = await db.query(
    'SELECT channel_reference AS receipt FROM transactions WHERE id = $1 AND is_receipt',
    [id],
  );
  return rows[0]?.receipt ?? null;
}

/**
 * Confirms an end, possibly one that operators decided. From now on any other receipt is another movement.
 * Returns false and notifies a person if the receipt is known for other money.
 */
async function confirm(
  db: Queryable,
  transaction: Transaction,
  success: Succeeded,
  isTold: boolean,
): Promise<boolean> {
  if (isTold) await point(db, transaction, success);
  const isNamed = isTold || (await nameIts(db, transaction, success));
  if (isNamed) await noteAnswer(db, transaction.id, 'confirmed');
  return isNamed;
}

/** Stores the receipt and merges an item of a line that showed the money first. False for other money. */
async function nameIts(db: Queryable, transaction: Transaction, success: Succeeded): Promise<boolean> {
  const receipt = success.channelReference ?? '';
  const money = moneyOf(transaction);
  const movement = await movementOf(db, money);
  const word = { ...success, ...wordOf(transaction), receipt };
  const known = await knownBy(db, word, word);
  if (known !== null && known.id !== movement) {
    const note = `${receipt} is the receipt of ${transaction.id}, too: they are one movement`;
    const isOne =
      movement !== null && isOpenFor(known, money) && (await joinItem(db, known.item, movement, note));
    if (!isOne) {
      await raiseMismatch(db, transaction, receipt, known);
      return false;
    }
    await resolveItem(db, known.item.id, ANSWERED);
  }
  await update(db, 'transactions', { channel_reference: receipt, is_receipt: true }, { id: transaction.id });
  if (movement === null) return true;
  await addNames(db, toldNames(movement, success));
  // A concurrent import may have made an item under this receipt.
  const now = await knownBy(db, word);
  if (now !== null && now.id !== movement) await refuseTaken(db, receipt);
  return true;
}

/** A repeated success may bring new numbers for its movement. */
async function point(db: Queryable, transaction: Transaction, { alsoKnownAs }: Succeeded): Promise<void> {
  const movement = alsoKnownAs === undefined ? null : await movementOf(db, moneyOf(transaction));
  if (movement !== null) await addNames(db, toldNames(movement, { channelReference: null, alsoKnownAs }));
}

async function raiseMismatch(
  db: Queryable,
  { id: transactionId }: Transaction,
  receipt: string,
  { transactionId: other, item }: Known,
): Promise<void> {
  const of = other ?? item?.id ?? 'a movement that is booked';
  await raiseAttention(db, {
    transactionId,
    reason: 'receipt_mismatch',
    thing: `${receipt} of ${of}`,
    detail:
      `The channel says that ${receipt} is its receipt, but that is the receipt of ${of}: ` +
      'nothing was booked',
  });
}

function wordOf(transaction: Transaction) {
  const { channel } = transaction;
  return { channel, connection: connectionOf(transaction), direction: kindOf(transaction).direction };
}

/** The amount is signed; positive: into our account at the network. */
function moneyOf(transaction: Transaction): Parameters<typeof movementOf>[1] {
  const { id: transactionId, channel, amount, currency } = transaction;
  const isIn = kindOf(transaction).direction === 'collection';
  return { transactionId, channel, amount: minor(isIn ? amount : -amount), currency };
}

/**
 * Books a success that came after a failure. Before, operators decided "paid", the channel reported a
 * failure, and `takeLateFailure` reversed the booking with an item. This books clearing again, with an
 * opposite item. Releasing only one of the two would pay twice, so a person is notified. False if nothing was
 * reversed.
 */
async function bookAgain(db: Queryable, transaction: Transaction, success: Succeeded): Promise<boolean> {
  const { id: transactionId, channel } = transaction;
  const connection = connectionOf(transaction);
  const { amount, currency } = success;
  const of = await movementOf(db, moneyOf(transaction));
  const takenBack = of === null ? null : await takenBackBy(db, of);
  if (takenBack === null) return false;
  const { receipt: failure } = takenBack;
  if (takenBack.isAgreed) {
    const detail =
      `The channel moved ${formatMoney(amount)} ${currency} ` +
      `(${success.channelReference ?? 'no receipt'}` +
      `), but two operators had corrected it as never moved: ${failure} in suspense has no money`;
    await raiseAttention(db, { transactionId, reason: 'late_success', detail, thing: takenBack.id });
    return true;
  }
  // The money moved and came back, so nothing is missing.
  if (takenBack.shown !== null || (await wasReturned(db, transaction))) return false;
  const { direction } = kindOf(transaction);
  const receipt = `succeeded:${transaction.reference}`;
  const note =
    `The channel moved ${formatMoney(amount)} ${currency} ` +
    `(${success.channelReference ?? 'no receipt'}) ` +
    `after it had reported a failure: ${failure} and ${receipt} leave suspense in the same way, ` +
    'neither without the other';
  const movement = { transactionId, currency, channel, connection, direction, amount };
  await postOdd(db, { ...movement, receipt, isOurs: true, of, note }, 'late_success');
  return true;
}

/** Returns the booked reversal, if the money has not moved again. A reported return may be the same money. */
export async function takenBackOf(db: Queryable, transaction: Transaction): Promise<TakenBack | null> {
  const movement = await movementOf(db, moneyOf(transaction));
  return movement === null ? null : takenBackBy(db, movement);
}

/**
 * True if the channel reported a return of the whole amount that names no booked movement. With `receipt`,
 * only a return under another receipt counts.
 */
export async function wasReturned(
  db: Queryable,
  transaction: Transaction,
  receipt: string | null = null,
): Promise<boolean> {
  const { id, amount, currency } = transaction;
  const { rowCount } = await db.query(
    `SELECT FROM notifications
     WHERE transaction_id = $1 AND state = 'contradicting' AND content->>'kind' = 'returned'
       AND (content->>'amount')::bigint = $2 AND content->>'currency' = $3
       AND ($4::text IS NULL OR content->>'channelReference' <> $4)
       AND NOT EXISTS (SELECT FROM movement_names n
         WHERE n.space = receipt_space($5) AND n.plain = plain_name(content->>'channelReference')
         AND n.freed_at IS NULL) LIMIT 1`,
    [id, amount, currency, receipt, connectionOf(transaction)],
  );
  return rowCount === 1;
}

/**
 * Handles a failure reported after the end. Notifies a person if the transaction had succeeded. If only
 * operators had decided so, reverses the booking against suspense.
 */
export async function takeLateFailure(
  db: Queryable,
  transaction: Transaction,
  code: FailureCode,
): Promise<void> {
  const wasDecided = await isUnconfirmed(db, transaction.id);
  if (transaction.status === 'failed' || transaction.status === 'cancelled')
    return noteAnswer(db, transaction.id, 'confirmed');
  const detail = `The channel reported a failure (${code}) after the transaction was ${transaction.status}`;
  const reason = 'conflicting_failure';
  await raiseAttention(db, { transactionId: transaction.id, reason, detail });
  if (!wasDecided) return;
  await noteAnswer(db, transaction.id, 'contradicted');
  const of = await movementOf(db, moneyOf(transaction));
  // A statement shows that it moved, so operators ask the channel which is true.
  if (of === null || (await isShown(db, of))) return;
  await postSuspense(db, {
    transactionId: transaction.id,
    currency: transaction.currency,
    channel: transaction.channel,
    connection: connectionOf(transaction),
    direction: kindOf(transaction).direction === 'payout' ? 'collection' : 'payout',
    amount: transaction.amount,
    receipt: `failed:${transaction.reference}`,
    of,
    note: `${detail} by a decision`,
  });
}

/**
 * Posts money that the transaction cannot take (a late success, a wrong amount) to suspense and notifies a
 * person. Repeated reports post nothing, with or without a receipt.
 */
async function suspend(
  db: Queryable,
  transaction: Transaction,
  success: Succeeded,
  reason: AttentionReason & ('late_success' | 'wrong_amount'),
): Promise<void> {
  const { id: transactionId, channel, reference } = transaction;
  const connection = connectionOf(transaction);
  const { amount, currency, channelReference, alsoKnownAs } = success;
  const { direction } = kindOf(transaction);
  const detail =
    `The channel moved ${formatMoney(amount)} ${currency} ` +
    `(${channelReference ?? reference}); the ` +
    `transaction is ${transaction.status} for ${formatMoney(transaction.amount)} ${transaction.currency}`;
  const movement = { transactionId, currency, channel, connection, direction, amount };
  const isNumberedAnew = channel === 'bank' && direction === 'payout';
  // A statement showed a booked movement with this amount, so the difference is an item already.
  const shown = await shownAs(db, { ...movement, receipt: channelReference, isNumberedAnew });
  if (shown !== null) {
    const names = [channelReference ?? [], alsoKnownAs ?? []].flat();
    await addNames(db, toldNames(shown.id, { channelReference: null, alsoKnownAs: names }));
    return raiseAttention(db, { transactionId, reason, detail, thing: shown.item });
  }
  const said = { ...movement, receipt: channelReference ?? reference, alsoKnownAs, note: detail };
  if (channelReference === null) {
    const item = await itemLike(db, movement);
    if (item === null) await postOdd(db, { ...said, isOurs: true }, reason);
    else if (item.isOfLine) await raiseAttention(db, { transactionId, reason, detail, thing: item.id });
    return;
  }
  const known = await knownBy(db, said, said);
  if (known !== null && (known.item === null || !isSameMoney(known, said)))
    return takeToldOtherwise(db, transaction, said, known, reason);
  const odd = { transaction, reason, detail };
  if (known?.item) {
    if (await joinUnnamed(db, known, movement, success)) return resolveItem(db, known.item.id, ANSWERED);
    // A statement line may have named it first. Record that the channel names it too.
    await addNames(db, toldNames(known.id, success));
    await assignItem(db, known.item.id, transactionId);
    return listItem(db, odd, known.transactionId, known.item.id);
  }
  const unnamed = await unnamedItemOf(db, { ...movement, isNumberedAnew });
  if (unnamed === null) return postOdd(db, said, reason);
  await addNames(db, toldNames(unnamed.id, success));
  if (unnamed.isOfLine) await listItem(db, odd, transactionId, unnamed.item);
}

/**
 * Raises attention for an item again. A resolved item needs attention only if another transaction owns it, or
 * if its pending transaction waits for this outcome.
 */
async function listItem(
  db: Queryable,
  {
    transaction,
    reason,
    detail,
  }: { transaction: Transaction; reason: 'late_success' | 'wrong_amount'; detail: string },
  of: string | null,
  item: string,
): Promise<void> {
  const { id: transactionId, status } = transaction;
  const isAsked = status === 'pending' && reason === 'late_success';
  if (of === transactionId && !isAsked && !(await isUnresolved(db, item))) return;
  await raiseAttention(db, { transactionId, reason, detail, thing: item });
}

type Said = {
  connection: string;
  receipt: string;
  alsoKnownAs?: readonly string[] | undefined;
  direction: Direction;
  amount: Minor;
  currency: string;
  channel: string;
  note: string;
};

const isSameMoney = (known: Known, { amount, currency }: Said) =>
  Math.abs(known.amount) === amount && known.currency === currency;

/**
 * The receipt belongs to a known movement. The same money is a repeat; if it is another transaction's, a
 * person is notified. Different money becomes one item and credits nobody.
 */
async function takeToldOtherwise(
  db: Queryable,
  transaction: Transaction,
  said: Said,
  known: Known,
  reason: AttentionReason & ('late_success' | 'wrong_amount'),
): Promise<void> {
  const { id: transactionId } = transaction;
  const { channel, currency } = said;
  const ours = [
    codeOf({ kind: 'clearing', channel }, currency),
    ...(channel === 'bank' ? [codeOf({ kind: 'settlement' }, currency)] : []),
  ];
  if (isSameMoney(known, said) && ours.includes(known.book)) {
    if (known.transactionId !== transactionId) await raiseMismatch(db, transaction, said.receipt, known);
    return;
  }
  // A statement proves what moved under this receipt.
  const item = known.item?.isOfLine ? known.item.id : await pointedBy(db, said);
  if (item !== null) return raiseAttention(db, { transactionId, reason, detail: said.note, thing: item });
  const receipt = `${besideOf(said.receipt)}${formatMoney(said.amount)} ${said.currency}`;
  await postOdd(db, { ...said, transactionId, receipt, isOurs: true }, reason);
}

/** Prefix of the name that we give to money contradicting this receipt's movement. */
export const besideOf = (receipt: string) => `${receipt} over `;

/** Posts money without an owner to suspense. Its entry closes only with the item. */
export async function postOdd(
  db: Queryable,
  movement: Parameters<typeof postSuspense>[1],
  reason: (typeof ANSWERED)[number],
): Promise<void> {
  const { transactionId, connection, receipt, note: detail } = movement;
  await postSuspense(db, movement);
  const item = await itemOfReceipt(db, movement);
  if (item?.transactionId === transactionId && !item.isUnresolved) return;
  const name = `${item?.space ?? connection}:${receipt}`;
  const subject = transactionId === null ? { subject: name } : { transactionId };
  await raiseAttention(db, { ...subject, reason, detail, thing: item?.id ?? name });
}

/** Attention reasons about money in suspense. Their entries close with the item. */
const ANSWERED = ['late_success', 'wrong_amount', 'unexpected_payment'] satisfies AttentionReason[];

/**
 * Closes the attention entry of an item that left, unless the money is on its way back to its payer. After
 * the last item of a pending transaction, raises `unknown_outcome`, which stays until the transaction ends.
 */
export async function endAlarmOf(db: Queryable, itemId: string): Promise<void> {
  const { transactionId } = await subjectOfItem(db, itemId);
  const transaction = transactionId === null ? null : await lockTransaction(db, transactionId);
  await resolveItem(db, itemId, ANSWERED);
  if (!transaction || isFinal(transaction.status) || isBilled(transaction)) return;
  if (transaction.handedOverAt === null || (await hasUnresolved(db, transaction.id))) return;
  const detail = 'None of its money is left in suspense, but the outcome of the transaction is unknown';
  await raiseAttention(db, { transactionId: transaction.id, reason: 'unknown_outcome', detail });
}
