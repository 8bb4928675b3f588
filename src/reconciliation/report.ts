import { formatMoney, type Minor, minor } from '../domain/money.ts';
import type { Queryable } from '../platform/db/pool.ts';
import { daysOf, type ProvenDay } from './days.ts';
import { groupsOf, type StatementAccounts } from './groups.ts';
import { itemsOf, type ReconciliationItem } from './items.ts';

const OPEN_MAX = 10_000;

/** Counts open or waiting items of an account and class; `amount` sums minor units without signs. */
export type OpenItems = { account: string; class: string; count: number; amount: Minor; oldestDays: number };

export type Report = {
  days: ProvenDay[];
  open: OpenItems[];
  /** accounts without a statement of the day */
  missing: string[];
  markdown: string;
  csv: string;
};

/** Reports a day of every statement account, and the open items of all days, as Markdown and CSV. */
export async function reportOf(db: Queryable, accounts: StatementAccounts, day: string): Promise<Report> {
  const days: ProvenDay[] = [];
  const items: ReconciliationItem[] = [];
  for (const group of groupsOf(accounts)) {
    days.push(...(await daysOf(db, group, day)));
    items.push(...(await itemsOf(db, group, { states: ['open', 'waiting'], limit: OPEN_MAX })));
  }
  const missing = [...accounts.keys()].filter((id) => !days.some(({ account }) => account === id));
  const open = addedUp(items);
  return { days, open, missing, markdown: markdownOf(day, { days, open, missing }), csv: csvOf(days) };
}

function addedUp(items: readonly ReconciliationItem[]): OpenItems[] {
  const sums = new Map<string, OpenItems>();
  for (const one of items) {
    const reason = one.class ?? one.state;
    const before = sums.get(`${one.account} ${reason}`);
    sums.set(`${one.account} ${reason}`, {
      account: one.account,
      class: reason,
      count: (before?.count ?? 0) + 1,
      amount: minor((before?.amount ?? 0) + Math.abs(one.amount)),
      oldestDays: Math.max(before?.oldestDays ?? 0, one.ageDays),
    });
  }
  return [...sums.values()];
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

function markdownOf(day: string, { days, open, missing }: Pick<Report, 'days' | 'open' | 'missing'>): string {
  const row = (texts: readonly string[]) => `| ${texts.join(' | ')} |`;
  const head = [...columns, ...amounts];
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
    ...open.map((one) =>
      row([one.account, one.class, String(one.count), formatMoney(one.amount), String(one.oldestDays)]),
    ),
    '',
  ].join('\n');
}
