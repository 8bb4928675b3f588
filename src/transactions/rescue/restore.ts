import type { Database, Queryable } from '../../db/pool.ts';
import { inTransaction } from '../../db/transaction.ts';
import { InsufficientFunds } from '../../domain/errors.ts';
import { type FeeService, feeFor } from '../../domain/fees.ts';
import { channelReferenceOf } from '../../domain/ids.ts';
import { type Minor, minorFromUnits } from '../../domain/money.ts';
import type {
  BilledRequest,
  PayoutRequest,
  PushRequest,
  RefundRequest,
  StoredAnswer,
  Submission,
} from '../../domain/operation.ts';
import type { PaidPart } from '../../domain/refund.ts';
import { parseTanqr } from '../../domain/tanqr.ts';
import { type CollectionTransaction, isBilled, isMerchants, isPayout } from '../../domain/transaction.ts';
import { placeHold } from '../../ledger/hold.ts';
import { insertBillRows } from '../acceptance/accept-bill.ts';
import { countAgain } from '../acceptance/limits.ts';
import {
  insertTransaction,
  type PendingRow,
  partyOf,
  pendingRowOf,
  storeAccepted,
  storedFor,
} from '../acceptance/submissions.ts';
import { paidPartsOf } from '../odd-money/refunds.ts';
import { lockTransaction } from '../rows/store.ts';

/** `uncovered`: the balance that Postgres remembers does not cover its hold; a top-up may be lost as well. */
export type Restored = 'restored' | 'there' | 'uncovered' | 'account_unknown';

/**
 * Accepts again what was accepted before commits were lost: the transaction, its hold, and under its key the very bytes
 * that the merchant got. Run twice it changes nothing. `isDry`: only says what it would do.
 */
export async function restoreAccepted(
  database: Database,
  { submission, answer, isDry }: { submission: Submission; answer: StoredAnswer; isDry: boolean },
): Promise<Restored> {
  try {
    return await inTransaction(database, async (db) => {
      if (await storedFor(db, submission)) return 'there';
      const account = await db.query('SELECT FROM api_keys WHERE id = $1 AND account_id = $2', [
        submission.apiKeyId,
        submission.accountId,
      ]);
      if (account.rowCount === 0) return 'account_unknown';
      if (!(await insertRows(db, submission, answer.body))) return 'there';
      await db.query(
        'UPDATE transactions SET created_at = $2, updated_at = $2, status_at = $2 WHERE id = $1',
        [submission.transactionId, submission.receivedAt],
      );
      await storeAccepted(db, submission, answer.body);
      if (isDry) throw new DryRun();
      return 'restored';
    });
  } catch (error) {
    if (error instanceof DryRun) return 'restored';
    if (error instanceof InsufficientFunds) return 'uncovered';
    throw error;
  }
}

/** Takes everything back. */
class DryRun extends Error {}

function insertRows(db: Queryable, submission: Submission, body: string): Promise<boolean> {
  const { request } = submission;
  switch (request.mode) {
    case 'ussd':
      return insertPush(db, { ...submission, request } as Submission<PushRequest>);
    case 'billpay':
    case 'qr':
      return insertBillRows(db, { ...submission, request } as Submission<BilledRequest>, {
        controlNumber: controlNumberOf(body),
        now: submission.receivedAt,
      });
    case 'mobile':
    case 'bank':
      return insertPayout(db, { ...submission, request } as Submission<PayoutRequest>, body);
    case 'refund':
      return insertRefund(db, { ...submission, request } as Submission<RefundRequest>, body);
  }
}

function insertPush(db: Queryable, submission: Submission<PushRequest>): Promise<boolean> {
  const { request, transactionId, receivedAt } = submission;
  return insertTransaction(
    db,
    pendingRowOf(submission, {
      amount: request.amount,
      reference: channelReferenceOf('collection', transactionId),
      msisdn: request.msisdn,
      ...feeFor('ussd', request.amount, receivedAt),
    }),
  );
}

async function insertPayout(
  db: Queryable,
  submission: Submission<PayoutRequest>,
  body: string,
): Promise<boolean> {
  const { request, transactionId, receivedAt } = submission;
  const row = pendingRowOf(submission, {
    reference: channelReferenceOf('payout', transactionId),
    ...partyOf(request, null),
    ...moneyOf(submission, body, request.mode),
  });
  if (!(await insertTransaction(db, row))) return false;
  await countAgain(db, submission, receivedAt);
  return holdAgain(db, row);
}

/** Its payment was paid when the refund was accepted, although this copy of Postgres may not know it yet. */
async function insertRefund(
  db: Queryable,
  submission: Submission<RefundRequest>,
  body: string,
): Promise<boolean> {
  const { request, transactionId } = submission;
  const payment = await lockTransaction(db, request.refundOf);
  if (!payment || isPayout(payment) || !isMerchants(payment))
    throw new Error(`its payment ${request.refundOf} is not there`);
  const part = await refundedPartOf(db, payment, request);
  if (!part?.msisdn) throw new Error(`what it gives back of ${request.refundOf} is not there`);
  const row = pendingRowOf(submission, {
    reference: channelReferenceOf('payout', transactionId),
    refundPayment: part.number,
    msisdn: part.msisdn,
    fullName: part.fullName,
    ...moneyOf(submission, body, 'refund'),
  });
  return (await insertTransaction(db, row)) && holdAgain(db, row);
}

/** The first that matches: there was only one when the refund was accepted, and a bill may have more by now. */
async function refundedPartOf(
  db: Queryable,
  payment: CollectionTransaction,
  { receipt, channel }: RefundRequest,
): Promise<PaidPart | undefined> {
  if (!isBilled(payment)) return (await paidPartsOf(db, { ...payment, status: 'completed' }))[0];
  const parts = await paidPartsOf(db, payment);
  return parts.find((part) => part.channel === channel && (receipt === null || part.receipt === receipt));
}

/** Amount and fee are those of the stored answer: a preview may have fixed the fee, the rest of a payment the amount. */
function moneyOf({ receivedAt }: Submission, body: string, service: FeeService) {
  const answered = JSON.parse(body).amount;
  const amount = amountIn(answered.value);
  const { version } = feeFor(service, amount, receivedAt);
  return { amount, fee: amountIn(answered.fee), version };
}

function amountIn(value: number): Minor {
  const amount = minorFromUnits(value);
  if (amount === null) throw new Error('the amount of a stored answer cannot be read');
  return amount;
}

async function holdAgain(db: Queryable, row: PendingRow): Promise<true> {
  const { transactionId, accountId, request } = row.submission;
  const { currency, channel } = request;
  const { reference, amount: value, fee } = row;
  await placeHold(db, { transactionId, accountId, currency, channel, reference, value, fee });
  return true;
}

/** The number that was printed: of a bill in the answer, of a QR code inside the code. */
export function controlNumberOf(body: string): string {
  const answer = JSON.parse(body);
  if (answer.bill) return answer.bill.reference;
  const read = parseTanqr(answer.qr.payload);
  if ('refused' in read) throw new Error('the QR code of a stored answer cannot be read');
  const { billNumber } = read.tanqr;
  if (billNumber === null) throw new Error('the QR code of a stored answer has no control number');
  return billNumber;
}
