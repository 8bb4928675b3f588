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
import { openLine, suggestionsFor } from '../../reconciliation/suggestions.ts';
import { halvesOf } from '../actions/line-actions.ts';
import * as field from './answer-fields.ts';
import { among, counted, listOf, orNone, whether, written } from './answer-fields.ts';
import { type Call, type Context, call } from './call.ts';
import { dateField, only } from './fields.ts';
import { presented } from './presented.ts';

/** A list shows at most this many lines, the oldest ones. */
export const LINES_MAX = 10_000;
const line = z
  .strictObject({
    id: field.id,
    account: field.statementAccount,
    day: field.day,
    class: orNone(z.enum(itemClasses), field.classDescription),
    state: among(itemStates, 'What became of it'),
    receipt: written('The number that they know it by').nullable(),
    reference: field.reference.nullable(),
    kind: written('What it is about'),
    amount_minor: counted('Its money in minor units (1 TZS = 100)'),
    currency: field.currency,
    age_days: counted('How many days ago it moved'),
    item: written('The item in suspense that has its money; null: none').nullable(),
    item_amount_minor: counted(
      'What two people decide about: the money of its item in suspense; ' +
        'of a line that differs, the difference. Null: it has no item',
    ).nullable(),
    statement: written('The statement that brought it; null: a movement of ours').nullable(),
  })
  .meta({ id: 'Line', description: 'The line, or the movement of ours that no statement shows' });
export const lineList = z.strictObject({ lines: listOf(line, 'The lines, oldest first') });
export const lineAnswer = z.strictObject({
  line,
  written: z
    .strictObject({
      at: written('When it moved, as they say'),
      text: written('Their text beside it'),
      raw: written('The line as it came'),
    })
    .nullable()
    .meta({ description: 'What they wrote; null: it was erased, or it is a movement of ours' }),
  suggestions: listOf(
    z.string(),
    'Transactions that an open line may be, by amount, visible digits and time: ' +
      'for people, nothing takes one',
  ),
  halves: listOf(line, 'What may be the other half, if it is a transfer between our own accounts'),
});

const day = z.strictObject({
  account: field.statementAccount,
  day: field.day,
  state: among(
    ['open', 'balanced', 'closed'],
    'Closed by two people; balanced: every line is explained and the money agrees; else open',
  ),
  is_covered: whether('Whether it is over, and statements show all of it'),
  lines: counted('How many lines their statement shows of the day'),
  matched: counted('How many are movements of ours'),
  booked: counted('How many were booked as what a rule or two people say'),
  open: counted('How many lines of theirs and movements of ours are open, or wait for their other side'),
  opening_minor: counted('Their money before the day, in minor units; null: nobody says').nullable(),
  closing_minor: counted('Their money after the day, in minor units; null: nobody says').nullable(),
  clearing_minor: counted(
    'What our books say at the end of the day, in minor units: below zero they have money of ours',
  ),
  unbooked_minor: counted('Lines of theirs that were not booked by the end of the day, in minor units'),
  unseen_minor: counted('Movements of ours by the end of the day that they did not show, in minor units'),
});
export const dayList = z.strictObject({ days: listOf(day, 'The days of each account') });

const openOf = z.strictObject({
  account: field.statementAccount,
  class: written(field.classDescription),
  count: field.count,
  amount_minor: counted('Their sum without signs, in minor units'),
  oldest_days: counted('For how many days the oldest of them is open'),
});
const report = z.strictObject({
  day: field.day,
  days: listOf(day, 'The day at each account'),
  open: listOf(openOf, 'What is open of all days, by account and class'),
  missing: listOf(z.string(), 'Accounts of which no statement shows the day'),
  markdown: written('The report as a page of Markdown'),
  csv: written('The days of the accounts as CSV'),
});

const float = z.strictObject({
  account: field.statementAccount,
  says_minor: counted('The closing of the last statement, in minor units; null: none says it').nullable(),
  says_at: written('The end of that statement').nullable(),
  balance_minor: counted(
    'What the network says now, in minor units; left out where it was not asked, or did not answer',
  ).optional(),
  promised_minor: counted(
    'Held for payouts that have not ended, and for items of started batches that are none yet, ' +
      'in minor units',
  ),
  scheduled_minor: counted('Of batches that wait for their time, in minor units: nothing of it is held'),
  mean_24h_minor: counted('How much left an hour in the last 24 hours beyond what came, in minor units'),
  dry_at: written('When nothing is left, as the last 24 hours went; null: it does not run dry').nullable(),
});
export const floatList = z.strictObject({ accounts: listOf(float, 'The statement accounts') });

const account = z.string().max(40).optional().meta({ description: 'Only those of this statement account' });

export const reconciliationCalls = {
  listLines: call(
    {
      method: 'GET',
      paths: ['lines'],
      summary:
        'Lines of statements, and movements of ours that none of them shows: ' +
        'what is open or waits, oldest first',
      roles: ['support', 'finance'],
      query: { account, state: only(itemStates), class: only(itemClasses, 'Only those of this class') },
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
    async (_input, { deps, id, noteRead }) => {
      const found = await findItem(deps.longDatabase, deps.statementAccounts, id);
      if (!found) throw new GatewayError('not_found', `There is no line ${id}`);
      const { item } = found;
      noteRead(id);
      const asked = { line: Number(id.slice('ln_'.length)), keys: deps.imports.keys };
      const opened = item.statement === null ? null : await openLine(deps.longDatabase, asked);
      const isOpen = opened !== null && item.state === 'open';
      const isSwept = item.state === 'open' && item.item !== null;
      const halves = isSwept ? await halvesOf(deps.longDatabase, deps.statementAccounts, item) : [];
      return {
        line: presentLine(item),
        written: opened && { at: opened.at, text: opened.text, raw: opened.raw },
        suggestions: isOpen ? await suggestionsFor(deps.longDatabase, opened) : [],
        halves: halves.map(presentLine),
      };
    },
  ),
  listDays: call(
    {
      method: 'GET',
      paths: ['days'],
      summary:
        'Each day of each statement account: its lines, ' +
        'and whether their money is ours to the shilling: closing = −clearing + unbooked − unseen',
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

/** Throws `not_found` for an unknown statement account. */
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
