import type { Command } from 'commander';
import { formatMoney } from '../domain/money.ts';
import { meanings, serviceBalances } from '../ledger/balances.ts';
import { checkInvariants } from '../ledger/invariants.ts';
import { CommandError, type Run } from './context.ts';

const NAME_WIDTH = 24;
const AMOUNT_WIDTH = 24;

/** The books as a whole. */
export function addLedgerCommands(program: Command, run: Run): void {
  const ledger = program.command('ledger').description('the books');
  ledger
    .command('check')
    .description('every transfer balanced, every balance the sum of its entries, every hold resolved once')
    .action(() =>
      run(async ({ database, print }) => {
        const breaches = await checkInvariants(database());
        if (breaches.length > 0) throw new CommandError(breaches.join('\n'));
        print('the books are right');
      }),
    );
  ledger
    .command('balances')
    .description('every account of the service, what is on it, and what that means')
    .action(() =>
      run(async ({ database, print }) => {
        for (const { kind, channel, currency, amount } of await serviceBalances(database())) {
          const name = channel === null ? kind : `${kind} ${channel}`;
          const shown = `${formatMoney(amount)} ${currency}`;
          print(`${name.padEnd(NAME_WIDTH)}${shown.padStart(AMOUNT_WIDTH)}  ${meanings[kind]}`);
        }
      }),
    );
}
