import type { Command } from 'commander';
import type { z } from 'zod';
import { formatMoney, minor } from '../../domain/money.ts';
import type { dayList, floatList, lineList } from '../api/reconciliation.ts';
import type { Run } from './context.ts';
import { segment } from './operator-client.ts';
import { countOfLines } from './statements.ts';

const money = (amount: number | null) => (amount === null ? '?' : formatMoney(minor(amount)));
const row = (cells: readonly (string | number | null)[]) => cells.map((cell) => cell ?? '-').join('  ');

/** docs/operations/reconciliation.md explains these commands. */
export function addReconciliationCommands(program: Command, run: Run): void {
  addLineCommands(program, run);
  addDayCommands(program, run);
  addFloatCommand(program, run);
}

function addLineCommands(program: Command, run: Run): void {
  program
    .command('lines')
    .description('lines of statements, and movements of ours that none shows: what is open or waits')
    .option('--account <account>', 'of one statement account')
    .option('--state <state>', 'matched, booked, waiting, open or decided')
    .option('--class <class>', 'theirs_only, ours_only, differs, twice or changed')
    .action((asked: { account?: string; state?: string; class?: string }) =>
      run(async ({ api, print }) => {
        const { lines } = await api.get<z.output<typeof lineList>>('lines', asked);
        for (const one of lines)
          print(
            row([
              one.id,
              one.account,
              one.day,
              one.state,
              one.class,
              one.kind,
              money(one.amount_minor),
              one.receipt,
              one.reference,
              `${one.age_days} days`,
              one.item,
            ]),
          );
      }),
    );
}

function addDayCommands(program: Command, run: Run): void {
  const days = program
    .command('days')
    .description(
      'each day of each statement account: what is open, and whether the money is ours to the shilling',
    )
    .option('--account <account>', 'of one statement account')
    .action((asked: { account?: string }) =>
      run(async ({ api, print }) => {
        const { days } = await api.get<z.output<typeof dayList>>('days', asked);
        for (const one of days)
          print(
            row([
              one.day,
              one.account,
              one.state,
              countOfLines(one.lines),
              `${one.matched} matched`,
              `${one.booked} booked`,
              `${one.open} open`,
              `closing ${money(one.closing_minor)} = −(${money(one.clearing_minor)})`,
              `+ ${money(one.unbooked_minor)} unbooked`,
              `− ${money(one.unseen_minor)} unseen`,
            ]),
          );
      }),
    );
  days
    .command('report [day]')
    .description('the report of a day, yesterday when left out, as Markdown')
    .option('--csv', 'as CSV')
    .action((day = 'yesterday', { csv = false }: { csv?: boolean } = {}) =>
      run(async ({ api, write }) => {
        const report = await api.get<{ markdown: string; csv: string }>(`days/${segment(day)}/report`);
        for (const line of (csv ? report.csv : report.markdown).trimEnd().split(/\r?\n/)) write(line);
      }),
    );
}

function addFloatCommand(program: Command, run: Run): void {
  program
    .command('float')
    .description('what networks and banks have of our money, what is promised of it, when it runs dry')
    .action(() =>
      run(async ({ api, print }) => {
        const { accounts } = await api.get<z.output<typeof floatList>>('float');
        for (const one of accounts)
          print(
            row([
              one.account,
              money(one.says_minor),
              one.says_at,
              ...(one.balance_minor === undefined ? [] : [`now ${money(one.balance_minor)}`]),
              `${money(one.promised_minor)} promised`,
              `${money(one.scheduled_minor)} scheduled`,
              `${money(one.mean_24h_minor)} an hour`,
              one.dry_at === null ? 'does not run dry' : `dry ${one.dry_at}`,
            ]),
          );
      }),
    );
}
