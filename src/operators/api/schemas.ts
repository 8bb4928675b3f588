import { z } from 'zod';
import { keyStates, scopes } from '../../accounts/keys.ts';
import { channelStates, checkOutcomes, services } from '../../domain/channel-health.ts';
import { callbackStates } from '../../domain/event.ts';
import { forEachLimit } from '../../domain/limits.ts';
import { statementTypes } from '../../domain/statement.ts';
import { roles } from '../people/roles.ts';
import { proposalStates } from '../people/states.ts';
import { settlement } from './settlement-schema.ts';

/** Answers of the operator API. Amounts are strings such as `5,000.00`, times UTC with microseconds. */
const time = z.string();

export const account = z.strictObject({
  id: z.uuid(),
  name: z.string(),
  created_at: time,
  frozen_at: time.nullable(),
});
export const accountAnswer = z.strictObject({
  account,
  balance: z.strictObject({ currency: z.string(), available: z.string(), held: z.string() }),
  batches_need_another: z.boolean(),
  settlement: settlement.nullable(),
});

export const key = z.strictObject({
  id: z.string(),
  account_id: z.uuid(),
  label: z.string(),
  /** null if nobody was named */
  holder: z.string().nullable(),
  scopes: z.array(z.enum(scopes)),
  allowed_ips: z.array(z.string()),
  live_secrets: z.number(),
  created_at: time,
  expires_at: time.nullable(),
  revoked_at: time.nullable(),
  frozen_at: time.nullable(),
  last_used_at: time.nullable(),
  state: z.enum(keyStates),
  callback_url: z.string().nullable(),
  /** why nothing is sent there any more; null while it works */
  callback_disabled_reason: z.string().nullable(),
});

/** Money in minor units (1 TZS = 100), as it is sent; null: no limit. */
export const limits = z.strictObject(forEachLimit(() => z.number().nullable()));
export const limitsAnswer = z.strictObject({ limits });

export const channel = z.strictObject({
  channel: z.string(),
  service: z.enum(services),
  state: z.enum(channelStates),
  /** null while nobody has closed it */
  closed: z
    .strictObject({
      by: z.string(),
      reason: z.string(),
      at: time,
      /** closed with every other channel */
      everywhere: z.boolean(),
    })
    .nullable(),
});
export const channelList = z.strictObject({ data: z.array(channel) });

export const token = z.strictObject({
  id: z.string(),
  issued_by: z.string(),
  created_at: time,
  expires_at: time,
  last_used_at: time.nullable(),
});
export const session = z.strictObject({
  id: z.string(),
  token_id: z.string(),
  address: z.string(),
  created_at: time,
  last_seen_at: time,
});
export const operator = z.strictObject({
  name: z.string(),
  email: z.string(),
  roles: z.array(z.enum(roles)),
  created_at: time,
  disabled_at: time.nullable(),
  tokens: z.array(token),
  /** browsers at the desk */
  sessions: z.array(session),
});
/** The text of a token is shown only once. */
export const newTokenAnswer = z.strictObject({ token: z.string(), token_id: z.string(), expires_at: time });

export const proposal = z.strictObject({
  id: z.string(),
  action: z.string(),
  summary: z.string(),
  /** an approver must know these names and shillings; `before` is null if nothing is replaced */
  facts: z.array(z.strictObject({ name: z.string(), before: z.string().nullable(), after: z.string() })),
  /** the hash covers this payload; money is in minor units (1 TZS = 100) */
  payload: z.record(z.string(), z.unknown()),
  payload_hash: z.string(),
  reason: z.string(),
  state: z.enum(proposalStates),
  proposed_by: z.string(),
  proposed_at: time,
  expires_at: time,
  decided_by: z.string().nullable(),
  decided_at: time.nullable(),
  outcome: z.string().nullable(),
});

export const release = z.strictObject({
  kind: z.enum([
    'suspense_release',
    'suspense_return',
    'write_off',
    'payback',
    'nothing_came',
    'charge',
    'sweep',
    'own',
    'void',
    'collection',
    'payout',
    'payback_paid',
    'reversal',
  ]),
  at: time,
  proposal_id: z.string(),
  proposed_by: z.string(),
  approved_by: z.string(),
  note: z.string(),
});
export const payback = z.strictObject({
  transaction_id: z.uuid(),
  status: z.enum(['pending', 'paid', 'failed', 'cancelled']),
  failure_code: z.string().nullable(),
  /** since when it has this status */
  at: time,
});
export const suspenseItem = z.strictObject({
  id: z.string(),
  channel: z.string(),
  receipt: z.string(),
  /** the channel's number of it, where it named none at first; null: `receipt` is all it is known by */
  known_as: z.string().nullable(),
  /** null: money for no transaction of ours */
  transaction_id: z.uuid().nullable(),
  account_id: z.uuid().nullable(),
  /** signed: negative where money left and we miss it; zero where nobody could read it */
  amount: z.string(),
  amount_minor: z.number(),
  currency: z.string(),
  detail: z.string(),
  created_at: time,
  age_days: z.number(),
  /** null while it is open */
  release: release.nullable(),
  /** payouts of ours to whoever paid it, oldest first; one that failed put the item back */
  paybacks: z.array(payback),
});

export const loggedCallback = z.strictObject({
  event_id: z.string(),
  event: z.string(),
  /** null: a ping, or news about the address itself */
  transaction_id: z.uuid().nullable(),
  state: z.enum(callbackStates),
  created_at: time,
  next_attempt_at: time.nullable(),
  attempts: z.number(),
  /** null before the first attempt */
  last_at: time.nullable(),
  last_answer: z.string().nullable(),
});

export const statementLine = z.strictObject({
  line: z.number(),
  at: time,
  type: z.enum(statementTypes),
  transaction_id: z.uuid().nullable(),
  reference: z.string().nullable(),
  description: z.string(),
  /** signed: below zero where money left */
  amount: z.string(),
  /** after this line */
  balance: z.string(),
});

export const checkedConnections = z.strictObject({
  data: z.array(
    z.strictObject({
      connection: z.string(),
      protocol: z.string(),
      outcome: z.enum(checkOutcomes),
      detail: z.string(),
    }),
  ),
});

export const serviceBalance = z.strictObject({
  kind: z.string(),
  /** null: one account for all channels */
  channel: z.string().nullable(),
  currency: z.string(),
  amount: z.string(),
  meaning: z.string(),
});

export const auditPage = z.strictObject({
  lines: z.array(z.strictObject({ id: z.number(), line: z.string(), hash: z.string() })),
  /** the log ended here when the page was read */
  head: z.strictObject({ id: z.number(), hash: z.string() }),
});

export const auditLine = z.strictObject({
  id: z.number(),
  at: time,
  actor: z.string(),
  address: z.string().nullable(),
  request_id: z.string().nullable(),
  action: z.string(),
  subject: z.string(),
  detail: z.record(z.string(), z.unknown()),
});

export const auditVerified = z.strictObject({
  /** false: it takes longer; ask again */
  done: z.boolean(),
  /** how many are as they were written */
  lines: z.number(),
  /** the last of them */
  head: z.strictObject({ id: z.number(), hash: z.string() }).nullable(),
  /** which line is not what was written; null: all are */
  breach: z.string().nullable(),
});

export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.strictObject({
    data: z.array(item),
    pagination: z.strictObject({
      current_page: z.number(),
      last_page: z.number(),
      per_page: z.number(),
      total_items: z.number(),
    }),
  });

export const accountList = pageOf(account);
export const auditList = pageOf(auditLine);
export const keyList = pageOf(key);
export const callbackList = pageOf(loggedCallback);
export const statementAnswer = z.strictObject({
  currency: z.string(),
  from: time,
  to: time,
  /** before the first line of the range, and after its last one, whatever page this is */
  opening_balance: z.string(),
  closing_balance: z.string(),
  /** nothing that happens later changes this range */
  final: z.boolean(),
  ...pageOf(statementLine).shape,
});
export const operatorList = z.strictObject({ data: z.array(operator) });
export const proposalList = pageOf(proposal);
export const proposalAnswer = z.strictObject({ proposal });
/** The outcome says that it is done: one person was enough. */
export const proposedAnswer = z.union([
  z.strictObject({ proposal }),
  z.strictObject({ outcome: z.string() }),
]);
export const suspenseList = pageOf(suspenseItem);
export const suspenseAnswer = z.strictObject({
  item: suspenseItem,
  /** null if an open item pays no bill and no number */
  pays: z
    .strictObject({
      id: z.uuid(),
      control_number: z.string(),
      /** why it cannot take the money now; null: it can */
      refused: z.string().nullable(),
    })
    .nullable(),
});

export const importedStatement = z.strictObject({
  statement: z.string(),
  account: z.string(),
  /** true: these bytes were imported before, and this is what came of them then */
  repeated: z.boolean(),
  lines: z.number(),
  /** counts lines that no earlier statement had */
  added: z.number(),
  known: z.number(),
  /** how many of those came to what */
  classes: z.array(z.strictObject({ class: z.string(), lines: z.number() })),
  /** people should know these, such as statements of the file that were there before */
  notes: z.array(z.string()),
});
