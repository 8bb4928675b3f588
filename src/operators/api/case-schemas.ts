import { z } from 'zod';
import { statuses } from '../../domain/transaction.ts';
import * as field from './answer-fields.ts';
import { among, counted, listOf, orNone, whether, written } from './answer-fields.ts';
import { loggedCallback, pageOf, proposal } from './schemas.ts';

export const attentionEntry = z
  .strictObject({
    subject: written('The id of the transaction, or what it is about where there is none'),
    reason: written('Why a person is needed, in a word'),
    detail: field.detail,
    raised_at: written('Since when a person is needed'),
    age_days: field.ageDays,
    todo: written('What a person does about it'),
    page: written('The page that helps'),
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
    reason: written('Why it was refused; null where it was not').nullable(),
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
    applied_at: written('When it ended the transaction; null: its network was faster').nullable(),
    answer: written("The network's answer since then; null: none yet").nullable(),
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
const said = z.strictObject({ at: field.at, words: written('What was said') }).meta({ id: 'Words' });

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
  metadata: z.record(z.string(), z.unknown()).meta({ description: 'What the merchant sent with it' }),
  channel: field.channel,
  reference: field.reference,
  channel_reference: field.channelReference,
  created_at: field.createdAt,
  handed_over_at: field.handedOverAt,
  situation: written('What the world looks like, in one word'),
  state: written('What it is, in a sentence'),
  money: listOf(z.string(), 'Where the money is now, in sentences'),
  why: listOf(z.string(), 'How we know, in sentences'),
  next: listOf(z.string(), 'What happens next and when, in sentences'),
  channel_words: listOf(said, 'What was said to its network and by it, oldest first; names nobody'),
  payments: listOf(notifiedPayment, 'What networks notified of a bill or QR code, oldest first'),
  callbacks: listOf(callback, 'Its callbacks, oldest first'),
  attention: listOf(attentionEntry, 'Why a person is needed'),
  decision: orNone(decision, 'What two operators decided about its end; null: nothing'),
  proposals: listOf(openProposal, 'Proposals about it that nobody has approved yet'),
  workflow_id: written('Its workflow in Temporal'),
  workflow_url: written("Its page in Temporal's web UI; null where that is not configured").nullable(),
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
  matched: listOf(z.string(), 'Which kinds of identifier the text is of it'),
  ...shownCase.shape,
});

const foundMerchant = z.strictObject({
  id: field.uuidId,
  name: written('How people call it'),
  currency: field.currency,
  available: field.available,
  held: field.held,
});
const other = z.strictObject({
  what: written('What it is'),
  id: field.id,
  at: field.at,
  sentence: written('Where its money is'),
});
const mistaken = z.strictObject({ what: written('What it would be'), text: written('How it is written') });
export const foundAnswer = z.strictObject({
  data: listOf(foundCase, 'Transactions, newest first, at most 20'),
  total: field.count,
  total_is_minimum: whether('Counting stopped at `total`: there are more'),
  merchants: listOf(foundMerchant, 'Merchants that are known by what was asked for'),
  others: listOf(other, 'What was found that is no transaction'),
  payments: z
    .record(z.string(), z.string())
    .nullable()
    .meta({ description: 'If an amount with a day or a network was typed: the parameters of `payments`' }),
  near: listOf(mistaken, 'Where nothing is found: what is one mistake away from it'),
  looked_for: listOf(z.string(), 'Where nothing is found: as what it was looked for'),
});

export const listedEntry = z.strictObject({
  ...attentionEntry.shape,
  about: orNone(shownCase, 'All that is known of its transaction; null where there is none'),
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
  hours: counted('Of how many hours'),
  transactions: listOf(counts, 'How many there are of each kind'),
  attention: listOf(open, 'Open entries of the list by why a person is needed'),
});

export const caseList = pageOf(shownCase);
export const attentionList = pageOf(listedEntry);
export const transactionAnswer = z.strictObject({ transaction });

const livePart = z.strictObject({
  what: among(['payment', 'refund'], 'The payment of the phone, or its refund'),
  transaction_id: field.transactionId,
  status: among(statuses, field.statusDescription),
  amount: field.amount,
  currency: field.currency,
  connection: field.connection,
  reference: field.reference,
  channel_reference: field.channelReference,
  number: written('The number of the phone'),
  handed_over_at: field.handedOverAt,
  ended_at: written('When it ended; null: it has not').nullable(),
});

export const liveSendAnswer = z.strictObject({
  parts: listOf(livePart, 'What was sent of a live test, as the portal of its network should show it'),
  state: written('How it stands, and what to do now'),
  done: field.done,
});
