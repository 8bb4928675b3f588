import type { Command } from 'commander';
import { weekdays } from '../../domain/day.ts';
import { readAmount } from './accounts.ts';
import { CommandError } from './command-error.ts';
import type { Run } from './context.ts';
import { propose } from './proposals.ts';

type Options = { [Name in 'bic' | 'number' | 'name' | 'phone' | 'network' | 'days' | 'key']?: string } & {
  [Name in 'keep' | 'smallest' | 'cap' | 'reason']: string;
};

/** docs/operations/settlement.md explains these commands. */
export function addSettlementCommands(program: Command, run: Run): void {
  program
    .command('settlement')
    .description("what of a merchant's balance goes to its own account")
    .command('propose <account>')
    .description('propose the rule; it replaces the one before whole')
    .option('--bic <bic>', 'of the bank, with --number and --name')
    .option('--number <number>', 'of the bank account')
    .option('--name <name>', 'of its owner')
    .option('--phone <number>', 'a wallet instead')
    .option('--network <network>', "of the wallet; left out: that of the number's prefix")
    .option(
      '--days <days>',
      `on which it settles by itself, like mon,thu or daily; none: only when asked`,
      'daily',
    )
    .option('--key <key-id>', 'whose callbacks tell of the daily ones')
    .requiredOption('--keep <amount>', 'what stays in the balance, in shillings')
    .requiredOption('--smallest <amount>', 'the least that is settled at once')
    .requiredOption('--cap <amount>', 'the most that is settled at once')
    .requiredOption('--reason <text>', 'why, for whoever approves it')
    .action((account: string, options: Options) =>
      run((context) => {
        const { keep, smallest, cap, key, reason } = options;
        const amounts = {
          keep: keep === '0' ? 0 : readAmount(keep),
          smallest: readAmount(smallest),
          cap: readAmount(cap),
        };
        const payload = {
          account_id: account,
          ...accountIn(options),
          days: daysIn(options),
          ...amounts,
          key_id: key,
        };
        return propose(context, { action: 'settlement.set', payload, reason });
      }),
    );
}

function accountIn({ bic, number, name, phone, network }: Options) {
  if (phone !== undefined) return { wallet: { phone_number: phone, network } };
  if (bic === undefined || number === undefined || name === undefined)
    throw new CommandError('Name a bank account with --bic, --number and --name, or a wallet with --phone.');
  return { bank: { bic, account_number: number, full_name: name } };
}

function daysIn({ days = 'daily' }: Options): string[] {
  if (days === 'daily') return [...weekdays];
  return days === 'none' ? [] : days.split(',').map((day) => day.trim());
}
