import { z } from 'zod';
import { statuses } from '../../domain/transaction.ts';
import { pageOf } from './schemas.ts';

/** Answers of the operator API about transactions that a person has to look at. Amounts and times as in schemas.ts. */
const time = z.string();

export const attentionEntry = z.strictObject({
  /** names what the entry is about: a transaction's id, or something else */
  subject: z.string(),
  reason: z.string(),
  detail: z.string(),
  raised_at: time,
  age_days: z.number(),
  /** says what a person does about it, and names the page that helps */
  todo: z.string(),
  page: z.string(),
});

export const notifiedPayment = z.strictObject({
  at: time,
  channel: z.string(),
  receipt: z.string(),
  amount: z.string(),
  currency: z.string(),
  party: z.string(),
  outcome: z.string(),
  reason: z.string().nullable(),
});
export const callback = z.strictObject({
  event_id: z.string(),
  event: z.string(),
  state: z.string(),
  created_at: time,
  next_attempt_at: time.nullable(),
  attempts: z.number(),
  last_at: time.nullable(),
  last_answer: z.string().nullable(),
});
export const decision = z.strictObject({
  outcome: z.string(),
  note: z.string(),
  proposal_id: z.string(),
  proposed_by: z.string(),
  approved_by: z.string(),
  decided_at: time,
  applied_at: time.nullable(),
  answer: z.string().nullable(),
});
export const openProposal = z.strictObject({
  id: z.string(),
  action: z.string(),
  proposed_by: z.string(),
  reason: z.string(),
  proposed_at: time,
});

export const shownCase = z.strictObject({
  id: z.uuid(),
  /** null: a payback, which is no merchant's */
  account_id: z.uuid().nullable(),
  merchant: z.string().nullable(),
  type: z.string(),
  mode: z.string(),
  status: z.string(),
  failure_code: z.string().nullable(),
  /** number or account, and the name where it is known */
  party: z.string(),
  amount: z.string(),
  fee: z.string(),
  currency: z.string(),
  metadata: z.record(z.string(), z.unknown()),
  channel: z.string(),
  reference: z.string(),
  channel_reference: z.string().nullable(),
  created_at: time,
  handed_over_at: time.nullable(),
  /** says in one word, and in a sentence, how things stand */
  situation: z.string(),
  state: z.string(),
  money: z.array(z.string()),
  why: z.array(z.string()),
  next: z.array(z.string()),
  /** oldest first; names nobody */
  channel_words: z.array(z.strictObject({ at: time, words: z.string() })),
  /** networks notified these payments of a bill or QR code */
  payments: z.array(notifiedPayment),
  callbacks: z.array(callback),
  attention: z.array(attentionEntry),
  decision: decision.nullable(),
  /** about it, and not approved yet */
  proposals: z.array(openProposal),
  workflow_id: z.string(),
  /** in Temporal's web UI; null where its address is not configured */
  workflow_url: z.string().nullable(),
});

export const entry = z.strictObject({
  at: time,
  kind: z.string(),
  account: z.string(),
  amount: z.string(),
  currency: z.string(),
});
export const transaction = z.strictObject({ ...shownCase.shape, entries: z.array(entry) });

export const foundCase = z.strictObject({
  /** which kinds of identifier the text is of it */
  matched: z.array(z.string()),
  ...shownCase.shape,
});

export const foundAnswer = z.strictObject({
  /** transactions, newest first, at most 20 */
  data: z.array(foundCase),
  total: z.number(),
  total_is_minimum: z.boolean(),
  merchants: z.array(
    z.strictObject({
      id: z.uuid(),
      name: z.string(),
      currency: z.string(),
      available: z.string(),
      held: z.string(),
    }),
  ),
  /** these are no transactions */
  others: z.array(z.strictObject({ what: z.string(), id: z.string(), at: time, sentence: z.string() })),
  payments: z
    .record(z.string(), z.string())
    .nullable()
    .meta({ description: 'If an amount with a day or a network was typed: the parameters of `payments`' }),
  /** if nothing is found, lists identifiers that are one mistake away */
  near: z.array(z.strictObject({ what: z.string(), text: z.string() })),
  /** if nothing is found, lists the kinds that were searched */
  looked_for: z.array(z.string()),
});

/** The transaction is null if the entry is about none. */
export const listedEntry = z.strictObject({
  ...attentionEntry.shape,
  about: shownCase.nullable(),
});

export const countsAnswer = z.strictObject({
  hours: z.number(),
  transactions: z.array(
    z.strictObject({
      type: z.string(),
      mode: z.string(),
      channel: z.string(),
      status: z.string(),
      count: z.number(),
    }),
  ),
  /** open entries of the attention list by reason */
  attention: z.array(z.strictObject({ reason: z.string(), count: z.number() })),
});

export const caseList = pageOf(shownCase);
export const attentionList = pageOf(listedEntry);
export const transactionAnswer = z.strictObject({ transaction });

/** The network's portal should show this payment or refund of a live test. */
const livePart = z.strictObject({
  what: z.enum(['payment', 'refund']),
  transaction_id: z.uuid(),
  status: z.enum(statuses),
  amount: z.string(),
  currency: z.string(),
  connection: z.string(),
  reference: z.string(),
  channel_reference: z.string().nullable(),
  number: z.string(),
  handed_over_at: z.string().nullable(),
  ended_at: z.string().nullable(),
});

export const liveSendAnswer = z.strictObject({
  parts: z.array(livePart),
  state: z.string(),
  done: z.boolean(),
});
