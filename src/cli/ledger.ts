import type { Command } from 'commander';
import { checkInvariants } from '../ledger/invariants.ts';
import { CommandError, type Run } from './context.ts';

/** The books, checked as a whole. */
export function addLedgerCommands(program: Command, run: Run): void {
  program
    .command('ledger')
    .description('the books')
    .command('check')
    .description('every transfer balanced, every balance the sum of its entries, every hold resolved once')
    .action(() =>
      run(async ({ database, print }) => {
        const breaches = await checkInvariants(database());
        if (breaches.length > 0) throw new CommandError(breaches.join('\n'));
        print('the books are right');
      }),
    );
}
