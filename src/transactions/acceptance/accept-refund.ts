import { BrokenInvariant } from '../../domain/errors.ts';
import { type Fee, feeFor } from '../../domain/fees.ts';
import { channelReferenceOf } from '../../domain/ids.ts';
import { type Minor, minor } from '../../domain/money.ts';
import type { Accepted, RefundRequest, Submission } from '../../domain/operation.ts';
import { choosePart, type PaidPart, REFUND_MIN, type RefundObstacle, refundTo } from '../../domain/refund.ts';
import { type CollectionTransaction, isMerchants, isPayout, paidBy } from '../../domain/transaction.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { paidPartsOf, refundsSoFar } from '../odd-money/refunds.ts';
import { lockTransaction } from '../rows/store.ts';
import { acceptHeld, setSavepoint } from './accept-held.ts';
import {
  notRefundableAnswer,
  refundAnswer,
  refundExceedsPaymentAnswer,
  refundWaitsAnswer,
  refundWhatItPaysAnswer,
} from './answers.ts';
import { type Moment, notStored, pendingRowOf, refuse } from './submissions.ts';

/**
 * A refund is a payout to the payer. The payment's row is locked first of all, so its refunds are decided one after
 * the other and never give back more than was paid; balances are locked last, as everywhere.
 */
export async function acceptRefund(
  db: Queryable,
  submission: Submission<RefundRequest>,
  { fees }: Moment,
): Promise<Accepted> {
  const { request } = submission;
  const payment = await lockPayment(db, submission);
  if (payment.mode === 'number' && payment.bill.purpose === 'top_up')
    return refuseFor(db, submission, 'top_up');
  const pays = paidBy(payment);
  if (pays !== null) return refuse(db, submission, refundWhatItPaysAnswer(submission, pays));
  const chosen = choosePart(await paidPartsOf(db, payment), request.receipt);
  if ('obstacle' in chosen) return refuseFor(db, submission, chosen.obstacle);
  const { part } = chosen;
  const { refunded, isGivenBack, waiting, ...soFar } = await refundsSoFar(db, { payment: payment.id, part });
  const to = refundTo({ part, asked: request, ...soFar });
  if ('obstacle' in to) return refuseFor(db, submission, to.obstacle);
  if (isGivenBack) return refuseFor(db, submission, 'given_back');
  if (waiting !== null) return notStored(submission, refundWaitsAnswer(submission), 503);

  // More than was paid has gone back where a refund that failed was paid all the same.
  const left = minor(Math.max(0, part.amount - refunded));
  const amount = request.amount ?? left;
  if (amount > left || amount < REFUND_MIN)
    return refuse(db, submission, refundExceedsPaymentAnswer(submission, { refunded, left }));
  return acceptAmount(db, submission, { to, part, fee: feeFor('refund', amount, fees), amount });
}

type Decided = {
  to: Exclude<ReturnType<typeof refundTo>, { obstacle: RefundObstacle }>;
  part: PaidPart;
  fee: Fee;
  amount: Minor;
};

async function acceptAmount(
  db: Queryable,
  submission: Submission<RefundRequest>,
  { to, part, fee, amount }: Decided,
): Promise<Accepted> {
  const row = pendingRowOf(submission, {
    amount,
    reference: channelReferenceOf('payout', submission.transactionId),
    refundPayment: part.number,
    msisdn: to.msisdn,
    fullName: to.fullName,
    ...fee,
  });
  await setSavepoint(db);
  return acceptHeld(db, row, {
    answerOf: (balance) => refundAnswer(submission, { amount, fee: fee.fee, ...balance }),
  });
}

async function lockPayment(
  db: Queryable,
  { accountId, request }: Submission<RefundRequest>,
): Promise<CollectionTransaction> {
  const payment = await lockTransaction(db, request.refundOf);
  if (payment && isMerchants(payment) && payment.accountId === accountId && !isPayout(payment))
    return payment;
  throw new BrokenInvariant(
    `a refund was submitted of ${request.refundOf}, which is no payment of its account`,
  );
}

function refuseFor(
  db: Queryable,
  submission: Submission<RefundRequest>,
  obstacle: RefundObstacle,
): Promise<Accepted> {
  return refuse(db, submission, notRefundableAnswer(submission, obstacle));
}
