import { jsonText } from '../base/json-text.ts';
import type { CallbackSummary } from '../callbacks/summary.ts';
import type { JsonOf } from '../contract/json-of.ts';
import { attentionGuides, pageOf } from '../domain/attention.ts';
import { workflowIdOf } from '../domain/ids.ts';
import { CURRENCY, formatMoney } from '../domain/money.ts';
import { showPhone } from '../domain/show.ts';
import { kindOf } from '../domain/transaction.ts';
import type { Entry } from '../ledger/accounts.ts';
import type { Case } from '../operators/search/cases.ts';
import type { Found } from '../operators/search/find.ts';
import { partyWords } from '../operators/search/words.ts';
import type { AttentionEntry } from '../transactions/care/attention.ts';
import type { Decision } from '../transactions/care/decisions.ts';
import type { NotifiedPayment } from '../transactions/rows/bill-store.ts';
import type * as schemas from './case-schemas.ts';
import { answerOf } from './present.ts';

type ShownCase = NonNullable<JsonOf<typeof schemas.listedEntry>['about']>;
/** Where people see a workflow; null: its address is not configured. */
export type WorkflowUrl = (workflowId: string) => string | null;

export function presentCase(one: Case, workflowUrl: WorkflowUrl): ShownCase {
  const { transaction, explained } = one;
  const workflowId = workflowIdOf(transaction.id);
  return {
    id: transaction.id,
    account_id: transaction.accountId,
    merchant: one.merchant,
    type: kindOf(transaction).type,
    mode: transaction.mode,
    status: transaction.status,
    failure_code: transaction.failureCode,
    party: partyWords(transaction),
    amount: formatMoney(transaction.amount),
    fee: formatMoney(transaction.fee),
    currency: transaction.currency,
    metadata: jsonText(transaction.metadata),
    channel: transaction.channel,
    reference: transaction.reference,
    channel_reference: transaction.channelReference,
    created_at: transaction.createdAt,
    handed_over_at: transaction.handedOverAt,
    situation: explained.situation,
    state: explained.state,
    money: explained.money,
    why: whyOf(one),
    next: explained.next,
    channel_words: one.words.map(({ at, words }) => ({ at, words })),
    payments: one.payments.map(presentPayment),
    callbacks: one.callbacks.map(presentCallback),
    attention: one.attention.map(presentAttention),
    decision: one.decision && presentDecision(one.decision),
    proposals: one.proposed.map((proposal) => ({
      id: proposal.id,
      action: proposal.action,
      proposed_by: proposal.proposedBy,
      reason: proposal.reason,
      proposed_at: proposal.proposedAt,
    })),
    workflow_id: workflowId,
    workflow_url: workflowUrl(workflowId),
  };
}

/** How we know: why a person is needed, what people decided, else the channel's latest word. */
function whyOf({ attention, decision, items, words }: Case): string[] {
  const entries = attention.map(({ reason, raisedAt, detail }) => `${reason} since ${raisedAt}: ${detail}`);
  const decided =
    decision === null
      ? []
      : [
          `${decision.proposedBy} and ${decision.approvedBy} decided ${decision.outcome} at ${decision.decidedAt}: ${decision.note}`,
        ];
  const released = items.flatMap(({ id, release }) =>
    release === null
      ? []
      : [`${release.proposedBy} and ${release.approvedBy} let ${id} leave at ${release.at}: ${release.note}`],
  );
  const people = [...entries, ...decided, ...released];
  const last = words.at(-1);
  return people.length > 0 || last === undefined
    ? people
    : [`The channel's latest word, at ${last.at}: ${last.words}`];
}

export function presentTransaction(
  one: Case,
  entries: Entry[],
  workflowUrl: WorkflowUrl,
): JsonOf<typeof schemas.transaction> {
  return {
    ...presentCase(one, workflowUrl),
    entries: entries.map((entry) => ({
      at: entry.createdAt,
      kind: entry.kind,
      account: entry.account,
      amount: formatMoney(entry.amount),
      currency: entry.currency,
    })),
  };
}

export function presentFound(found: Found, workflowUrl: WorkflowUrl): JsonOf<typeof schemas.foundAnswer> {
  return {
    data: found.items.map((one) => ({ matched: one.matched, ...presentCase(one, workflowUrl) })),
    total: found.total,
    total_is_minimum: found.totalIsMinimum,
    merchants: found.merchants.map(({ id, name, available, held }) => ({
      id,
      name,
      currency: CURRENCY,
      available: formatMoney(available),
      held: formatMoney(held),
    })),
    others: found.others.map(({ what, id, at, sentence }) => ({ what, id, at, sentence })),
    near: found.near.map(({ what, text }) => ({ what, text })),
    looked_for: found.lookedFor,
  };
}

export function presentAttention(entry: AttentionEntry): JsonOf<typeof schemas.attentionEntry> {
  const { subject, reason, detail, raisedAt, ageDays } = entry;
  const { todo } = attentionGuides[reason];
  return { subject, reason, detail, raised_at: raisedAt, age_days: ageDays, todo, page: pageOf(reason) };
}

function presentPayment(payment: NotifiedPayment): ShownCase['payments'][number] {
  const name = payment.fullName === null ? '' : ` (${payment.fullName})`;
  return {
    at: payment.receivedAt,
    channel: payment.channel,
    receipt: payment.receipt,
    amount: formatMoney(payment.amount),
    currency: payment.currency,
    party: `${showPhone(payment) ?? 'the customer'}${name}`,
    outcome: payment.outcome,
    reason: payment.reason,
  };
}

function presentCallback({ last, ...callback }: CallbackSummary): ShownCase['callbacks'][number] {
  return {
    event_id: callback.eventId,
    event: callback.event,
    state: callback.state,
    created_at: callback.createdAt,
    next_attempt_at: callback.nextAttemptAt,
    attempts: callback.attempts,
    last_at: last?.at ?? null,
    last_answer: last === null ? null : answerOf(last),
  };
}

function presentDecision(decision: Decision): NonNullable<ShownCase['decision']> {
  return {
    outcome: decision.outcome,
    note: decision.note,
    proposal_id: decision.proposalId,
    proposed_by: decision.proposedBy,
    approved_by: decision.approvedBy,
    decided_at: decision.decidedAt,
    applied_at: decision.appliedAt,
    answer: decision.answer,
  };
}
