import { z } from 'zod';
import { DAY_MS, dayOf } from '../../domain/day.ts';
import { GatewayError } from '../../domain/errors.ts';
import type { Minor } from '../../domain/money.ts';
import { daysOf, type ProvenDay } from '../../reconciliation/days.ts';
import { balancesNow } from '../../reconciliation/fetch.ts';
import { type Float, floatOf } from '../../reconciliation/float.ts';
import { groupsOf, type Proven } from '../../reconciliation/groups.ts';
import {
  findItem,
  itemClasses,
  itemStates,
  itemsOf,
  type ReconciliationItem,
} from '../../reconciliation/items.ts';
import { reportOf } from '../../reconciliation/report.ts';
import { suggestionsFor } from '../../reconciliation/suggestions.ts';
import { type Call, type Context, call } from './call.ts';
import { dateField } from './fields.ts';
import { presented } from './presented.ts';

/** These calls only read and import; `lines.…` and `days.…` proposals decide on open lines. */

/** A list of lines has no more: the oldest ones. */
export const LINES_MAX = 10_000;
const minor = z.number();

const line = z.strictObject({
  id: z.string(),
  account: z.string(),
  day: z.string(),
  class: z.enum(itemClasses).nullable(),
  state: z.enum(itemStates),
  receipt: z.string().nullable(),
  reference: z.string().nullable(),
  kind: z.string(),
  amount_minor: minor,
  currency: z.string(),
  age_days: z.number(),
  /** the item in suspense that has its money; null: none */
  item: z.string().nullable(),
  /** if a line differs this is the difference; people decide on this amount */
  item_amount_minor: minor.nullable(),
  /** null for a movement of ours */
  statement: z.string().nullable(),
});
export const lineList = z.strictObject({ lines: z.array(line) });
export const lineAnswer = z.strictObject({
  line,
  /** transactions that an open line may be, by amount, visible digits and time: for people, nothing takes one */
  suggestions: z.array(z.string()),
});

const day = z.strictObject({
  account: z.string(),
  day: z.string(),
  state: z.enum(['open', 'balanced', 'closed']),
  is_covered: z.boolean().meta({ description: 'Whether it is over, and statements show all of it' }),
  lines: z.number(),
  matched: z.number(),
  booked: z.number(),
  open: z.number(),
  opening_minor: minor.nullable(),
  closing_minor: minor.nullable(),
  clearing_minor: minor,
  unbooked_minor: minor,
  unseen_minor: minor,
});
export const dayList = z.strictObject({ days: z.array(day) });

const openOf = z.strictObject({
  account: z.string().meta({ description: 'The statement account, by its name in the channels file' }),
  class: z.string(),
  count: z.number(),
  amount_minor: minor.meta({ description: 'Their sum without signs, in minor units' }),
  oldest_days: z.number().meta({ description: 'For how many days the oldest of them is open' }),
});
const report = z.strictObject({
  day: z.string(),
  days: z.array(day).meta({ description: 'The day at each account' }),
  open: z.array(openOf).meta({ description: 'What is open of all days, by account and class' }),
  missing: z.array(z.string()).meta({ description: 'Accounts of which no statement shows the day' }),
  markdown: z.string(),
  csv: z.string(),
});

const float = z.strictObject({
  account: z.string(),
  says_minor: minor.nullable(),
  says_at: z.string().nullable(),
  /** absent if the network was not asked or did not answer */
  balance_minor: minor.optional(),
  promised_minor: minor,
  scheduled_minor: minor,
  mean_24h_minor: minor,
  dry_at: z.string().nullable(),
});
export const floatList = z.strictObject({ accounts: z.array(float) });

const account = z.string().max(40).optional();

export const reconciliationCalls = {
  listLines: call(
    {
      method: 'GET',
      paths: ['lines'],
      summary:
        'Lines of statements, and movements of ours that none of them shows: what is open or waits, oldest first',
      roles: ['support', 'finance'],
      query: { account, state: z.enum(itemStates).optional(), class: z.enum(itemClasses).optional() },
      answer: lineList,
    },
    async ({ account, state, class: of }, context) => {
      const states = state === undefined ? (['open', 'waiting'] as const) : [state];
      const found = await ofEach(context, account, (group) =>
        itemsOf(context.deps.longDatabase, group, { states, account, class: of, limit: LINES_MAX }),
      );
      return { lines: found.slice(0, LINES_MAX).map(presentLine) };
    },
  ),
  getLine: call(
    {
      method: 'GET',
      paths: ['lines/{id}'],
      id: 'of the line, or of the movement of ours',
      summary: 'One line of a statement, or one movement of ours that none shows: what became of it',
      roles: ['support', 'finance'],
      answer: lineAnswer,
    },
    async (_input, { deps, id }) => {
      const found = await findItem(deps.longDatabase, deps.statementAccounts, id);
      if (!found) throw new GatewayError('not_found', `There is no line ${id}`);
      const { item } = found;
      const isOpen = item.state === 'open' && item.statement !== null;
      const asked = { line: Number(id.slice('ln_'.length)), keys: deps.imports.keys };
      const suggestions = isOpen ? await suggestionsFor(deps.longDatabase, asked) : [];
      return { line: presentLine(item), suggestions };
    },
  ),
  listDays: call(
    {
      method: 'GET',
      paths: ['days'],
      summary:
        'Each day of each statement account: its lines, and whether their money is ours to the shilling: closing = −clearing + unbooked − unseen',
      roles: ['viewer', 'support', 'finance'],
      query: { account },
      answer: dayList,
    },
    async ({ account }, context) => {
      const found = await ofEach(context, account, (group) => daysOf(context.deps.longDatabase, group));
      return {
        days: found.filter((one) => account === undefined || one.account === account).map(presentDay),
      };
    },
  ),
  listFloat: call(
    {
      method: 'GET',
      paths: ['float'],
      summary: 'What networks and banks have of our money, what is promised of it, and when it runs dry',
      roles: ['viewer', 'support', 'finance'],
      answer: floatList,
    },
    async (_input, context) => {
      const found = await ofEach(context, undefined, (group) => floatOf(context.deps.longDatabase, group));
      const balances = await balancesNow(context.deps.statementAccounts, context.deps.statementSources);
      return { accounts: found.map((one) => presentFloat(one, balances.get(one.account))) };
    },
  ),
  dailyReport: call(
    {
      method: 'GET',
      paths: ['days/{id}/report'],
      id: 'of the day, like 2026-11-25; or `yesterday`',
      summary: 'The report of a day over all accounts, and what is open of all days',
      roles: ['finance', 'admin'],
      answer: report,
    },
    async (_input, { deps, id }) => {
      const day = id === 'yesterday' ? dayOf(new Date(Date.now() - DAY_MS)) : id;
      if (!dateField.safeParse(day).success) throw new GatewayError('not_found', `${id} is no day`);
      const { days, open, ...rest } = await reportOf(deps.longDatabase, deps.statementAccounts, day);
      const openItems = open.map((one) => presented(openOf, { ...one, amountMinor: one.amount }));
      return { day, days: days.map(presentDay), open: openItems, ...rest };
    },
  ),
} satisfies Record<string, Call>;

/** Throws `not_found` where no statement account has that name. */
async function ofEach<T>(
  { deps }: Context,
  account: string | undefined,
  read: (group: Proven) => Promise<T[]>,
): Promise<T[]> {
  const groups = groupsOf(deps.statementAccounts, account);
  if (account !== undefined && groups.length === 0)
    throw new GatewayError('not_found', `There is no statement account ${account}`);
  const found: T[] = [];
  for (const group of groups) found.push(...(await read(group)));
  return found;
}

const presentLine = (one: ReconciliationItem) =>
  presented(line, { ...one, amountMinor: one.amount, itemAmountMinor: one.itemAmount });

function presentDay(one: ProvenDay) {
  const { opening, closing, clearing, unbooked, unseen } = one;
  const money = { openingMinor: opening, closingMinor: closing, clearingMinor: clearing };
  return presented(day, { ...one, ...money, unbookedMinor: unbooked, unseenMinor: unseen });
}

function presentFloat(one: Float, balanceMinor: Minor | undefined) {
  const { says, promised, scheduled, mean24h } = one;
  const money = {
    saysMinor: says,
    promisedMinor: promised,
    scheduledMinor: scheduled,
    mean24hMinor: mean24h,
  };
  return presented(float, { ...one, ...money, balanceMinor });
}
