import { BrokenInvariant } from '../../domain/errors.ts';
import { feeFor } from '../../domain/fees.ts';
import { minor } from '../../domain/money.ts';
import type { RefundRequest, Submission } from '../../domain/operation.ts';
import { nobody } from '../../domain/payout.ts';
import { choosePart, REFUND_MIN, refundTo } from '../../domain/refund.ts';
import {
  type CollectionTransaction,
  isBilled,
  isMerchants,
  isPayout,
  paidBy,
} from '../../domain/transaction.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { paidPartsOf, refundsSoFar, whyNotPaid } from '../odd-money/refunds.ts';
import { lockTransaction } from '../rows/store.ts';
import { refundAnswer } from './answers.ts';
import { notRefundable, refundExceedsPayment, refundWaits, refundWhatItPays } from './refusals.ts';
import { type Moment, rowOfPayout } from './submissions.ts';
import type { Verdict } from './verdict.ts';

/** Locks the payment first, so its refunds together never exceed it. Balances are locked last. */
export async function acceptRefund(
  db: Queryable,
  submission: Submission<RefundRequest>,
  { fees }: Moment,
): Promise<Verdict> {
  const { request } = submission;
  const payment = await lockPayment(db, submission);
  if (isBilled(payment) && 'purpose' in payment.bill && payment.bill.purpose === 'top_up')
    return notRefundable('top_up');
  const pays = paidBy(payment);
  if (pays !== null && payment.status === 'completed') return refundWhatItPays(pays);
  const parts = pays === null ? await paidPartsOf(db, payment) : [];
  if (parts.length === 0) {
    const why = await whyNotPaid(db, payment);
    return why === 'pays_bill' ? refundWhatItPays(pays ?? payment.id) : notRefundable(why);
  }
  const chosen = choosePart(parts, request.receipt);
  if ('obstacle' in chosen) return notRefundable(chosen.obstacle);
  const { part } = chosen;
  const { refunded, isGivenBack, waiting, ...soFar } = await refundsSoFar(db, { payment: payment.id, part });
  const to = refundTo({ part, asked: request, ...soFar });
  if ('obstacle' in to) return notRefundable(to.obstacle);
  if (isGivenBack) return notRefundable('given_back');
  if (waiting !== null) return refundWaits();

  // `refunded` may exceed the payment, if a failed refund was paid after all.
  const left = minor(Math.max(0, part.amount - refunded));
  const amount = request.amount ?? left;
  if (amount > left || amount < REFUND_MIN) return refundExceedsPayment({ refunded, left });
  const fee = feeFor('refund', amount, fees);
  const { msisdn, fullName } = to;
  return {
    rows: [
      rowOfPayout(submission, { amount, refundPayment: part.number, ...nobody, msisdn, fullName, ...fee }),
    ],
    answer: async (after) => refundAnswer(submission, { amount, fee: fee.fee, ...(await after()) }),
  };
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
