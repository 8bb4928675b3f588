import type { Database } from '../db/pool.ts';
import { type Bill, CLAIM_SECONDS } from '../domain/bill.ts';
import { GatewayError } from '../domain/errors.ts';
import { formatMoney } from '../domain/money.ts';
import type { Transaction } from '../domain/transaction.ts';
import { sweepSoon } from '../transactions/orphans.ts';
import { sendHistory } from '../transactions/sends.ts';
import { paymentLookup, payoutLookup } from './answer-schemas.ts';
import type { ApiRequest, Endpoint, Handler, Reply } from './endpoint.ts';
import { cancelledBill } from './examples/bill.ts';
import { cancelledPayment } from './examples/payment.ts';
import { cancelledPayout } from './examples/payout.ts';
import type { Flows } from './flows.ts';
import { unavailable } from './middleware/envelope.ts';
import { presentPayment, presentPayout } from './present.ts';
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
  const present = kind === 'payment' ? presentPayment : presentPayout;
  const lookup = (transaction: Transaction): Reply => ({ body: present(transaction, deps.now()) });
  const read = (request: ApiRequest) => findOwn(deps.database, request, kind);

  return async (request) => {
    const before = await read(request);
    if (before.status === 'cancelled') return lookup(before);
    if (before.status !== 'pending') throw alreadyFinal(kind, before);
    // What came in stays, and what may have left us cannot be called back. Said from Postgres, so that asking again
    // costs the workflow nothing.
    if (before.bill?.payments) throw tooLate(kind, before);
    if ((await sendHistory(deps.database, before.id)).left > 0) throw tooLate(kind, before);
    const outcome = await deps.flows.cancel(before.id);
    if (outcome.kind === 'not_sent') throw unavailable();
    const after = await read(request).catch((error) => {
      throw outcome.kind === 'answered' && !outcome.cancelled ? error : unknownCancel(before.id);
    });
    if (after.status === 'cancelled') return lookup(after);
    if (after.status !== 'pending') throw alreadyFinal(kind, after);
    if (outcome.kind === 'answered') throw tooLate(kind, after);
    if (outcome.kind !== 'closed') throw unknownCancel(before.id);
    // No open workflow: the next sweep starts it again, then it can be asked.
    await sweepSoon(deps.database, before.id);
    throw unavailable();
  };
}

function tooLate(kind: 'payment' | 'payout', transaction: Transaction): GatewayError {
  if (transaction.bill) return new GatewayError('not_cancellable', beingPaid(transaction, transaction.bill));
  const to = transaction.mode === 'bank' ? 'bank' : 'network';
  const message =
    kind === 'payout'
      ? `The payout has been handed to the ${to} and may still be paid`
      : 'The payment has been handed to the network and the customer may still confirm it';
  return new GatewayError('not_cancellable', message);
}

function beingPaid({ mode, amount }: Transaction, bill: Bill): string {
  if (bill.payments > 0) {
    return `The bill is paid in part (${formatMoney(bill.paid)} of ${formatMoney(amount)}) and can no longer be cancelled`;
  }
  const what = mode === 'qr' ? 'QR code' : 'bill';
  return `A customer is paying this ${what} right now. If the payment does not come within ${CLAIM_SECONDS} seconds, it can be cancelled`;
}

function alreadyFinal(kind: 'payment' | 'payout', transaction: Transaction): GatewayError {
  return new GatewayError('not_cancellable', `The ${kind} is already ${transaction.status}`);
}

function unknownCancel(transactionId: string): GatewayError {
  const message =
    'It is not known yet whether this was cancelled. Look it up, or send the cancellation again';
  return new GatewayError('outcome_unknown', message, { transactionId });
}
