import { rowOf } from '../../src/base/csv.ts';
import { clockTimeOf, DAY_MS } from '../../src/domain/day.ts';
import { minor, toFixedDecimal } from '../../src/domain/money.ts';
import type { Day, Line } from './generator.ts';

const clockOf = (at: number, separator: string) => {
  const clock = clockTimeOf(at);
  return `${clock.slice(0, 10).split('-').reverse().join(separator)} ${clock.slice(11, 19)}`;
};

/** The file of one or more days that follow each other. `reported`: when it was downloaded; `order`: of its lines. */
export function fileOf(
  days: readonly Day[],
  { reported = '01-01-2026 07:00:00', order = 'oldest' as 'oldest' | 'newest' } = {},
): Buffer {
  const [first] = days;
  if (!first) throw new RangeError('a file has days');
  const { account, from } = first;
  let balance: number = first.opening;
  const lines = days
    .flatMap((day) => day.lines)
    .map((line) => {
      balance += line.amount;
      return { ...line, balance };
    });
  const ordered = order === 'oldest' ? lines : [...lines].reverse();
  const shown = (amount: number) => toFixedDecimal(minor(amount));
  const sides = ({ amount }: Line) => [amount > 0 ? shown(amount) : '', amount < 0 ? shown(-amount) : ''];
  if (account.id === 'bank') {
    const rows = ordered.map((line) => {
      const [paidIn = '', paidOut = ''] = sides(line);
      const details = line.receipt === '' ? line.details : `REF:${line.receipt} ${line.details}`;
      return [clockOf(line.at, '.'), details, clockOf(line.at, '.'), paidOut, paidIn, shown(line.balance)];
    });
    const header = ['Posting Date', 'Details', 'Value Date', 'Debit', 'Credit', 'Book Balance'];
    return Buffer.from([[`Printed ${reported}`], header, ...rows].map(rowOf).join(''));
  }
  const rows = ordered.map((line) => [
    line.receipt,
    clockOf(line.at, '-'),
    clockOf(line.at, '-'),
    line.details,
    'Completed',
    ...sides(line),
    shown(line.balance),
    'true',
    '',
    line.party ?? '25570****111 - ASHA',
    line.linked ?? '',
    '',
    'TZS',
  ]);
  const last = days.at(-1)?.from.getTime() ?? 0;
  const preamble = [
    ['Short Code:', account.theirs],
    ['Time Period:', 'From', clockOf(from.getTime(), '-'), 'To', clockOf(last + DAY_MS - 1_000, '-')],
    ['Date of Report:', reported],
    ['Opening Balance:', shown(first.opening), 'Closing Balance:', shown(balance)],
    [
      'Receipt No.',
      'Completion Time',
      'Initiation Time',
      'Details',
      'Transaction Status',
      'Paid In',
      'Withdrawn',
      'Balance',
      'Balance Confirmed',
      'Reason Type',
      'Other Party Info',
      'Linked Transaction ID',
      'A/C No.',
      'Currency',
    ],
  ];
  return Buffer.from([...preamble, ...rows].map(rowOf).join(''));
}
