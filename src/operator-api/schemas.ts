import { z } from 'zod';
import { scopes } from '../accounts/keys.ts';
import { services } from '../domain/channel-health.ts';
import { forEachLimit } from '../domain/limits.ts';
import { roles } from '../operators/people/roles.ts';
import { proposalStates } from '../operators/people/states.ts';

/** What the operator API answers. Amounts are strings such as `5,000.00`, times UTC with microseconds. */
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
});

export const key = z.strictObject({
  id: z.string(),
  account_id: z.uuid(),
  label: z.string(),
  scopes: z.array(z.enum(scopes)),
  allowed_ips: z.array(z.string()),
  live_secrets: z.number(),
  created_at: time,
  expires_at: time.nullable(),
  revoked_at: time.nullable(),
  frozen_at: time.nullable(),
  last_used_at: time.nullable(),
});

/** Money in minor units (1 TZS = 100), as it is sent; null: no limit. */
export const limits = z.strictObject(forEachLimit(() => z.number().nullable()));
export const limitsAnswer = z.strictObject({ limits });

/** One service of one channel. */
export const channel = z.strictObject({
  channel: z.string(),
  service: z.enum(services),
  state: z.enum(['up', 'degraded', 'down']),
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

export const operator = z.strictObject({
  name: z.string(),
  email: z.string(),
  roles: z.array(z.enum(roles)),
  created_at: time,
  disabled_at: time.nullable(),
  tokens: z.array(
    z.strictObject({
      id: z.string(),
      issued_by: z.string(),
      created_at: time,
      expires_at: time,
      last_used_at: time.nullable(),
    }),
  ),
});
/** The only time that a token's text is shown. */
export const newTokenAnswer = z.strictObject({ token: z.string(), token_id: z.string(), expires_at: time });

export const proposal = z.strictObject({
  id: z.string(),
  action: z.string(),
  /** what is proposed, in a sentence */
  summary: z.string(),
  /** what an approver has to know: names and shillings; `before` is null where nothing is replaced */
  facts: z.array(z.strictObject({ name: z.string(), before: z.string().nullable(), after: z.string() })),
  /** what the hash is of: money in minor units (1 TZS = 100) */
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

export const suspenseItem = z.strictObject({
  id: z.string(),
  channel: z.string(),
  receipt: z.string(),
  /** the channel's number of it, where it named none at first; null: `receipt` is all it is known by */
  known_as: z.string().nullable(),
  /** null: money for no transaction of ours */
  transaction_id: z.uuid().nullable(),
  /** the merchant of the transaction */
  account_id: z.uuid().nullable(),
  /** signed: negative where money left and we miss it; zero where nobody could read it */
  amount: z.string(),
  amount_minor: z.number(),
  currency: z.string(),
  detail: z.string(),
  created_at: time,
  age_days: z.number(),
  /** null while it is open */
  release: z
    .strictObject({
      kind: z.enum(['suspense_release', 'suspense_return', 'write_off', 'payback', 'nothing_came']),
      at: time,
      proposal_id: z.string(),
      proposed_by: z.string(),
      approved_by: z.string(),
      note: z.string(),
    })
    .nullable(),
  /** payouts of ours to whoever paid it, oldest first; one that failed put the item back */
  paybacks: z.array(
    z.strictObject({
      transaction_id: z.uuid(),
      status: z.enum(['pending', 'paid', 'failed', 'cancelled']),
      failure_code: z.string().nullable(),
      /** since when it has this status */
      at: time,
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
  /** where the log ended when the page was read */
  head: z.strictObject({ id: z.number(), hash: z.string() }),
});

/** A page of a list. */
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
export const keyList = pageOf(key);
export const operatorList = z.strictObject({ data: z.array(operator) });
export const proposalList = pageOf(proposal);
export const proposalAnswer = z.strictObject({ proposal });
export const suspenseList = pageOf(suspenseItem);
export const suspenseAnswer = z.strictObject({ item: suspenseItem });
