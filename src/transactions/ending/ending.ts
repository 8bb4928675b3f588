import { insertCallbackEvent } from '../../callbacks/event.ts';
import type { AttentionReason } from '../../domain/attention.ts';
import { BrokenInvariant } from '../../domain/errors.ts';
import { type FailureCode, failureReasonOf } from '../../domain/failure.ts';
import { type BilledMode, kinds } from '../../domain/kinds.ts';
import { inEnglish } from '../../domain/messages.ts';
import { type Minor, minor } from '../../domain/money.ts';
import {
  connectionOf,
  isBilled,
  isFinal,
  isMerchants,
  kindOf,
  type MerchantTransaction,
  paidBy,
  type Transaction,
  type TransactionOf,
} from '../../domain/transaction.ts';
import { type HoldSubject, releaseHold, takeHold } from '../../ledger/hold.ts';
import { postBillPayment, postCollection } from '../../ledger/movement.ts';
import { resolvePayback } from '../../ledger/payable.ts';
import { type MovementName, namesFrom, type Told } from '../../ledger/transfer.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { prepared } from '../../platform/db/prepared.ts';
import { isCounted, uncountPayout } from '../acceptance/limits.ts';
import { raiseAttention, resolveAttention } from '../care/attention.ts';
import { receiptUrl, receiptUrlOf } from '../odd-money/receipt-page.ts';
import { endAlarmOf } from '../odd-money/suspense.ts';
import type { Agreed } from '../rows/bill-receipts.ts';
import { type TransactionRow, transactionColumns } from '../rows/columns.ts';
import { toTransaction } from '../rows/read-transaction.ts';
import { announceEnd } from './announce-end.ts';
import { applyWaitingReturns, type WaitingReturn } from './returns.ts';

/** Only this file writes a final status, its event and its money. The caller holds the pending row's lock. */
export type Ending =
  /** `item`: in suspense, from a statement line that showed the money first */
  | {
      kind: 'succeeded';
      fullName: string | null;
      channelReference: string | null;
      alsoKnownAs?: readonly string[];
      item?: string | null;
      /** operators decided so, and the channel has not confirmed it */
      isDecided?: boolean;
    }
  | { kind: 'failed'; code: FailureCode; channelReference: string | null }
  | { kind: 'cancelled' };

/** Attention reasons that an end answers. A `broken` step may hide a success, so only success answers it. */
const BY_ANY_END: AttentionReason[] = ['unknown_outcome', 'overdue', 'stuck'];
const BY_SUCCESS: AttentionReason[] = [...BY_ANY_END, 'broken'];

export async function end(
  db: Queryable,
  before: Transaction,
  ending: Ending,
  returns: readonly WaitingReturn[] = [],
): Promise<Transaction> {
  const after = await writeStatus(db, before, ending);
  // A push from a page sends no event: its bill or number does.
  if (isMerchants(after) && paidBy(after) === null)
    await insertCallbackEvent(db, after, endEventOf(after), { receiptUrl: receiptUrlOf(db, after) });
  if (kindOf(after).party === 'own' && ending.kind === 'failed') {
    const detail = `the money stays in the balance: ${inEnglish(failureReasonOf(ending.code))}`;
    await raiseAttention(db, { transactionId: after.id, reason: 'settlement_failed', detail });
  }
  if (ending.kind !== 'succeeded' && isCounted(after)) await uncountPayout(db, after);
  // Lock the merchant's balances last, so a busy account waits briefly. The order is the same everywhere:
  // `available` for an earlier return, then `held`.
  await applyWaitingReturns(db, after, returns);
  const paid = paidOf(before, after, ending);
  await (isMerchants(after) ? moveMoney(db, after, paid) : movePayback(db, after, paid));
  announceEnd(db, after);
  return after;
}

/** An accepted payment of a bill. Amounts are minor units. */
export type CreditedPayment = {
  channel: string;
  connection: string;
  space: string;
  receipt: string;
  names: readonly MovementName[];
  part: number;
  msisdn: string | null;
  fullName: string | null;
  amount: Minor;
  fee: Minor;
  /** item of the statement line that showed the money first, or that operators agreed on */
  item: string | null;
  agreed: Agreed | null;
};

/** Crediting needs these facts of a bill, or of a number's payment. Amounts are minor units. */
export type CreditedBill = {
  transaction: { id: string; mode: BilledMode };
  amount: Minor;
  paid: Minor;
  fees: Minor;
  now: string;
};

/** Writes a bill payment's event and money. The payment that reaches the bill's amount ends it. */
export async function creditPayment(
  db: Queryable,
  bill: CreditedBill,
  payment: CreditedPayment,
): Promise<void> {
  const { id } = bill.transaction;
  const { amount, fee, channel, connection, space, receipt, names, part, item, agreed } = payment;
  const { success, events } = kindOf(bill.transaction);
  const paid = minor(bill.paid + amount);
  const fees = minor(bill.fees + fee);
  const { rows } = await db.query(
    `UPDATE transactions t SET event = $2, channel = $3, channel_reference = $4, msisdn = $5, full_name = $6,
       fee = $7, updated_at = $8::timestamptz,
       status = CASE WHEN $9 THEN $10 ELSE status END,
       settled = CASE WHEN $9 THEN $11::bigint END,
       status_at = CASE WHEN $9 THEN $8::timestamptz ELSE status_at END
     WHERE id = $1 RETURNING ${transactionColumns}`,
    [
      id,
      events.success,
      channel,
      receipt,
      payment.msisdn,
      payment.fullName,
      fees,
      bill.now,
      paid >= bill.amount,
      success,
      paid - fees,
    ],
  );
  const after = written(rows);
  if (!isBilled(after)) throw new BrokenInvariant(`${id} received a payment and is no bill`);
  const beside = { payment: { amount, fee }, receiptUrl: receiptUrl(db, { id, part }) };
  await insertCallbackEvent(db, after, events.success, beside);
  const { accountId, currency } = after;
  if (isFinal(after.status)) {
    await resolveAttention(db, id, BY_SUCCESS);
    announceEnd(db, after);
  }
  const movement = {
    transactionId: id,
    accountId,
    currency,
    channel,
    connection,
    space,
    receipt,
    names,
    part,
    value: amount,
    fee,
    item,
    agreed,
  };
  await postBillPayment(db, movement);
}

/** Writes the state and closes answered entries. The time is read under the lock, so events are in order. */
async function writeStatus(db: Queryable, before: Transaction, ending: Ending): Promise<Transaction> {
  const { success, events, money } = kindOf(before);
  const succeeded = ending.kind === 'succeeded';
  const { rows } = await db.query(
    prepared(`WITH answered AS (
       UPDATE attention SET resolved_at = now()
       WHERE transaction_id = $1 AND resolved_at IS NULL AND reason = ANY($9))
     UPDATE transactions t SET status = $2, event = $3, failure_code = $4, settled = $5,
       channel_reference = coalesce($6, channel_reference), full_name = coalesce(full_name, $7),
       is_receipt = $8, paid_at = CASE WHEN $2 = 'paid' THEN moment.at END, next_enquiry_at = NULL,
         due_at = now(),
       updated_at = moment.at, status_at = moment.at
     FROM (SELECT clock_timestamp() AS at) moment
     WHERE id = $1 RETURNING ${transactionColumns}`),
    [
      before.id,
      succeeded ? success : ending.kind,
      succeeded ? events.success : events.failure,
      ending.kind === 'failed' ? ending.code : null,
      succeeded && money === 'credit' ? creditOf(before) : null,
      'channelReference' in ending ? ending.channelReference : null,
      succeeded ? ending.fullName : null,
      succeeded && ending.channelReference !== null,
      succeeded ? BY_SUCCESS : BY_ANY_END,
    ],
  );
  return written(rows);
}

/** A push from a page credits nothing: the payment of its bill or number does. */
function creditOf(transaction: Transaction): number {
  return paidBy(transaction) === null ? transaction.amount - transaction.fee : 0;
}

function endEventOf(transaction: Transaction) {
  const { success, events } = kindOf(transaction);
  return transaction.status === success ? events.success : events.failure;
}

/** `item` already has the money; `told`: who reported the movement, and under which names. */
type Paid = { item: string | null; told: Told };

function paidOf(before: Transaction, after: Transaction, ending: Ending): Paid {
  const connection = isBilled(after) ? null : connectionOf(after);
  if (ending.kind !== 'succeeded') return { item: null, told: { toldBy: 'channel', names: [], connection } };
  const { item = null, channelReference, alsoKnownAs = [], isDecided = false } = ending;
  // Some statements carry only the number of the acceptance.
  const names = namesFrom(channelReference, [...alsoKnownAs, before.channelReference]);
  return { item, told: { toldBy: isDecided ? 'people' : 'channel', names, connection } };
}

function moveMoney(db: Queryable, transaction: MerchantTransaction, paid: Paid): Promise<unknown> {
  const { success, money } = kinds[transaction.mode];
  const succeeded = transaction.status === success;
  const subject = {
    transactionId: transaction.id,
    accountId: transaction.accountId,
    currency: transaction.currency,
    channel: transaction.channel,
    reference: transaction.reference,
    value: transaction.amount,
    fee: transaction.fee,
  };
  switch (money) {
    case 'credit':
      return succeeded && paidBy(transaction) === null
        ? postCollection(
            db,
            { ...subject, receipt: transaction.channelReference, item: paid.item },
            paid.told,
          )
        : Promise.resolve();
    case 'credit_each_payment':
      // Each payment was credited when it arrived.
      return Promise.resolve();
    case 'hold':
      return resolveHold(db, subject, { ...paid, succeeded });
  }
}

/** Sends no callback: operators see the payback at its item, whose entry closes when the payer is paid. */
async function movePayback(
  db: Queryable,
  payback: TransactionOf<'payback'>,
  { told, item: paidAs }: Paid,
): Promise<void> {
  const { id: transactionId, item, currency, channel, reference, amount: value } = payback;
  const isPaid = payback.status === kinds.payback.success;
  const subject = { transactionId, item, currency, channel, reference, value };
  await resolvePayback(db, subject, { succeeded: isPaid, told, paidAs });
  if (isPaid) await endAlarmOf(db, item);
}

async function resolveHold(
  db: Queryable,
  subject: HoldSubject,
  { succeeded, ...paid }: Paid & { succeeded: boolean },
): Promise<void> {
  if (await (succeeded ? takeHold(db, subject, paid) : releaseHold(db, subject))) return;
  throw new BrokenInvariant(`the hold of ${subject.transactionId} was resolved before its payout was final`);
}

function written([row]: TransactionRow[]): Transaction {
  if (!row) throw new BrokenInvariant('the row we hold the lock of is gone');
  return toTransaction(row);
}
