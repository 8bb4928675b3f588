import type { Command } from 'commander';
import { CommandError } from './command-error.ts';
import type { Run } from './context.ts';

/** The books, checked as a whole. */
export function addLedgerCommands(program: Command, run: Run): void {
  program
    .command('ledger')
    .description('the books')
    .command('check')
    .description('every transfer balanced, every balance the sum of its entries, every hold resolved once')
    .action(() =>
      run(async ({ api, print }) => {
        for (;;) {
          const { done, breaches } = await api.post<{ done: boolean; breaches: string[] }>('ledger/check');
          if (!done) continue;
          if (breaches.length > 0) throw new CommandError(breaches.join('\n'));
          print('the books are right');
          return;
        }
      }),
    );
}
