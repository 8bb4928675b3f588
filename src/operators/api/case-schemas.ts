import { z } from 'zod';
import { statuses } from '../../domain/transaction.ts';
import * as field from './answer-fields.ts';
import { among, counted, listOf, orNone, whether, written } from './answer-fields.ts';
import { loggedCallback, pageOf, proposal } from './schemas.ts';

export const attentionEntry = z
  .strictObject({
    subject: written('The id of the transaction; without a transaction, what the entry is about'),
    reason: written('Why a person is needed: one of a closed list'),
    detail: field.detail,
    raised_at: written('When the entry was made'),
    age_days: field.ageDays,
    todo: written('What a person has to do'),
    page: written('The page of the documentation that helps'),
  })
  .meta({ id: 'AttentionEntry' });

export const notifiedPayment = z
  .strictObject({
    at: field.at,
    channel: field.channel,
    receipt: field.receipt,
    amount: field.amount,
    currency: field.currency,
    party: field.party,
    outcome: field.outcome,
    reason: written('Why it was refused; null: it was not refused').nullable(),
  })
  .meta({ id: 'NotifiedPayment' });
export const callback = loggedCallback.omit({ transaction_id: true }).meta({ id: 'CallbackOfTransaction' });
export const decision = z
  .strictObject({
    outcome: field.outcome,
    note: field.note,
    proposal_id: field.proposalId,
    proposed_by: field.proposedBy,
    approved_by: field.approvedBy,
    decided_at: field.decidedAt,
    applied_at: written('When it ended the transaction; null: not yet, or the network was faster').nullable(),
    answer: written("The network's answer after the decision; null: none yet").nullable(),
  })
  .meta({ id: 'Decision' });
export const openProposal = proposal
  .pick({
    id: true,
    action: true,
    proposed_by: true,
    reason: true,
    proposed_at: true,
  })
  .meta({ id: 'OpenProposal' });
const said = z.strictObject({ at: field.at, words: written('The message in words') }).meta({ id: 'Words' });

export const shownCase = z.strictObject({
  id: field.uuidId,
  account_id: field.accountId.nullable(),
  merchant: field.merchant,
  type: written('Payment, bill or payout'),
  mode: field.mode,
  status: field.status,
  failure_code: field.failureCode,
  party: field.party,
  amount: field.amount,
  fee: field.fee,
  currency: field.currency,
  metadata: z.record(z.string(), z.unknown()).meta({ description: 'The metadata that the merchant sent' }),
  channel: field.channel,
  reference: field.reference,
  channel_reference: field.channelReference,
  created_at: field.createdAt,
  handed_over_at: field.handedOverAt,
  situation: written('The situation, in one word'),
  state: written('The state, in a sentence'),
  money: listOf(z.string(), 'Where the money is now, in sentences'),
  why: listOf(z.string(), 'How we know, in sentences'),
  next: listOf(z.string(), 'What happens next and when, in sentences'),
  channel_words: listOf(said, 'Messages to and from the network, oldest first, without names and numbers'),
  payments: listOf(notifiedPayment, 'Notified payments of a bill or QR code, oldest first'),
  callbacks: listOf(callback, 'Its callbacks, oldest first'),
  attention: listOf(attentionEntry, 'Why a person is needed'),
  decision: orNone(decision, 'How two operators decided that it ends; null: no decision'),
  proposals: listOf(openProposal, 'Proposals about it that nobody has approved yet'),
  workflow_id: written('Its workflow in Temporal'),
  workflow_url: written("Its page in Temporal's web UI; null: the web UI is not configured").nullable(),
});

export const entry = z.strictObject({
  at: field.at,
  kind: written(field.kindDescription),
  account: written('The kind of account in the ledger'),
  amount: field.amount,
  currency: field.currency,
});
export const transaction = z
  .strictObject({ ...shownCase.shape, entries: listOf(entry, 'Its entries in the ledger, oldest first') })
  .meta({ description: 'One payment, bill, payout, refund or payback' });

export const foundCase = z.strictObject({
  matched: listOf(z.string(), 'The kinds of identifier that match the searched text'),
  ...shownCase.shape,
});

const foundMerchant = z.strictObject({
  id: field.uuidId,
  name: written('Its name for people'),
  currency: field.currency,
  available: field.available,
  held: field.held,
});
const other = z.strictObject({
  what: written('The kind of thing'),
  id: field.id,
  at: field.at,
  sentence: written('Where its money is'),
});
const mistaken = z.strictObject({ what: written('The kind of identifier'), text: written('Its text') });
export const foundAnswer = z.strictObject({
  data: listOf(foundCase, 'Transactions, newest first, at most 20'),
  total: field.count,
  total_is_minimum: whether('Counting stopped at `total`: there are more'),
  merchants: listOf(foundMerchant, 'Merchants that match the text'),
  others: listOf(other, 'Matches that are not transactions'),
  payments: z
    .record(z.string(), z.string())
    .nullable()
    .meta({ description: 'If the text is an amount with a day or a network: the parameters of `payments`' }),
  near: listOf(mistaken, 'If nothing matches: identifiers that differ by one typing mistake'),
  looked_for: listOf(z.string(), 'If nothing matches: the kinds of identifier that were tried'),
});

export const listedEntry = z.strictObject({
  ...attentionEntry.shape,
  about: orNone(shownCase, 'The transaction of the entry; null: it has none'),
});

const counts = z.strictObject({
  type: shownCase.shape.type,
  mode: field.mode,
  channel: field.channel,
  status: field.status,
  count: field.count,
});
const open = z.strictObject({ reason: attentionEntry.shape.reason, count: field.count });
export const countsAnswer = z.strictObject({
  hours: counted('The number of hours that are counted'),
  transactions: listOf(counts, 'The number of transactions of each kind'),
  attention: listOf(open, 'The number of open attention entries by reason'),
});

export const caseList = pageOf(shownCase);
export const attentionList = pageOf(listedEntry);
export const transactionAnswer = z.strictObject({ transaction });

const livePart = z.strictObject({
  what: among(['payment', 'refund'], 'The payment from the phone, or its refund'),
  transaction_id: field.transactionId,
  status: among(statuses, field.statusDescription),
  amount: field.amount,
  currency: field.currency,
  connection: field.connection,
  reference: field.reference,
  channel_reference: field.channelReference,
  number: written('The number of the phone'),
  handed_over_at: field.handedOverAt,
  ended_at: written('When it ended; null: it has not ended').nullable(),
});

export const liveSendAnswer = z.strictObject({
  parts: listOf(livePart, "The parts of the live test, as the network's portal should show them"),
  state: written('The state, and what to do now'),
  done: field.done,
});
