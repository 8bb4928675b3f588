import { type BillRefusal, CLAIM_SECONDS, refusalOf } from '../../domain/bill.ts';
import { BrokenInvariant } from '../../domain/errors.ts';
import type { Fee } from '../../domain/fees.ts';
import { isUuid } from '../../domain/ids.ts';
import type { Minor } from '../../domain/money.ts';
import { billLimits } from '../../domain/network.ts';
import { type Known, knownBy, lockAgainstTyping } from '../../ledger/booked.ts';
import { getSuspenseItem } from '../../ledger/suspense.ts';
import { isToldOtherwise, itemOfReceipt } from '../../ledger/suspense-receipts.ts';
import { namesFrom } from '../../ledger/transfer.ts';
import type { Database, Queryable } from '../../platform/db/pool.ts';
import { inTransaction } from '../../platform/db/transaction.ts';
import { raiseAttention } from '../care/attention.ts';
import { requireOpenFence } from '../care/fence.ts';
import { besideOf, endAlarmOf, postOdd } from '../odd-money/suspense.ts';
import {
  acceptSuspended,
  type BillAttempt,
  type BillNotification,
  findReceipt,
  isOfAnother,
  moneyOf,
  recordedNumberOf,
  type StoredReceipt,
  storeReceipt,
} from '../rows/bill-receipts.ts';
import { claim } from '../rows/bill-store.ts';
import { shownAs } from '../rows/moved.ts';
import { lockAgainstLines } from '../rows/number-store.ts';
import { type BillDecision, decidedOf, decisionOf, tellAgain } from './bill-decision.ts';
import { asItWas, type Billed, claimantsOf, feeOf, lockBilled, transactionIdOf } from './billed.ts';
import { type CreditedBill, creditPayment } from './ending.ts';
import { openNumberPayment } from './number-payments.ts';
import { type OwedResult, oweResult } from './owed-results.ts';
import { isBooked, isElsewhere, isSameMoney, itemFor, toldBefore } from './told-before.ts';

export type { BillAttempt, BillNotification };

const UNKNOWN: BillDecision = { outcome: 'refused', reason: 'unknown_reference' };

/**
 * Answers a channel before it collects; no money moves. Reserves an exact bill for this customer; a repeat
 * gets the same answer and a longer reservation. `offers`: returns whether the channel may collect the
 * account's bills; money that comes is credited in any case.
 */
export async function validateBillPayment(
  database: Database,
  attempt: BillAttempt,
  offers: (accountId: string) => boolean = () => true,
): Promise<BillDecision> {
  const { controlNumber } = attempt;
  if (controlNumber === null) return UNKNOWN;
  return inTransaction(database, async (db) => {
    const bill = await lockBilled(db, controlNumber, attempt);
    if (!bill) {
      await requireOpenFence(db);
      return UNKNOWN;
    }
    const { accountId } = 'number' in bill ? bill.number : bill.transaction;
    if (!offers(accountId)) return UNKNOWN;
    const reason = refusalOf(bill, attempt);
    if (reason) return { outcome: 'refused', reason };
    if ('number' in bill) {
      const { space } = await findReceipt(db, attempt);
      return { outcome: 'accepted', transactionId: transactionIdOf(bill, { ...attempt, space }) };
    }
    const { id: transactionId } = bill.transaction;
    if (bill.mode === 'exact')
      await claim(db, { transactionId, by: claimantsOf(attempt), seconds: CLAIM_SECONDS });
    return { outcome: 'accepted', transactionId };
  });
}

/**
 * Handles a report that a customer's money has moved. One database transaction stores the receipt, decides,
 * posts and writes the event; the channel is answered after its commit. A repeated receipt gets the same
 * answer and posts nothing. A payment that we cannot accept is refused if the channel then returns the money.
 * Otherwise it goes to suspense and notifies a person. `wasAccepted`: we accepted it before a restore, so it
 * is never refused, even if the bill has expired. `owes`: from this commit on, we owe the network a message
 * with the decision.
 */
export async function receiveBillPayment(
  database: Database,
  reported: BillNotification,
  { wasAccepted = false, owes }: { wasAccepted?: boolean; owes?: Pick<OwedResult, 'id' | 'request'> } = {},
): Promise<BillDecision> {
  const { isOurs = false, hasReceipt = true } = reported;
  const named = { ...reported, isOurs: isOurs || !hasReceipt };
  const payment = wasAccepted ? { ...named, refusalReturnsMoney: false } : named;
  return inTransaction(database, async (db) => {
    await lockAgainstTyping(db, payment);
    const taken = wasAccepted ? await withItsItem(db, payment) : payment;
    const decision = (await isNobodys(db, taken)) ? UNKNOWN : await decide(db, taken, wasAccepted);
    const { connection, channel, receipt } = payment;
    if (owes) await oweResult(db, { ...owes, connection, channel, receipt, ...decidedOf(decision) });
    return decision;
  });
}

/** True if no bill can have this number: it is unreadable. False for a known receipt: we keep its money. */
async function isNobodys(db: Queryable, payment: BillNotification): Promise<boolean> {
  if (payment.controlNumber !== null || !payment.refusalReturnsMoney) return false;
  const { stored } = await findReceipt(db, payment);
  if (stored !== null || (await toldBefore(db, payment)) !== null) return false;
  // A restore may have lost the receipt.
  await requireOpenFence(db);
  return true;
}

/** Before a restore, operators may have booked an item as this payment; the item may be open again. */
async function withItsItem(db: Queryable, payment: BillNotification): Promise<BillNotification> {
  const known = await knownBy(db, { ...payment, direction: 'collection' });
  const id = known === null ? (await itemOfReceipt(db, payment))?.id : known.item?.id;
  const item = id === undefined ? null : await getSuspenseItem(db, id);
  const isIts = item?.amount === payment.amount && item?.currency === payment.currency;
  return item && item.release === null && isIts ? { ...payment, item: item.id, agreed: null } : payment;
}

export async function decide(
  db: Queryable,
  reported: BillNotification,
  wasAccepted: boolean,
): Promise<BillDecision> {
  const { controlNumber } = reported;
  const read = await findReceipt(db, reported);
  const told = read.stored === null ? await toldBefore(db, reported) : null;
  // A concurrent notification may have taken this payment since the first read.
  const { space, stored: known } = told === null ? read : await findReceipt(db, reported);
  if (known && isOfAnother(known, reported)) return takeContradiction(db, reported, space);
  const isHeld = known?.outcome === 'suspended' && reported.agreed !== undefined;
  if (known && !isHeld) return answerAgain(db, known, { ...reported, space });
  const payment = known ? { ...reported, ...payerIn(known) } : reported;
  const again = wasAccepted || payment.agreed !== undefined ? null : await tellAgain(db, payment);
  if (again !== null) return again;
  if (told && isElsewhere(told, payment)) return answerElsewhere(db, payment, told);
  if (told && payment.amount !== null && !isSameMoney(told, payment))
    return takeContradiction(db, payment, space);
  const found = controlNumber === null ? null : await lockBilled(db, controlNumber, payment);
  const bill = found && wasAccepted ? asItWas(found) : found;
  // The number may be unknown because a restore lost its bill.
  if (!bill) await requireOpenFence(db);
  // Nothing is locked yet that the import of its line locks, too.
  if (!bill || ('number' in bill && payment.hasReceipt === false)) await lockAgainstLines(db);
  const item = payment.item ?? itemFor(bill, told);
  const verdict = await verdictOf(db, bill, { ...payment, item }, told);
  // A statement import may have booked this payment while this one waited for a lock.
  if (!known && told === null && (await toldBefore(db, payment))) return decide(db, reported, wasAccepted);
  if (known && verdict.outcome !== 'accepted') return answerAgain(db, known, { ...payment, space });
  const paid = bill && (verdict.outcome === 'accepted' || !('number' in bill)) ? bill : null;
  const transactionId = paid && transactionIdOf(paid, { ...payment, space });
  const at = bill?.now ?? null;
  const decided = { transactionId, at, payment, verdict, space };
  if (!(await (known ? acceptSuspended(db, decided) : storeReceipt(db, decided)))) {
    const { stored } = await findReceipt(db, payment);
    if (!stored) throw new BrokenInvariant('a receipt is there and is not');
    if (isOfAnother(stored, payment)) return takeContradiction(db, payment, space);
    return answerAgain(db, stored, { ...payment, space });
  }
  if (verdict.outcome === 'refused') return { outcome: 'refused', reason: verdict.reason };
  if (verdict.outcome === 'suspended')
    return suspendPayment(db, { transactionId, payment: { ...payment, item }, reason: verdict.reason });
  return acceptPayment(db, verdict, { ...payment, item, space });
}

const payerIn = ({ receipt, msisdn, fullName }: StoredReceipt) => ({ receipt, msisdn, fullName });

/** A push or top-up has this receipt: answers the network as to a repeat, and notifies a person. */
async function answerElsewhere(db: Queryable, payment: BillNotification, told: Known): Promise<BillDecision> {
  const { channel, connection, receipt, controlNumberAsSent } = payment;
  const of = told.transactionId ?? 'a movement that is booked';
  const name = `${connection}:${receipt}`;
  await raiseAttention(db, {
    ...(told.transactionId === null ? { subject: name } : { transactionId: told.transactionId }),
    thing: `${name} for ${controlNumberAsSent}`,
    reason: 'receipt_mismatch',
    detail:
      `${channel} (${connection}) notified ${moneyOf(payment)} for ` +
      `${controlNumberAsSent} under ${receipt}, ` +
      `but that is the receipt of ${of}: nothing was booked`,
  });
  return { outcome: 'suspended', transactionId: null };
}

type Acceptance = Fee & { outcome: 'accepted'; bill: Billed; amount: Minor; number: number };
type Verdict =
  | Acceptance
  | { outcome: 'refused'; reason: BillRefusal }
  | { outcome: 'suspended'; reason: SuspendedFor };
/** `counted_before`: the receipt is in suspense. `receipt_of_another`: another connection reported it. */
type SuspendedFor = BillRefusal | 'counted_before' | 'receipt_of_another';

async function verdictOf(
  db: Queryable,
  bill: Billed | null,
  payment: BillNotification,
  told: Known | null,
): Promise<Verdict> {
  // Never refuse a receipt that a statement shows: the network would give its money back.
  const outcome = payment.refusalReturnsMoney && told === null ? 'refused' : 'suspended';
  if (!bill) return { outcome, reason: 'unknown_reference' };
  // Accept money that the channel cannot return, even if another customer has a claim.
  const claimedByAnother = payment.refusalReturnsMoney && bill.claimedByAnother;
  const reason = refusalOf({ ...bill, claimedByAnother }, payment);
  // Above any bill's maximum, a person decides whether to credit the money or send it back.
  if (reason && (payment.amount ?? 0) > billLimits.maximum) return { outcome: 'suspended', reason };
  if (reason) return { outcome, reason };
  const item = told?.item ?? (await itemOfReceipt(db, payment));
  if (item && item.id !== payment.item) return { outcome: 'suspended', reason: 'counted_before' };
  const { amount, msisdn, payerAccount = null, feeVersion } = payment;
  if (amount === null) throw new BrokenInvariant('a payment without an amount was accepted');
  return {
    outcome: 'accepted',
    bill,
    amount,
    ...(await feeOf(db, bill, { amount, payer: msisdn ?? payerAccount, feeVersion })),
    number: bill.payments + 1,
  };
}

async function acceptPayment(
  db: Queryable,
  { bill, amount, fee, version, number }: Acceptance,
  payment: BillNotification & { space: string },
): Promise<BillDecision> {
  const { channel, connection, space, receipt, msisdn, fullName, isOurs = false } = payment;
  const { item = null, agreed = null } = payment;
  const names = namesFrom(isOurs ? null : receipt, payment.alsoKnownAs);
  const told = { channel, connection, space, receipt, names, msisdn, fullName };
  const credited = { ...told, amount, fee, item, agreed, part: number };
  const transactionId = transactionIdOf(bill, payment);
  const credit = async (of: CreditedBill) => {
    await creditPayment(db, of, credited);
    if (item !== null) await endAlarmOf(db, item);
  };
  if ('number' in bill) {
    await credit(await openNumberPayment(db, bill, { space, receipt, amount, version }));
    return { outcome: 'accepted', transactionId, isBegun: true };
  }
  await db.query(
    `UPDATE bills SET paid = paid + $2, payments = payments + 1, claimed_by = NULL, claimed_until = NULL
     WHERE transaction_id = $1`,
    [transactionId, amount],
  );
  await credit(bill);
  return { outcome: 'accepted', transactionId };
}

async function suspendPayment(
  db: Queryable,
  odd: { transactionId: string | null; payment: BillNotification; reason: SuspendedFor },
): Promise<BillDecision> {
  const { transactionId, payment, reason } = odd;
  const { channel, connection, receipt, alsoKnownAs, amount, currency, isOurs = false } = payment;
  const detail =
    `${channel} (${connection}) took ${moneyOf(payment)} from a customer ` +
    `(${receipt}) for ${payment.controlNumberAsSent}: ${reason}`;
  const direction = 'collection';
  const movement = {
    transactionId,
    currency,
    channel,
    connection,
    direction,
    amount,
    receipt,
    alsoKnownAs,
    isOurs,
    toldBy: 'door',
    note: detail,
  } as const;
  const about = payment.prompt ?? transactionId;
  // A statement showed the money first, so its item keeps the money.
  if (payment.item && (payment.prompt || isOurs))
    await raiseAttention(db, {
      ...(about === null ? { subject: `${connection}:${receipt}` } : { transactionId: about }),
      reason: 'unexpected_payment',
      detail,
      thing: payment.item,
    });
  else await postOdd(db, movement, 'unexpected_payment');
  return { outcome: 'suspended', transactionId };
}

/** `name`: a receipt or our transaction id. For an id, only an accepted payment of `msisdn` counts. */
export async function findBillDecision(
  db: Queryable,
  asked: { channel: string; connection: string; name: string; msisdn: string | null },
): Promise<BillDecision | null> {
  const { channel, connection, name, msisdn } = asked;
  const { stored } = await findReceipt(db, { connection, receipt: name });
  if (stored) return decisionOf(stored);
  const told = await knownBy(db, { channel, connection, receipt: name, direction: 'collection' });
  // A push has this money, so the bill's notification was answered like a repeat.
  if (told?.item === null) return { outcome: 'suspended', transactionId: null };
  if (!isUuid(name)) return null;
  const { rowCount } = await db.query(
    `SELECT 1 FROM bill_receipts
     WHERE transaction_id = $1 AND channel = $2 AND outcome = 'accepted' AND ($3::text IS NULL OR msisdn = $3)
     LIMIT 1`,
    [name.toLowerCase(), channel, msisdn],
  );
  return rowCount === 1 ? { outcome: 'accepted', transactionId: name.toLowerCase() } : null;
}

/**
 * Handles a payment whose owner is unclear: nobody is credited, and a person decides. A second row keeps the
 * payment once, under a name of its own. Later reports from the same source are compared with that row.
 */
export async function takeContradiction(
  db: Queryable,
  payment: BillNotification,
  space: string,
): Promise<BillDecision> {
  const by = payment.prompt ?? `${payment.connection}/${payment.channel}`;
  const alsoKnownAs = [payment.receipt, ...(payment.alsoKnownAs ?? [])];
  const beside = { ...payment, receipt: `${besideOf(payment.receipt)}${by}`, alsoKnownAs, isOurs: true };
  const verdict = { outcome: 'suspended', reason: 'receipt_of_another' } as const;
  const nobodys = { transactionId: null, payment: beside };
  if (await storeReceipt(db, { ...nobodys, at: null, verdict, space }))
    return suspendPayment(db, { ...nobodys, reason: verdict.reason });
  const { stored } = await findReceipt(db, beside);
  if (!stored) throw new BrokenInvariant('a receipt is there and is not');
  return answerAgain(db, stored, { ...beside, space });
}

/**
 * The first decision stands, even if the bill has changed. A repeat with other details alerts a person. If
 * the amount differs, other money may have moved: that money becomes an item, once, unless a statement shows
 * that it is this payment. We do not refuse it, because the network would give it back.
 */
async function answerAgain(
  db: Queryable,
  stored: StoredReceipt,
  payment: BillNotification & { space: string },
): Promise<BillDecision> {
  const sameNumber = stored.controlNumber === recordedNumberOf(payment);
  const isStored =
    stored.amount === (payment.amount ?? 0) &&
    stored.currency === payment.currency &&
    !(payment.amount === null && (await isToldOtherwise(db, payment, moneyOf(payment))));
  const sameMoney = isStored || (await isBooked(db, payment));
  if (!sameNumber || !sameMoney) {
    const { channel, connection, receipt, space } = payment;
    const { transactionId } = stored;
    // Each different report gets its own entry, so a third report is seen while the second's entry is open.
    const other = sameNumber
      ? `amount or currency: ${moneyOf(payment)}`
      : `control number: ${recordedNumberOf(payment)}`;
    const name = `${space}:${receipt}`;
    await raiseAttention(db, {
      ...(transactionId === null ? { subject: name } : { transactionId }),
      thing: `${name} with ${other}`,
      reason: 'receipt_mismatch',
      detail: `${channel} (${connection}) notified ${receipt} twice, with another ${other}`,
    });
    const isMore = !sameMoney && payment.amount !== null && !payment.isOurs && stored.outcome !== 'refused';
    const its = { ...payment, transactionId, direction: 'collection', isNumberedAnew: false } as const;
    if (isMore && (await shownAs(db, its)) === null) return takeContradiction(db, payment, space);
  }
  return decisionOf(stored);
}
