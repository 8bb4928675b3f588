import { paymentLookup, payoutLookup } from '../contract/answer-schemas.ts';
import type { Database } from '../db/pool.ts';
import { CLAIM_SECONDS } from '../domain/bill.ts';
import { GatewayError } from '../domain/errors.ts';
import { formatMoney } from '../domain/money.ts';
import { railOf } from '../domain/show.ts';
import { type BilledTransaction, isBilled, type MerchantTransaction } from '../domain/transaction.ts';
import { sendHistory } from '../transactions/channel/sends.ts';
import { sweepSoon } from '../transactions/rescue/orphans.ts';
import type { Flows } from './flows.ts';
import type { ApiRequest, Endpoint, Handler, Reply } from './http/endpoint.ts';
import { unavailable } from './http/middleware/envelope.ts';
import { presentLookup } from './present.ts';
import { cancelledBill } from './reference/examples/bill.ts';
import { cancelledPayment } from './reference/examples/payment.ts';
import { cancelledPayout } from './reference/examples/payout.ts';
import { findOwn } from './transaction.ts';

const refusals = ['not_cancellable', 'unavailable', 'outcome_unknown'] as const;

export const cancelPayment = {
  method: 'POST',
  paths: ['payments/{id}/cancel'],
  summary: 'Cancel a payment before the hand-over to the channel, a bill or QR code before it is paid',
  scopes: ['payments:write'],
  answer: paymentLookup,
  examples: { answer: { ...cancelledPayment, ...cancelledBill } },
  refusals,
} as const satisfies Endpoint;

export const cancelPayout = {
  method: 'POST',
  paths: ['payouts/{id}/cancel'],
  summary: 'Cancel a payout before the hand-over to the channel',
  scopes: ['payouts:write'],
  answer: payoutLookup,
  examples: { answer: cancelledPayout },
  refusals,
} as const satisfies Endpoint;

/** The workflow decides; what Postgres says afterwards is the answer. Repeating a cancellation is harmless. */
export function createCancel(
  deps: { database: Database; flows: Flows; now: () => Date },
  kind: 'payment' | 'payout',
): Handler {
  const lookup = (transaction: MerchantTransaction): Reply => ({
    body: presentLookup(transaction, deps.now()),
  });
  const read = (request: ApiRequest): Promise<MerchantTransaction> => findOwn(deps.database, request, kind);

  return async (request) => {
    const before = await read(request);
    if (before.status === 'cancelled') return lookup(before);
    if (before.status !== 'pending') throw alreadyFinal(kind, before);
    // What came in stays, and what may have left us cannot be called back. Said from Postgres, so that asking again
    // costs the workflow nothing.
    if (isBilled(before) && before.bill.payments > 0) throw tooLate(before);
    if ((await sendHistory(deps.database, before.id)).left > 0) throw tooLate(before);
    const outcome = await deps.flows.cancel(before.id);
    if (outcome.kind === 'not_sent') throw unavailable();
    const after = await read(request).catch((error) => {
      throw outcome.kind === 'answered' && !outcome.cancelled ? error : unknownCancel(before.id);
    });
    if (after.status === 'cancelled') return lookup(after);
    if (after.status !== 'pending') throw alreadyFinal(kind, after);
    if (outcome.kind === 'answered') throw tooLate(after);
    if (outcome.kind !== 'closed') throw unknownCancel(before.id);
    // No open workflow: the next sweep starts it again, then it can be asked.
    await sweepSoon(deps.database, before.id);
    throw unavailable();
  };
}

function tooLate(transaction: MerchantTransaction): GatewayError {
  return new GatewayError('not_cancellable', whyTooLate(transaction));
}

function whyTooLate(transaction: MerchantTransaction): string {
  switch (transaction.mode) {
    case 'billpay':
    case 'qr':
      return beingPaid(transaction);
    case 'ussd':
      return 'The payment has been handed to the network and the customer may still confirm it';
    case 'mobile':
    case 'bank':
      return `The payout has been handed to the ${railOf(transaction)} and may still be paid`;
    case 'refund':
      return 'The refund has been handed to the network and may still be paid';
  }
}

function beingPaid({ mode, amount, bill }: BilledTransaction): string {
  if (bill.payments > 0) {
    return `The bill is paid in part (${formatMoney(bill.paid)} of ${formatMoney(amount)}) and can no longer be cancelled`;
  }
  const what = mode === 'qr' ? 'QR code' : 'bill';
  return `A customer is paying this ${what} right now. If the payment does not come within ${CLAIM_SECONDS} seconds, it can be cancelled`;
}

function alreadyFinal(kind: 'payment' | 'payout', transaction: MerchantTransaction): GatewayError {
  return new GatewayError('not_cancellable', `The ${kind} is already ${transaction.status}`);
}

function unknownCancel(transactionId: string): GatewayError {
  const message =
    'It is not known yet whether this was cancelled. Look it up, or send the cancellation again';
  return new GatewayError('outcome_unknown', message, { transactionId });
}
