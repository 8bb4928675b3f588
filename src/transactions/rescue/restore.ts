import { keepOwnFees } from '../../accounts/fees.ts';
import { InsufficientFunds } from '../../domain/errors.ts';
import { type FeeSchedule, feesNamed } from '../../domain/fees.ts';
import { type Minor, minor } from '../../domain/money.ts';
import { ERASED_MSISDN } from '../../domain/msisdn.ts';
import {
  type Accepted,
  type AcceptedRow,
  type BilledRequest,
  isPayoutRequest,
  type MoneyRequest,
  type PayoutRequest,
  type PushRequest,
  type RefundRequest,
  type SettlementRequest,
  type Submission,
} from '../../domain/operation.ts';
import { nobody } from '../../domain/payout.ts';
import type { PaidPart } from '../../domain/refund.ts';
import { PARTS_MAX, partsOf } from '../../domain/settle-parts.ts';
import { type CollectionTransaction, isBilled, isMerchants, isPayout } from '../../domain/transaction.ts';
import type { Database, Queryable } from '../../platform/db/pool.ts';
import { rowOfBill } from '../acceptance/accept-bill.ts';
import { settlementPartIdOf } from '../acceptance/idempotency.ts';
import { countAt } from '../acceptance/limits.ts';
import type { Origins } from '../acceptance/origin.ts';
import { insertRows, storeAccepted, storedFor, takeMoney } from '../acceptance/record.ts';
import {
  type PendingRow,
  type Rows,
  rowOfNamedPayout,
  rowOfPayout,
  rowOfPush,
  rowsOfSettlement,
} from '../acceptance/submissions.ts';
import { paidPartsOf } from '../odd-money/refunds.ts';
import { lockTransaction } from '../rows/store.ts';
import { type Restored, restoring } from './restoring.ts';

/** Accepts a lost submission again: row, hold and answer bytes. Idempotent; `isDry` changes nothing. */
export function restoreAccepted(
  database: Database,
  { submission, accepted, isDry }: { submission: Submission; accepted: Accepted; isDry: boolean },
  origins: Origins,
): Promise<Restored> {
  const acceptedAt = momentOf(submission, accepted);
  return restoring(database, submission, isDry, async (db) => {
    if (await storedFor(db, submission)) return 'there';
    const { answer, fees: frozen } = accepted;
    if (!frozen) throw new Error('its history does not say by which fees it was accepted');
    const fees = feesNamed(frozen.version, frozen.own);
    await db.query('SAVEPOINT before_hold');
    const rows = await rowsAgain(db, submission, { rows: rowsOf(accepted), fees, acceptedAt });
    if (!(await insertRows(db, rows))) {
      await db.query('ROLLBACK TO SAVEPOINT before_hold');
      return 'there';
    }
    if (!(await takeMoney(db, rows, origins))) throw new InsufficientFunds();
    if (frozen.own) await keepOwnFees(db, submission.accountId, frozen.own);
    // Rows newer than the fence's lift count as never sent, so no time may be after Postgres's now.
    await db.query(
      `UPDATE transactions SET created_at = moment.at, updated_at = moment.at, status_at = moment.at
       FROM (SELECT least($2::timestamptz, now()) AS at) moment WHERE id = ANY($1::uuid[])`,
      [rows.map((row) => row.submission.transactionId), acceptedAt],
    );
    await storeAccepted(db, { rows, answer: () => answer.body });
    return 'restored';
  });
}

/** Returns the ids that an acceptance made. A settlement is accepted with all its payouts. */
export function madeBy({ transactionId }: Submission, { rows = [] }: Accepted): string[] {
  return rows.map((_row, index) => settlementPartIdOf(transactionId, index));
}

/** A restore must keep the number: it was printed, or is in the QR code. */
export function controlNumberOf(accepted: { rows?: readonly AcceptedRow[] }): string {
  const [{ reference }] = rowsOf(accepted);
  if (!reference) throw new Error('its history does not say its control number');
  return reference;
}

type Told = readonly [AcceptedRow, ...AcceptedRow[]];

function rowsOf({ rows: [first, ...others] = [] }: { rows?: readonly AcceptedRow[] }): Told {
  if (!first) throw new Error('its history does not say what was accepted');
  return [first, ...others];
}

/** The request, or the proof of acceptance (`isProvenAccepted`), gives the amounts, up to the maximum. */
function partsAgain(request: SettlementRequest, rows: Told): Minor[] {
  const amount = believed(minor(rows.reduce((sum, row) => sum + row.amount, 0)), request);
  if (amount <= 0 || amount > request.partMax * PARTS_MAX) throw new Error(NEVER_ACCEPTED);
  return partsOf(amount, request);
}

/** limit for submissions without a maximum age */
const LATE_MS_MAX = 24 * 60 * 60_000;

/** A history does not prove its time, so a time too far from the request's is ignored. */
function momentOf({ receivedAt, timing }: Submission, { at }: Accepted): string {
  if (at === undefined) return receivedAt;
  const late = Math.abs(Date.parse(at) - Date.parse(receivedAt));
  return late <= (timing.submissionMaxAgeMs ?? LATE_MS_MAX) ? at : receivedAt;
}

type Before = { rows: Told; fees: FeeSchedule; acceptedAt: string };

/** Makes the accepted rows again. First counts a payout on its day, as `accept` did. */
async function rowsAgain(db: Queryable, submission: Submission, before: Before): Promise<Rows> {
  const { request, batch } = submission;
  // TypeScript cannot link the submission's type to its request's mode.
  const as = <R extends MoneyRequest>(one: R) => ({ ...submission, request: one }) as Submission<R>;
  if (isPayoutRequest(request)) {
    const payout = as<PayoutRequest>(request);
    if (batch) return [rowOfNamedPayout(payout, { fee: batch.fee, version: batch.feeVersion })];
    const { fee, version } = moneyOf(before, request);
    await countAt(db, payout, before.acceptedAt);
    return [rowOfNamedPayout(payout, { fee, version })];
  }
  switch (request.mode) {
    case 'ussd':
      return [rowOfPush(as<PushRequest>(request), before.fees)];
    case 'billpay':
    case 'qr': {
      const controlNumber = controlNumberOf(before);
      return [rowOfBill(as<BilledRequest>(request), { controlNumber, fees: before.fees })];
    }
    case 'refund':
      return [await rowOfRefund(db, as(request), before)];
    case 'settlement':
      return rowsOfSettlement(as(request), partsAgain(request, before.rows), before.fees);
  }
}

/** The payment was paid, although this copy of Postgres may not know it yet. */
async function rowOfRefund(
  db: Queryable,
  submission: Submission<RefundRequest>,
  before: Before,
): Promise<PendingRow> {
  const { request } = submission;
  const payment = await lockTransaction(db, request.refundOf);
  if (!payment || isPayout(payment) || !isMerchants(payment))
    throw new Error(`its payment ${request.refundOf} is not there`);
  const part = await refundedPartOf(db, payment, request);
  if (!part?.msisdn) throw new Error(`what it gives back of ${request.refundOf} is not there`);
  if (part.msisdn === ERASED_MSISDN) throw new Error('its payer was erased, so it would pay nobody');
  const { number: refundPayment, msisdn, fullName } = part;
  return rowOfPayout(submission, { refundPayment, ...nobody, msisdn, fullName, ...moneyOf(before, request) });
}

/** One payment matched when the refund was accepted; the bill may have more by now. */
async function refundedPartOf(
  db: Queryable,
  payment: CollectionTransaction,
  { receipt, channel }: RefundRequest,
): Promise<PaidPart | undefined> {
  if (!isBilled(payment)) return (await paidPartsOf(db, { ...payment, status: 'completed' }))[0];
  const parts = await paidPartsOf(db, payment);
  return parts.find((part) => part.channel === channel && (receipt === null || part.receipt === receipt));
}

/** The fee may come from a preview, and a refund's amount from the rest of its payment. */
function moneyOf(
  { rows: [{ amount, fee }], fees: { version } }: Before,
  request: PayoutRequest | RefundRequest,
) {
  return { amount: believed(minor(amount), request), fee: minor(fee), version };
}

const NEVER_ACCEPTED = 'its amount is none that was ever accepted for it';

function believed(told: Minor, { amount }: { amount: Minor | null }): Minor {
  if (amount !== null && told !== amount) throw new Error(NEVER_ACCEPTED);
  return told;
}
