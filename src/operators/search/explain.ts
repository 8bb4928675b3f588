import { type AttentionReason, attentionGuides, pageOf } from '../../domain/attention.ts';
import { isBilled, isFinal, kindOf } from '../../domain/transaction.ts';
import { oddMoneySentence } from './odd-money.ts';
import type { Situation, Story } from './situations.ts';
import { DONE, stories } from './stories.ts';
import { type Facts, wordsOf } from './words.ts';

/** The sentences have no full stop. `money` says where the money is, in order. */
export type Explanation = { situation: Situation; state: string; money: string[]; next: string[] };

export function explain(facts: Facts): Explanation {
  const { money } = kindOf(facts.transaction);
  const situation = situationOf(facts);
  // `situationOf` returns only situations of this row.
  const story = (stories[money] as Record<Situation, Story>)[situation];
  const words = wordsOf(facts);
  const todo = facts.reasons.map((reason) => `${attentionGuides[reason].todo} (${pageOf(reason)})`);
  return {
    situation,
    state: story.state(words),
    money: [story.money(words), ...facts.odd.map(oddMoneySentence)],
    next: story.next === DONE && todo.length > 0 ? todo : [story.next(words), ...todo],
  };
}

const STOPPED: readonly AttentionReason[] = ['broken', 'stuck', 'overdue', 'untrusted_submission'];

export function situationOf(facts: Facts): Situation {
  const { transaction, now, reasons, decision, odd } = facts;
  if (isBilled(transaction)) return billSituation(facts, transaction.bill);
  if (isFinal(transaction.status)) return finalSituation(facts);
  if (decision !== null) return 'decided';
  if (reasons.some((reason) => STOPPED.includes(reason))) return 'stopped';
  if (odd.length > 0 || reasons.includes('wrong_amount')) return 'odd_money';
  if (reasons.includes('unknown_outcome')) return 'unknown';
  if (transaction.isUnclear) return 'asking';
  if (transaction.handedOverAt === null) return 'not_sent';
  if (isAhead(transaction.promptExpiresAt, now)) return 'prompted';
  return transaction.nextEnquiryAt === null ? 'sent' : 'asking';
}

function finalSituation({ transaction, reasons, decision, odd }: Facts): Situation {
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
  { transaction, now, reasons }: Facts,
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
