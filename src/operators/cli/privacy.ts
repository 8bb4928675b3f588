import { InvalidArgumentError } from 'commander';
import { CommandError } from './command-error.ts';
import type { To } from './context.ts';

type Answer = { transactions: number; kept: number; erased: boolean; next: string | null };
type Options = { account?: string; olderThan?: number; number?: string; reason?: string; erase?: boolean };

/** docs/operations/growth.md explains this command. */
export function addCommands({ program, run }: To): void {
  program
    .command('privacy')
    .description('names and numbers of payers and recipients')
    .command('erase')
    .option('--account <id>', 'erase in all transactions of this account')
    .option('--older-than <days>', 'only transactions that ended longer ago than this', days)
    .option('--number <number>', 'erase the person with this phone number or bank account')
    .option(
      '--reason <text>',
      'required to erase data that is younger than the retention; it is kept in the audit log',
    )
    .option('--erase', 'erase them for good; without it they are only counted')
    .description('erase names and numbers for good; money and keys stay')
    .action((options: Options) =>
      run(async ({ api, print, answer }) => {
        const { account: account_id, olderThan: older_than_days, number, reason, erase = false } = options;
        if ((number === undefined) === (account_id === undefined))
          throw new CommandError('Name either --number, or --account with --older-than.');
        let [transactions, kept] = [0, 0];
        let after: string | null = null;
        do {
          const part: Answer = await api.post<Answer>('privacy/erase', {
            ...(number === undefined ? { account_id, older_than_days } : { number }),
            ...(after === null ? {} : { after }),
            reason,
            dry_run: !erase,
          });
          transactions += part.transactions;
          kept = part.kept;
          after = part.next;
        } while (after !== null && (erase || number === undefined));
        answer({ transactions, kept, erased: erase && transactions > 0, next: after });
        print(
          `${after === null ? '' : 'at least '}${transactions} transactions ` +
            `${erase ? 'have no names and numbers now' : 'have names or numbers to erase'}`,
        );
        if (kept > 0)
          print(
            `${kept} are too young or have not ended: ` +
              'they are kept (--reason erases also what is younger than the retention)',
          );
        if (!erase && transactions > 0) print('nothing was changed: add --erase to erase them');
      }),
    );
}

function days(value: string): number {
  if (!/^\d{1,5}$/.test(value)) throw new InvalidArgumentError('a number of days');
  return Number(value);
}
