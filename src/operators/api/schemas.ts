import { z } from 'zod';
import { keyStates, scopes } from '../../accounts/keys.ts';
import { channelStates, checkOutcomes, services } from '../../domain/channel-health.ts';
import { weekdays } from '../../domain/day.ts';
import { callbackStates } from '../../domain/event.ts';
import { forEachLimit, limitMeanings } from '../../domain/limits.ts';
import { statementTypes } from '../../domain/statement.ts';
import { releaseKinds } from '../../ledger/suspense.ts';
import { roles } from '../people/roles.ts';
import { proposalStates } from '../people/states.ts';
import * as field from './answer-fields.ts';
import { among, counted, listOf, orNone, whether, written } from './answer-fields.ts';

const name = written('How people call it');

export const account = z
  .strictObject({ id: field.uuidId, name, created_at: field.createdAt, frozen_at: field.frozenAt })
  .meta({ description: 'A merchant' });
export const settlementRule = z.strictObject({
  own_account: written(
    "The merchant's own bank account or wallet; masked where the caller reads no customers",
  ),
  days: listOf(z.enum(weekdays), 'On which it settles by itself, at 06:00 in Dar es Salaam'),
  keep: written('What stays in the balance'),
  smallest: written('The least that is settled at once'),
  cap: written('The most that is settled at once'),
  pays_from: written('From then on the account is paid'),
  waits: whether('That moment has not come'),
});
const settlement = z
  .strictObject({
    set_by: written('The proposal that set it'),
    rule: orNone(settlementRule, 'What holds now; null: it is not proven, and pays nothing'),
    says: written('The rule in a sentence for people; it may change'),
  })
  .nullable()
  .meta({ description: 'Where its own money goes; null: no rule was ever set' });
export const accountAnswer = z.strictObject({
  account,
  balance: z
    .strictObject({ currency: field.currency, available: field.available, held: field.held })
    .meta({ description: "The merchant's money" }),
  batches_need_another: whether(
    'Whether a batch of payouts is started by a key of another holder than made it',
  ),
  settlement,
});

export const key = z.strictObject({
  id: field.id,
  account_id: field.accountId,
  label: written('What the key is for'),
  holder: written('Who has it; null: nobody was named').nullable(),
  scopes: listOf(z.enum(scopes), 'What the key may do'),
  allowed_ips: listOf(z.string(), 'The addresses and networks that it may be used from; none: any'),
  live_secrets: counted('How many secrets open it: two while one is replaced'),
  created_at: field.createdAt,
  expires_at: field.expiresAt.nullable(),
  revoked_at: written('When it was ended for good; null: it was not').nullable(),
  frozen_at: field.frozenAt,
  last_used_at: written('When it was last used, to the minute; null: never').nullable(),
  state: among(keyStates, 'What it is in'),
  callback_url: written('Where its callbacks go; null: nowhere').nullable(),
  callback_disabled_reason: written('Why nothing is sent there any more; null while it works').nullable(),
});

export const limits = z
  .strictObject(forEachLimit((name) => counted(limitMeanings[name]).nullable()))
  .meta({ description: 'What payouts are bounded by; money in minor units (1 TZS = 100), null for none' });
export const limitsAnswer = z.strictObject({ currency: field.currency, limits });

export const channel = z.strictObject({
  channel: field.channel,
  service: among(services, 'Payments or payouts'),
  state: among(channelStates, 'What it answered lately; `down` as well where it is closed'),
  closed: z
    .strictObject({
      by: written('The operator who did it'),
      reason: field.reason,
      at: field.at,
      everywhere: whether('Closed with every other network'),
    })
    .nullable()
    .meta({ description: 'Who closed it, and why; null while nobody has' }),
});
const allOf = <Item extends z.ZodType>(item: Item) => listOf(item, 'The items of this page');
export const channelList = z.strictObject({ data: allOf(channel) });

export const token = z.strictObject({
  id: field.id,
  issued_by: written('Who let it in: a proposal, its owner, or who held the credentials of the database'),
  created_at: field.createdAt,
  expires_at: field.expiresAt,
  last_used_at: key.shape.last_used_at,
});
export const session = z.strictObject({
  id: field.id,
  token_id: field.tokenId,
  address: written('Where the browser signed in from'),
  created_at: field.createdAt,
  last_seen_at: written('When something was last asked for in it'),
});
export const operator = z.strictObject({
  name,
  email: written('How the person is reached'),
  roles: listOf(z.enum(roles), 'What the person may do'),
  created_at: field.createdAt,
  disabled_at: written('Since when the person has no access; null: has it').nullable(),
  tokens: listOf(token, 'Live tokens, oldest first'),
  sessions: listOf(session, 'Live sessions at the desk, oldest first'),
});
export const newTokenAnswer = z.strictObject({
  token: written('The text of the token, shown only now'),
  token_id: field.tokenId,
  expires_at: field.expiresAt,
});

const fact = z
  .strictObject({
    name: written('What it is that changes'),
    before: written('As it is; null where nothing is replaced').nullable(),
    after: written('As it will be'),
  })
  .meta({ id: 'Fact' });
export const proposal = z
  .strictObject({
    id: field.id,
    action: field.action,
    summary: written('What is proposed, in a sentence'),
    facts: listOf(fact, 'What an approver has to know: names and shillings, as they are and as they will be'),
    payload: z.record(z.string(), z.unknown()).meta(field.payload),
    payload_hash: field.payloadHash,
    reason: field.reason,
    state: among(proposalStates, 'What it is in'),
    proposed_by: field.proposedBy,
    proposed_at: written('When it was proposed'),
    expires_at: field.expiresAt,
    decided_by: written('The operator who approved or rejected it; null while it is open').nullable(),
    decided_at: field.decidedAt.nullable(),
    outcome: field.outcome.nullable(),
  })
  .meta({ id: 'Proposal', description: 'What two operators have to agree on' });

export const release = z.strictObject({
  kind: among(releaseKinds, field.kindDescription),
  at: field.at,
  proposal_id: field.proposalId,
  proposed_by: field.proposedBy,
  approved_by: field.approvedBy,
  note: field.note,
});
export const payback = z.strictObject({
  transaction_id: field.transactionId,
  status: among(['pending', 'paid', 'failed', 'cancelled'], field.statusDescription),
  failure_code: field.failureCode,
  at: written('Since when it has this status'),
});
export const suspenseItem = z
  .strictObject({
    id: field.id,
    channel: field.channel,
    receipt: field.receipt,
    known_as: written("The network's number of it, where it named none at first").nullable(),
    transaction_id: field.transactionId.nullable(),
    account_id: field.accountId.nullable(),
    amount: written('Signed: negative where money left and we miss it; zero where nobody could read it'),
    amount_minor: counted(
      'The amount in minor units (1 TZS = 100): below zero we miss it, zero: nobody could read it',
    ),
    currency: field.currency,
    detail: field.detail,
    created_at: field.createdAt,
    age_days: field.ageDays,
    release: orNone(release, 'How it left suspense; null while it is open'),
    paybacks: listOf(
      payback,
      'Payouts of ours to whoever paid it, oldest first; one that failed put it back',
    ),
  })
  .meta({ description: 'Money that fits no transaction' });

export const loggedCallback = z.strictObject({
  event_id: field.eventId,
  event: written('What the callback says'),
  transaction_id: field.transactionId.nullable(),
  state: among(callbackStates, 'Whether it was delivered'),
  created_at: field.createdAt,
  next_attempt_at: written('When it is tried again; null: never by itself').nullable(),
  attempts: counted('How often it was tried'),
  last_at: written('When it was last tried; null: never').nullable(),
  last_answer: written("The receiver's answer to the last attempt, or why there was none").nullable(),
});

export const statementLine = z.strictObject({
  line: counted('Numbers the lines of an account without a gap'),
  at: field.at,
  type: among(statementTypes, 'What it is'),
  transaction_id: field.transactionId.nullable(),
  reference: field.reference.nullable(),
  description: field.lineText,
  amount: written('Its money: positive when it came, negative when it went'),
  balance: written('What was available after this line'),
});

export const checkedConnections = z.strictObject({
  data: allOf(
    z.strictObject({
      connection: field.connection,
      protocol: written('What it speaks'),
      outcome: among(checkOutcomes, 'What came of it'),
      detail: field.detail,
    }),
  ),
});

export const serviceBalance = z.strictObject({
  kind: written(field.kindDescription),
  channel: field.channel.nullable(),
  currency: field.currency,
  amount: field.amount,
  meaning: written('What it means that money is on it'),
});

const head = z.strictObject({ id: field.numberId, hash: field.hash });
const headIs = 'Where the log ends';
const logged = z.strictObject({
  id: field.numberId,
  line: written('The text that is hashed: a JSON array'),
  hash: field.hash,
});
export const auditPage = z.strictObject({
  lines: listOf(logged, 'The lines after the one that was asked for, oldest first'),
  head: head.meta({ description: headIs }),
});

export const auditLine = z.strictObject({
  id: field.numberId,
  at: field.at,
  actor: written('Who did it: `operator:` and a name, or a part of the service'),
  address: written('Where the call came from; null: no call').nullable(),
  request_id: field.requestId.nullable(),
  action: written('What was done'),
  subject: written('What it was done to'),
  detail: z.record(z.string(), z.unknown()).meta({ description: 'More about it; nothing secret' }),
});

export const auditVerified = z.strictObject({
  done: field.done,
  lines: counted('How many lines are as they were written'),
  head: orNone(head, headIs),
  breach: written('Which line is not what was written; null: all are').nullable(),
});

const pagination = z
  .strictObject({
    current_page: counted('The page that this is'),
    last_page: counted('The last page that has items; 1 when there are none'),
    per_page: counted('How many items a page has'),
    total_items: counted('How many items there are in all'),
  })
  .meta({ id: 'Pagination', description: 'Which page this is, and how many there are' });

export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.strictObject({ data: allOf(item), pagination });

export const accountList = pageOf(account);
export const auditList = pageOf(auditLine);
export const keyList = pageOf(key);
export const callbackList = pageOf(loggedCallback);
export const statementAnswer = z.strictObject({
  currency: field.currency,
  from: written('The beginning, inclusive'),
  to: written('The end, exclusive'),
  opening_balance: written('What was available before the range, whatever page this is'),
  closing_balance: written('What was available after the range, whatever page this is'),
  final: field.final,
  ...pageOf(statementLine).shape,
});
export const operatorList = z.strictObject({ data: allOf(operator) });
export const proposalList = pageOf(proposal);
export const proposalAnswer = z.strictObject({ proposal });
/** It has an outcome if one person was enough and the action is done. */
export const proposedAnswer = z.union([
  z.strictObject({ proposal }),
  z.strictObject({ outcome: field.outcome }),
]);
export const suspenseList = pageOf(suspenseItem);
export const suspenseAnswer = z.strictObject({
  item: suspenseItem,
  merchant: written('The name of the merchant of its transaction; null: it has none').nullable(),
  pays: z
    .strictObject({
      id: field.uuidId,
      control_number: written('What its payers type'),
      refused: written('Why it cannot take the money now; null: it can').nullable(),
    })
    .nullable()
    .meta({ description: 'The bill, QR code or number that an open item pays; null: none' }),
});

const came = z.strictObject({ class: written(field.classDescription), lines: counted('How many they are') });
export const importedStatement = z.strictObject({
  statement: written('The name of what was imported'),
  account: field.statementAccount,
  repeated: whether('True: these bytes were imported before, and this is what came of them then'),
  lines: counted('How many lines it has'),
  added: counted('How many of them no statement before had'),
  known: counted('How many of them a statement before had'),
  classes: listOf(came, 'How many of those that were added came to what'),
  notes: listOf(
    z.string(),
    'What people look at: statements of the file that were imported before, ' +
      'and lines that leave a day unproven',
  ),
});
