import { jsonText } from '../../base/json-text.ts';
import type { CallbackSummary } from '../../callbacks/summary.ts';
import type { JsonOf } from '../../contract/json-of.ts';
import { attentionGuides, pageOf } from '../../domain/attention.ts';
import { workflowIdOf } from '../../domain/ids.ts';
import { CURRENCY, formatMoney } from '../../domain/money.ts';
import { showPhone } from '../../domain/show.ts';
import { kindOf } from '../../domain/transaction.ts';
import type { Entry } from '../../ledger/accounts.ts';
import type { AttentionEntry } from '../../transactions/care/attention.ts';
import type { NotifiedPayment } from '../../transactions/rows/bill-store.ts';
import type { Case } from '../search/cases.ts';
import type { Found } from '../search/find.ts';
import { partyWords } from '../search/words.ts';
import * as schemas from './case-schemas.ts';
import { answerOf } from './present.ts';
import { presented } from './presented.ts';

type WorkflowUrl = (workflowId: string) => string | null;

export function presentCase(one: Case, workflowUrl: WorkflowUrl) {
  const { transaction, explained } = one;
  const workflowId = workflowIdOf(transaction.id);
  return presented(schemas.shownCase, {
    ...transaction,
    ...explained,
    merchant: one.merchant,
    type: kindOf(transaction).type,
    party: partyWords(transaction),
    amount: formatMoney(transaction.amount),
    fee: formatMoney(transaction.fee),
    metadata: jsonText(transaction.metadata),
    why: whyOf(one),
    channelWords: one.words.map(({ at, words }) => ({ at, words })),
    payments: one.payments.map(presentPayment),
    callbacks: one.callbacks.map(presentCallback),
    attention: one.attention.map(presentAttention),
    decision: one.decision && presented(schemas.decision, one.decision),
    proposals: one.proposed.map((proposal) => presented(schemas.openProposal, proposal)),
    workflowId,
    workflowUrl: workflowUrl(workflowId),
  });
}

/** Says why a person is needed and what operators decided, or else the channel's latest message. */
function whyOf({ attention, decision, items, words }: Case): string[] {
  const entries = attention.map(({ reason, raisedAt, detail }) => `${reason} since ${raisedAt}: ${detail}`);
  const decided =
    decision === null
      ? []
      : [
          `${decision.proposedBy} and ${decision.approvedBy} decided ` +
            `${decision.outcome} at ${decision.decidedAt}: ${decision.note}`,
        ];
  const released = items.flatMap(({ id, release }) =>
    release === null
      ? []
      : [`${release.proposedBy} and ${release.approvedBy} released ${id} at ${release.at}: ${release.note}`],
  );
  const people = [...entries, ...decided, ...released];
  const last = words.at(-1);
  return people.length > 0 || last === undefined
    ? people
    : [`The channel's latest message, at ${last.at}: ${last.words}`];
}

export function presentTransaction(
  one: Case,
  entries: Entry[],
  workflowUrl: WorkflowUrl,
): JsonOf<typeof schemas.transaction> {
  return {
    ...presentCase(one, workflowUrl),
    entries: entries.map(({ amount, ...entry }) =>
      presented(schemas.entry, { ...entry, at: entry.createdAt, amount: formatMoney(amount) }),
    ),
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
    payments: found.payments && jsonText(JSON.stringify(found.payments)),
  };
}

export function presentAttention(entry: AttentionEntry) {
  const { todo } = attentionGuides[entry.reason];
  return presented(schemas.attentionEntry, { ...entry, todo, page: pageOf(entry.reason) });
}

function presentPayment(payment: NotifiedPayment) {
  const name = payment.fullName === null ? '' : ` (${payment.fullName})`;
  return presented(schemas.notifiedPayment, {
    ...payment,
    at: payment.receivedAt,
    amount: formatMoney(payment.amount),
    party: `${showPhone(payment) ?? 'the customer'}${name}`,
  });
}

function presentCallback({ last, ...callback }: CallbackSummary) {
  const lastAnswer = last === null ? null : answerOf(last);
  return presented(schemas.callback, { ...callback, lastAt: last?.at ?? null, lastAnswer });
}
