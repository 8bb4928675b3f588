import { paymentLookup, payoutLookup } from '../../contract/answer-schemas.ts';
import { GatewayError } from '../../domain/errors.ts';
import { type Message, say } from '../../domain/messages.ts';
import { formatMoney } from '../../domain/money.ts';
import { railOf } from '../../domain/show.ts';
import {
  type BilledTransaction,
  isBilled,
  kindOf,
  type MerchantTransaction,
  type Status,
} from '../../domain/transaction.ts';
import type { Database } from '../../platform/db/pool.ts';
import { unavailable } from '../../platform/http/envelope.ts';
import { sendHistory } from '../../transactions/channel/sends.ts';
import { sweepSoon } from '../../transactions/rescue/orphans.ts';
import { busyUntil, isAllRead } from '../../transactions/rows/bill-store.ts';
import { requireOpen } from '../kit/fence-watch.ts';
import { call, type Deps } from '../kit/gateway-call.ts';
import { presentPayment, presentPayout } from './present.ts';
import { addressesOf, findOwn } from './transaction.ts';

const refusals = ['not_cancellable', 'unavailable', 'outcome_unknown'] as const;

export const cancelPayment = call(
  {
    method: 'POST',
    paths: ['payments/{id}/cancel'],
    summary: 'Cancel a payment before the hand-over to the channel, a bill or QR code before it is paid',
    purpose:
      'Take back a push before it reaches the network, or a bill or code that nobody has paid. ' +
      'After that the answer is 409 `not_cancellable`, and the payment goes on.',
    scopes: ['payments:write'],
    answer: paymentLookup,
    refusals,
  },
  async (request, deps) => {
    const payment = await cancel(deps, 'payment', () => findOwn(deps.database, request, 'payment'));
    return presentPayment(payment, deps.now(), [], [], addressesOf(deps.database, payment, deps.bills));
  },
);

export const cancelPayout = call(
  {
    method: 'POST',
    paths: ['payouts/{id}/cancel'],
    summary: 'Cancel a payout before the hand-over to the channel',
    purpose:
      'Take back a payout before it reaches the network or bank: its hold is released at once. ' +
      'After that the answer is 409 `not_cancellable`, and the payout goes on.',
    scopes: ['payouts:write'],
    answer: payoutLookup,
    refusals,
  },
  async (request, deps) =>
    presentPayout(await cancel(deps, 'payout', () => findOwn(deps.database, request, 'payout')), deps.now()),
);

/** The workflow decides; the answer is the row read afterwards. A repeated cancellation changes nothing. */
async function cancel<T extends MerchantTransaction>(
  { database, flows }: Deps,
  kind: 'payment' | 'payout',
  read: () => Promise<T>,
): Promise<T> {
  const before = await read();
  if (before.status === 'cancelled') return before;
  if (before.status !== 'pending') throw alreadyFinal(kind, before.status);
  // Nobody can cancel a paid bill or a sent transaction. This check saves asking the workflow.
  if (isBilled(before) && before.bill.payments > 0) throw await tooLate(database, before);
  if ((await sendHistory(database, before.id)).sends > 0) throw await tooLate(database, before);
  await requireOpen(database);
  const outcome = await flows.cancel(before.id);
  if (outcome.kind === 'not_sent') throw unavailable();
  const after = await read().catch((error) => {
    throw outcome.kind === 'answered' && !outcome.cancelled ? error : unknownCancel(before.id);
  });
  if (after.status === 'cancelled') return after;
  if (after.status !== 'pending') throw alreadyFinal(kind, after.status);
  // A workflow refuses to cancel while the fence is closed, which may have happened meanwhile.
  await requireOpen(database);
  if (outcome.kind === 'answered') throw await tooLate(database, after);
  if (outcome.kind !== 'closed') throw unknownCancel(before.id);
  // No workflow is open. The sweep starts it again; then the merchant may retry.
  await sweepSoon(database, before.id);
  throw unavailable();
}

async function tooLate(database: Database, transaction: MerchantTransaction): Promise<GatewayError> {
  const { type } = kindOf(transaction).statement;
  const why = isBilled(transaction)
    ? await beingPaid(database, transaction)
    : say(`${type}_handed_over`, { channel: say(railOf(transaction)) });
  return new GatewayError('not_cancellable', why);
}

async function beingPaid(database: Database, { id, amount, bill }: BilledTransaction): Promise<Message> {
  if (bill.payments > 0)
    return say('bill_paid_in_part', { paid: formatMoney(bill.paid), amount: formatMoney(amount) });
  // This has no deadline, because two operators must first confirm the amount.
  if (!(await isAllRead(database, id))) return say('bill_payment_unread');
  const time = await busyUntil(database, id);
  return say(bill.paymentNumber === null ? 'qr_being_paid' : 'bill_being_paid', { time });
}

function alreadyFinal(kind: 'payment' | 'payout', status: Exclude<Status, 'pending'>): GatewayError {
  return new GatewayError('not_cancellable', say(`${kind}_is_final`, { status: say(`status_${status}`) }));
}

function unknownCancel(transactionId: string): GatewayError {
  return new GatewayError('outcome_unknown', say('cancel_unknown'), { transactionId });
}
