import type { AttentionReason } from './attention.ts';
import { isBilled, isFinal, kindOf, type Transaction } from './transaction.ts';

export type Handed =
  | 'not_sent'
  | 'sent'
  | 'asking'
  | 'unknown'
  | 'odd_money'
  | 'decided'
  | 'stopped'
  | 'succeeded'
  | 'contradicted'
  | 'decided_success'
  | 'failed'
  | 'moved_late'
  | 'decided_failure'
  | 'cancelled';
type Billed =
  | 'unpaid'
  | 'part_paid'
  | 'closing'
  | 'stopped'
  | 'succeeded'
  | 'expired'
  | 'expired_part_paid'
  | 'cancelled';

/** The keys are the values of `money` in kinds.ts. */
export type Situations = {
  credit: Handed | 'prompted';
  hold: Handed | 'waiting' | 'returned';
  credit_each_payment: Billed;
  payable: Handed | 'waiting';
};
export type Situation = Situations[keyof Situations];

/** Merchants are told only what the transaction itself shows; operators see the rest, too. */
export type SituationFacts = {
  transaction: Transaction;
  now: Date;
  /** on the attention list now */
  reasons?: readonly AttentionReason[];
  /** two operators decided; it may not be applied yet */
  decision?: { appliedAt: string | null } | null;
  /** its suspense items, open or not */
  odd?: readonly object[];
};

const STOPPED: readonly AttentionReason[] = ['broken', 'stuck', 'overdue', 'untrusted_submission'];

/** Two tables have a sentence for each: stories.ts for operators, status-reason.ts for merchants. */
export function situationOf(facts: SituationFacts): Situation {
  const { transaction, now, reasons = [], decision = null, odd = [] } = facts;
  if (isBilled(transaction)) return billSituation(facts, transaction.bill);
  if (isFinal(transaction.status)) return finalSituation(facts);
  if (decision !== null) return 'decided';
  if (reasons.some((reason) => STOPPED.includes(reason))) return 'stopped';
  if (odd.length > 0 || reasons.includes('wrong_amount')) return 'odd_money';
  if (reasons.includes('unknown_outcome')) return 'unknown';
  if (transaction.waitsUntil !== null && kindOf(transaction).direction === 'payout') return 'waiting';
  if (transaction.isUnclear) return 'asking';
  if (transaction.handedOverAt === null) return 'not_sent';
  if (isAhead(transaction.promptExpiresAt, now)) return 'prompted';
  return transaction.nextEnquiryAt === null ? 'sent' : 'asking';
}

function finalSituation({ transaction, reasons = [], decision = null, odd = [] }: SituationFacts): Situation {
  const { status, returnedAt } = transaction;
  const wasDecided = decision !== null && decision.appliedAt !== null;
  if (status === kindOf(transaction).success) {
    if (returnedAt !== null) return 'returned';
    if (reasons.includes('conflicting_failure')) return 'contradicted';
    return wasDecided ? 'decided_success' : 'succeeded';
  }
  if (odd.length > 0 || reasons.includes('late_success')) return 'moved_late';
  if (status === 'cancelled') return 'cancelled';
  return wasDecided ? 'decided_failure' : 'failed';
}

function billSituation(
  { transaction, now, reasons = [] }: SituationFacts,
  { payments, expiresAt }: { payments: number; expiresAt: string },
): Situation {
  switch (transaction.status) {
    case 'pending':
      if (reasons.some((reason) => STOPPED.includes(reason))) return 'stopped';
      if (!isAhead(expiresAt, now)) return 'closing';
      return payments > 0 ? 'part_paid' : 'unpaid';
    case 'cancelled':
      return 'cancelled';
    case 'failed':
      return payments > 0 ? 'expired_part_paid' : 'expired';
    default:
      return 'succeeded';
  }
}

function isAhead(moment: string | null, now: Date): boolean {
  return moment !== null && Date.parse(moment) > now.getTime();
}
