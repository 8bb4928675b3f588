import { Option } from 'commander';
import { cellOf } from '../../base/csv.ts';
import { clockTimeOf, DAY_MS, dayOf, localStamp, momentOf, readMoment } from '../../domain/day.ts';
import { minor, toFixedDecimal } from '../../domain/money.ts';
import type { Answer } from '../list.ts';
import { CommandError } from './command-error.ts';
import type { Context, To } from './context.ts';

type Options = { from: string; to: string; timezone?: 'UTC' };
type Volumes = Answer<'listVolumes'>;
type Large = Answer<'listLargeMovements'>;

/**
 * Auditors want CSV (docs/operations/extracts.md). Each day is one request, so a range can have any length.
 */
export function addCommands({ program, run }: To): void {
  const extracts = program.command('extracts').description('files for auditors and the central bank');
  const add = (
    name: string,
    description: string,
    work: (context: Context, days: string[], options: Options) => Promise<void>,
  ) =>
    extracts
      .command(name)
      .description(description)
      .requiredOption('--from <day>', 'the first day, in Dar es Salaam')
      .requiredOption('--to <day>', 'the day after the last')
      .action((options: Options) => run((context) => work(context, daysOf(options), options)));
  add('volumes', 'number and value of movements, by month, kind, channel and direction', volumes);
  add('large', 'single movements above the threshold, with names and numbers', large).addOption(
    new Option('--timezone <zone>', 'timezone of the times; default: Dar es Salaam').choices(['UTC']),
  );
}

async function volumes({ api, write, answer }: Context, days: string[]): Promise<void> {
  const sums = new Map<string, Volumes['volumes'][number]>();
  for (const day of days) {
    const query = { from: day, to: dayAfter(day) };
    for (const one of (await api.get<Volumes>('extracts/volumes', query)).volumes) {
      const name = [one.month, one.kind, one.channel, one.direction].join();
      const sum = sums.get(name) ?? { ...one, number: 0, value_minor: 0 };
      sum.number += one.number;
      sum.value_minor += one.value_minor;
      sums.set(name, sum);
    }
  }
  const rows = [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum);
  answer({ volumes: rows });
  const columns = ['month', 'kind', 'channel', 'direction', 'number', 'value'];
  write(columns.join());
  for (const row of rows) write(lineOf({ ...row, value: shillings(row.value_minor) }, columns));
}

const LARGE = [
  'at',
  'day',
  'direction',
  'kind',
  'channel',
  'amount',
  'receipt',
  'party',
  'full_name',
  'bic',
  'merchant',
  'transaction_id',
];

async function large({ api, write }: Context, days: string[], { timezone }: Options): Promise<void> {
  write(LARGE.join());
  for (const day of days) {
    let after: number | null = 0;
    while (after !== null) {
      const query = { from: day, to: dayAfter(day), after };
      const part: Large = await api.page<Large>('extracts/large', query);
      for (const { at, ...movement } of part.movements) {
        const when = { at: timezone === 'UTC' ? at : localStamp(at), day: dayOf(new Date(at)) };
        write(lineOf({ ...movement, ...when, amount: shillings(movement.amount_minor) }, LARGE));
      }
      after = part.next;
    }
  }
}

const shillings = (amount: number) => toFixedDecimal(minor(amount));

const lineOf = (row: Record<string, string | number | null>, columns: readonly string[]): string =>
  columns.map((column) => cellOf(String(row[column] ?? ''))).join();

function daysOf({ from, to }: Options): string[] {
  const days: string[] = [];
  for (const day of [from, to])
    if (momentOf(day) === day || readMoment(day) === null)
      throw new CommandError(`${day} is not a day: write it like 2027-01-31.`);
  for (let day = from; day < to; day = dayAfter(day)) days.push(day);
  if (days.length === 0) throw new CommandError('--to must be after --from.');
  return days;
}

function dayAfter(day: string): string {
  return clockTimeOf(Date.parse(momentOf(day)) + DAY_MS).slice(0, 10);
}
