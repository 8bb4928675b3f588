import { BrokenInvariant } from '../../domain/errors.ts';
import { type Fee, type FeeSchedule, feeFor } from '../../domain/fees.ts';
import { channelReferenceOf } from '../../domain/ids.ts';
import { type Minor, minor } from '../../domain/money.ts';
import type {
  MoneyRequest,
  PayoutRequest,
  PushRequest,
  SettlementRequest,
  Submission,
} from '../../domain/operation.ts';
import { columnsOfParty, itemOf } from '../../domain/party.ts';
import { columnsIn, nobody, type PayoutColumns } from '../../domain/payout.ts';
import type { FlowTiming } from '../../domain/timing.ts';
import { settlementPartIdOf } from './idempotency.ts';

/** Postgres's time of the acceptance, and the fees in force then. */
export type Moment = { now: string; fees: FeeSchedule };

type Particular = Fee &
  PayoutColumns & {
    amount: Minor;
    reference: string;
    refundPayment?: number | null;
  };
/** `accept` inserts this row for a submission; amounts are minor units. */
export type PendingRow = Particular & { submission: Submission };
export type Rows = readonly [PendingRow, ...PendingRow[]];

export function rowOfPayout(submission: Submission, particular: Omit<Particular, 'reference'>): PendingRow {
  return { submission, reference: channelReferenceOf('payout', submission.transactionId), ...particular };
}

/** A bank gets the merchant's name for the payee, not `known`, so its check finds a wrong name. */
export function rowOfNamedPayout(
  submission: Submission<PayoutRequest>,
  fee: Fee,
  known: string | null = null,
): PendingRow {
  const item = itemOf(submission.request);
  const columns = { ...columnsIn(item), fullName: item.fullName ?? known };
  return rowOfPayout(submission, { amount: item.amount, ...columns, ...fee });
}

export function rowsOfSettlement(
  submission: Submission<SettlementRequest>,
  parts: readonly Minor[],
  fees: FeeSchedule,
): Rows {
  const party = columnsOfParty(submission.request);
  const [first, ...others] = parts.map((amount, index) => {
    const transactionId = settlementPartIdOf(submission.transactionId, index);
    const fee = feeFor('settlement', amount, fees);
    return rowOfPayout({ ...submission, transactionId }, { amount, ...party, ...fee });
  });
  if (!first) throw new BrokenInvariant('a settlement of nothing');
  return [first, ...others];
}

export function paysOf(request: MoneyRequest): string | null {
  return 'pays' in request ? (request.pays ?? null) : null;
}

/** Makes the same row the first time and after a restore. */
export function rowOfPush(submission: Submission<PushRequest>, fees: FeeSchedule): PendingRow {
  const { request, transactionId } = submission;
  const { amount, msisdn } = request;
  // A push from a page is free: its bill or number bears the fee.
  const isFree = paysOf(request) !== null;
  const fee = isFree ? { fee: minor(0), version: fees.version } : feeFor('ussd', amount, fees);
  const reference = channelReferenceOf('collection', transactionId);
  return { submission, amount, ...nobody, msisdn, reference, ...fee };
}

/** A person must look at a slower hand-over, even if `sendQueueMs` is longer. */
const HAND_OVER_MS = 15 * 60_000;
const LATE_MS = 5 * 60_000;

/** Milliseconds until a person must look at an unsent transaction, or at a bill past its expiry. */
export function overdueAfterMs({ timing }: Submission): number {
  return 'sendQueueMs' in timing ? handOverWithinMs(timing) : LATE_MS;
}

export function handOverWithinMs({ sendQueueMs, notSentRetryMs }: FlowTiming): number {
  return Math.min(sendQueueMs, HAND_OVER_MS) + notSentRetryMs + LATE_MS;
}
