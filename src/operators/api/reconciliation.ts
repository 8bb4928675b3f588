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
    state: among(itemStates, 'The state of the line'),
    receipt: written('The receipt of the network or bank').nullable(),
    reference: field.reference.nullable(),
    kind: written('The kind of movement'),
    amount_minor: counted('The amount in minor units (1 TZS = 100)'),
    currency: field.currency,
    age_days: counted('The number of days since it moved'),
    item: written('The suspense item that holds its money; null: none').nullable(),
    item_amount_minor: counted(
      'The amount to decide: the amount of its suspense item; ' +
        'for a line that differs, the difference. Null: it has no item',
    ).nullable(),
    statement: written('The statement that has it; null: it is our own movement').nullable(),
  })
  .meta({ id: 'Line', description: 'A line of a statement, or our own movement that no statement shows' });
export const lineList = z.strictObject({ lines: listOf(line, 'The lines, oldest first') });
export const lineAnswer = z.strictObject({
  line,
  written: z
    .strictObject({
      at: written('When it moved, as the statement says'),
      text: written('The text of the line'),
      raw: written('The line as it was in the file'),
    })
    .nullable()
    .meta({ description: 'The original line; null: it was erased, or it is our own movement' }),
  suggestions: listOf(
    z.string(),
    'Transactions that may belong to an open line, by amount, visible digits and time: a person decides',
  ),
  halves: listOf(line, 'What may be the other half, if it is a transfer between our own accounts'),
});

const day = z.strictObject({
  account: field.statementAccount,
  day: field.day,
  state: among(
    ['open', 'balanced', 'closed'],
    '`closed`: by two operators; `balanced`: every line is explained and the balance agrees; else `open`',
  ),
  is_covered: whether('True: the day is over, and statements cover all of it'),
  lines: counted('The number of lines of the day'),
  matched: counted('The number of lines that match our movements'),
  booked: counted('The number of lines that a rule or two operators booked'),
  open: counted('The number of lines and of our movements that are open, or wait for a match'),
  opening_minor: counted('Their balance before the day, in minor units; null: unknown').nullable(),
  closing_minor: counted('Their balance after the day, in minor units; null: unknown').nullable(),
  clearing_minor: counted(
    'The balance of our books after the day, in minor units: below zero, they have our money',
  ),
  unbooked_minor: counted('Their lines that were not booked by the end of the day, in minor units'),
  unseen_minor: counted('Our movements until the end of the day that they did not show, in minor units'),
});
export const dayList = z.strictObject({ days: listOf(day, 'The days of each account') });

const openOf = z.strictObject({
  account: field.statementAccount,
  class: written(field.classDescription),
  count: field.count,
  amount_minor: counted('The sum of their absolute amounts, in minor units'),
  oldest_days: counted('The age of the oldest one in days'),
});
const report = z.strictObject({
  day: field.day,
  days: listOf(day, 'The day for each account'),
  open: listOf(openOf, 'Open items of all days, by account and class'),
  missing: listOf(z.string(), 'Accounts without a statement of the day'),
  markdown: written('The report in Markdown'),
  csv: written('The days of the accounts as CSV'),
});

const float = z.strictObject({
  account: field.statementAccount,
  says_minor: counted('The closing balance of the last statement, in minor units; null: unknown').nullable(),
  says_at: written('The end of that statement').nullable(),
  balance_minor: counted(
    "The network's balance now, in minor units; missing if it was not asked, or did not answer",
  ).optional(),
  promised_minor: counted(
    'Held for payouts that have not ended, and for the items of started batches that are not ' +
      'payouts yet, in minor units',
  ),
  scheduled_minor: counted('Payouts of scheduled batches, in minor units: this money is not held'),
  mean_24h_minor: counted('Net outflow per hour, mean of the last 24 hours, in minor units'),
  dry_at: written('When the money ends at the rate of the last 24 hours; null: it does not end').nullable(),
});
export const floatList = z.strictObject({ accounts: listOf(float, 'The statement accounts') });

const account = z.string().max(40).optional().meta({ description: 'Only this statement account' });

export const reconciliationCalls = {
  listLines: call(
    {
      method: 'GET',
      paths: ['lines'],
      summary: 'Lines that do not match between statements and our books: open or waiting, oldest first',
      roles: ['support', 'finance'],
      query: { account, state: only(itemStates), class: only(itemClasses, 'Only this class') },
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
      id: 'The id of the line, or of our movement',
      summary: 'One line of a statement, or one of our movements that no statement shows, and its state',
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
        'Each day of each statement account: its lines, and if the statement equals our books: ' +
        'closing = −clearing + unbooked − unseen',
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
      summary: 'Our money at networks and banks: how much, how much is promised, and when it ends',
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
      id: 'The day, like 2026-11-25, or `yesterday`',
      summary: 'The report of a day for all accounts, and the open items of all days',
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
