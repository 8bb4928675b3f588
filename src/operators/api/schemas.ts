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

const name = written('The name for people');

export const account = z
  .strictObject({ id: field.uuidId, name, created_at: field.createdAt, frozen_at: field.frozenAt })
  .meta({ description: 'A merchant' });
export const settlementRule = z.strictObject({
  own_account: written("The merchant's own bank account or wallet; masked if the role may not see customers"),
  days: listOf(z.enum(weekdays), 'Days of automatic settlements, at 06:00 in Dar es Salaam'),
  keep: written('The amount that stays in the balance'),
  smallest: written('The smallest settlement'),
  cap: written('The largest settlement'),
  pays_from: written('The account is paid from this time on'),
  waits: whether('True: this time has not come'),
});
const settlement = z
  .strictObject({
    set_by: written('The proposal that set it'),
    rule: orNone(settlementRule, 'The rule in force; null: it is not proven, and pays nothing'),
    says: written('The rule in a sentence for people; it may change'),
  })
  .nullable()
  .meta({ description: 'Its settlement rule; null: no rule was ever set' });
export const accountAnswer = z.strictObject({
  account,
  balance: z
    .strictObject({ currency: field.currency, available: field.available, held: field.held })
    .meta({ description: "The merchant's money" }),
  batches_need_another: whether('True: a key of a second holder must start each batch of payouts'),
  settlement,
});

export const key = z.strictObject({
  id: field.id,
  account_id: field.accountId,
  label: written('What the key is for'),
  holder: written('The holder of the key; null: not named').nullable(),
  scopes: listOf(z.enum(scopes), 'What the key may do'),
  allowed_ips: listOf(z.string(), 'The IP addresses and networks that may use it; empty: any'),
  live_secrets: counted('The number of valid secrets: two while one is replaced'),
  created_at: field.createdAt,
  expires_at: field.expiresAt.nullable(),
  revoked_at: written('When it was revoked for good; null: it is not revoked').nullable(),
  frozen_at: field.frozenAt,
  last_used_at: written('When it was last used, to the minute; null: never').nullable(),
  state: among(keyStates, 'The state of the key'),
  callback_url: written('The URL of its callbacks; null: none').nullable(),
  callback_disabled_reason: written('Why the URL is disabled; null: it is not').nullable(),
});

export const limits = z
  .strictObject(forEachLimit((name) => counted(limitMeanings[name]).nullable()))
  .meta({ description: 'The limits of payouts; money in minor units (1 TZS = 100); null: no limit' });
export const limitsAnswer = z.strictObject({ currency: field.currency, limits });

export const channel = z.strictObject({
  channel: field.channel,
  service: among(services, 'Payments or payouts'),
  state: among(channelStates, 'The state by its latest answers; also `down` if it is closed'),
  closed: z
    .strictObject({
      by: written('The operator who closed it'),
      reason: field.reason,
      at: field.at,
      everywhere: whether('True: all networks were closed together'),
    })
    .nullable()
    .meta({ description: 'Who closed it, and why; null: it is not closed' }),
});
const allOf = <Item extends z.ZodType>(item: Item) => listOf(item, 'The items of this page');
export const channelList = z.strictObject({ data: allOf(channel) });

export const token = z.strictObject({
  id: field.id,
  issued_by: written('Who activated it: a proposal, its owner, or a person with the database credentials'),
  created_at: field.createdAt,
  expires_at: field.expiresAt,
  last_used_at: key.shape.last_used_at,
});
export const session = z.strictObject({
  id: field.id,
  token_id: field.tokenId,
  address: written('The IP address of the browser at the sign-in'),
  created_at: field.createdAt,
  last_seen_at: written('The time of its last request'),
});
export const operator = z.strictObject({
  name,
  email: written("The person's e-mail address"),
  roles: listOf(z.enum(roles), 'The roles of the person'),
  created_at: field.createdAt,
  disabled_at: written('When the access ended; null: it has not ended').nullable(),
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
    name: written('The thing that changes'),
    before: written('The old value; null: nothing is replaced').nullable(),
    after: written('The new value'),
  })
  .meta({ id: 'Fact' });
export const proposal = z
  .strictObject({
    id: field.id,
    action: field.action,
    summary: written('The proposal in a sentence'),
    facts: listOf(fact, 'Facts for the approver: names and shillings, before and after'),
    payload: z.record(z.string(), z.unknown()).meta(field.payload),
    payload_hash: field.payloadHash,
    reason: field.reason,
    state: among(proposalStates, 'The state of the proposal'),
    proposed_by: field.proposedBy,
    proposed_at: written('When it was proposed'),
    expires_at: field.expiresAt,
    decided_by: written('The operator who approved or rejected it; null: it is still open').nullable(),
    decided_at: field.decidedAt.nullable(),
    outcome: field.outcome.nullable(),
  })
  .meta({ id: 'Proposal', description: 'An action on which two operators have to agree' });

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
  at: written('When it got this status'),
});
export const suspenseItem = z
  .strictObject({
    id: field.id,
    channel: field.channel,
    receipt: field.receipt,
    known_as: written("The network's receipt, if it named it only later").nullable(),
    transaction_id: field.transactionId.nullable(),
    account_id: field.accountId.nullable(),
    amount: written('Negative: money left, and we cannot explain it; zero: the amount was unreadable'),
    amount_minor: counted(
      'The amount in minor units (1 TZS = 100); below zero: money is missing; zero: it was unreadable',
    ),
    currency: field.currency,
    detail: field.detail,
    created_at: field.createdAt,
    age_days: field.ageDays,
    release: orNone(release, 'How it left suspense; null: it is still open'),
    paybacks: listOf(
      payback,
      'Our payouts to its payer, oldest first; a failed payout puts the money back into suspense',
    ),
  })
  .meta({ description: 'Money that belongs to no transaction' });

export const loggedCallback = z.strictObject({
  event_id: field.eventId,
  event: written('The name of the event'),
  transaction_id: field.transactionId.nullable(),
  state: among(callbackStates, 'The state of the delivery'),
  created_at: field.createdAt,
  next_attempt_at: written('When the next attempt is made; null: no more automatic attempts').nullable(),
  attempts: counted('The number of attempts'),
  last_at: written('The time of the last attempt; null: none yet').nullable(),
  last_answer: written("The receiver's answer to the last attempt, or why it did not answer").nullable(),
});

export const statementLine = z.strictObject({
  line: counted('The number of the line; an account has no gaps'),
  at: field.at,
  type: among(statementTypes, 'The type of line'),
  transaction_id: field.transactionId.nullable(),
  reference: field.reference.nullable(),
  description: field.lineText,
  amount: written('The amount: positive if it came in, negative if it went out'),
  balance: written('The available balance after this line'),
});

export const checkedConnections = z.strictObject({
  data: allOf(
    z.strictObject({
      connection: field.connection,
      protocol: written('The protocol of the connection'),
      outcome: among(checkOutcomes, 'The result of the test'),
      detail: field.detail,
    }),
  ),
});

export const serviceBalance = z.strictObject({
  kind: written(field.kindDescription),
  channel: field.channel.nullable(),
  currency: field.currency,
  amount: field.amount,
  meaning: written('The meaning of a balance on this account'),
});

const head = z.strictObject({ id: field.numberId, hash: field.hash });
const headIs = 'The last line of the log';
const logged = z.strictObject({
  id: field.numberId,
  line: written('The text that the hash covers: a JSON array'),
  hash: field.hash,
});
export const auditPage = z.strictObject({
  lines: listOf(logged, 'The lines after `after`, oldest first'),
  head: head.meta({ description: headIs }),
});

export const auditLine = z.strictObject({
  id: field.numberId,
  at: field.at,
  actor: written('Who did it: `operator:` and a name, or a part of the service'),
  address: written('The IP address of the call; null: it was no call').nullable(),
  request_id: field.requestId.nullable(),
  action: written('What was done'),
  subject: written('The subject of the action'),
  detail: z.record(z.string(), z.unknown()).meta({ description: 'More facts, without secrets' }),
});

export const auditVerified = z.strictObject({
  done: field.done,
  lines: counted('The number of lines that are unchanged'),
  head: orNone(head, headIs),
  breach: written('The first line that was changed or removed; null: none').nullable(),
});

const pagination = z
  .strictObject({
    current_page: counted('The number of this page'),
    last_page: counted('The last page with items; 1 if there are none'),
    per_page: counted('The number of items of a page'),
    total_items: counted('The number of all items'),
  })
  .meta({ id: 'Pagination', description: 'The number of this page and of all pages' });

export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.strictObject({ data: allOf(item), pagination });

export const accountList = pageOf(account);
export const auditList = pageOf(auditLine);
export const keyList = pageOf(key);
export const callbackList = pageOf(loggedCallback);
export const statementAnswer = z.strictObject({
  currency: field.currency,
  from: written('The start, inclusive'),
  to: written('The end, exclusive'),
  opening_balance: written('The available balance before the range, the same on every page'),
  closing_balance: written('The available balance after the range, the same on every page'),
  final: field.final,
  ...pageOf(statementLine).shape,
});
export const operatorList = z.strictObject({ data: allOf(operator) });
export const proposalList = pageOf(proposal);
export const proposalAnswer = z.strictObject({ proposal });
/** It has an `outcome` if one person was enough: then the action is done. */
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
      refused: written('Why it cannot take the money now; null: it can take it').nullable(),
    })
    .nullable()
    .meta({ description: 'The bill, QR code or number that an open item pays; null: none' }),
});

const came = z.strictObject({ class: written(field.classDescription), lines: counted('How many lines') });
export const importedStatement = z.strictObject({
  statement: written('The id of the imported statement'),
  account: field.statementAccount,
  repeated: whether('True: this file was imported before; this is the result of that import'),
  lines: counted('The number of lines'),
  added: counted('The number of new lines, which no earlier statement had'),
  known: counted('The number of known lines, which an earlier statement had'),
  classes: listOf(came, 'The number of new lines of each class'),
  notes: listOf(
    z.string(),
    'Notes for people: statements of the file that were imported before, ' +
      'and lines that leave a day unproven',
  ),
});
