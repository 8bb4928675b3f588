import { formatMoney, minor } from '../domain/money.ts';
import type { Queryable } from '../platform/db/pool.ts';
import { daysOf, type ProvenDay } from './days.ts';
import { groupsOf, type StatementAccounts } from './groups.ts';
import { itemsOf, type ReconciliationItem } from './items.ts';

const OPEN_MAX = 10_000;

/** Reports a day at every statement account, and open items of all days, for people and spreadsheets. */
export async function reportOf(
  db: Queryable,
  accounts: StatementAccounts,
  day: string,
): Promise<{ markdown: string; csv: string }> {
  const days: ProvenDay[] = [];
  const open: ReconciliationItem[] = [];
  for (const group of groupsOf(accounts)) {
    days.push(...(await daysOf(db, group, day)));
    open.push(...(await itemsOf(db, group, { states: ['open', 'waiting'], limit: OPEN_MAX })));
  }
  const missing = [...accounts.keys()].filter((id) => !days.some(({ account }) => account === id));
  return { markdown: markdownOf(day, { days, open, missing }), csv: csvOf(days) };
}

const columns = ['account', 'day', 'state', 'lines', 'matched', 'booked', 'open'] as const;
const amounts = ['opening', 'closing', 'clearing', 'unbooked', 'unseen'] as const;
const cells = (one: ProvenDay): string[] => [
  ...columns.map((name) => String(one[name])),
  ...amounts.map((name) => {
    const amount = one[name];
    return amount === null ? '' : formatMoney(amount).replaceAll(',', '');
  }),
];

function csvOf(days: readonly ProvenDay[]): string {
  return [[...columns, ...amounts], ...days.map(cells)].map((row) => `${row.join(',')}\r\n`).join('');
}

function markdownOf(
  day: string,
  of: { days: readonly ProvenDay[]; open: readonly ReconciliationItem[]; missing: readonly string[] },
): string {
  const { days, open, missing } = of;
  const row = (texts: readonly string[]) => `| ${texts.join(' | ')} |`;
  const head = [...columns, ...amounts];
  const classes = new Map<string, { count: number; amount: number; oldest: number }>();
  for (const one of open) {
    const name = `${one.account} | ${one.class ?? one.state}`;
    const { count, amount, oldest } = classes.get(name) ?? { count: 0, amount: 0, oldest: 0 };
    classes.set(name, {
      count: count + 1,
      amount: amount + Math.abs(one.amount),
      oldest: Math.max(oldest, one.ageDays),
    });
  }
  return [
    `# ${day}`,
    '',
    'In shillings. Their closing = −clearing + unbooked − unseen, as of the end of the day.',
    '',
    row(head),
    row(head.map(() => '---')),
    ...days.map((one) => row(cells(one))),
    ...missing.map((id) => `\nNo statement of ${id} shows this day.`),
    '',
    '## Open, of all days',
    '',
    row(['account', 'class', 'items', 'shillings', 'days of the oldest']),
    row(['---', '---', '---', '---', '---']),
    ...[...classes].map(([name, { count, amount, oldest }]) =>
      row([name, String(count), formatMoney(minor(amount)), String(oldest)]),
    ),
    '',
  ].join('\n');
}
