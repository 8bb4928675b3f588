import type { Command } from 'commander';
import { defaultLimitsOf } from '../accounts/limits.ts';
import { createAccount, listAccounts } from '../accounts/store.ts';
import type { Database } from '../db/pool.ts';
import { InsufficientFunds } from '../domain/errors.ts';
import { isUuid } from '../domain/ids.ts';
import { CURRENCY, formatMoney, type Minor, minorFromDecimal } from '../domain/money.ts';
import { balanceOf } from '../ledger/accounts.ts';
import { topUp, withdraw } from '../ledger/transfer.ts';
import { CommandError, type Context, type Run } from './context.ts';

/** Merchants and the money that comes to and leaves their accounts outside any channel. */
export function addAccountCommands(program: Command, run: Run): void {
  const accounts = program.command('accounts').description('merchant accounts');
  accounts
    .command('create <name>')
    .description('open a merchant account')
    .action((name: string) =>
      run(async ({ config, database, actor, print }) => {
        const limits = defaultLimitsOf(config);
        const { id } = await createAccount(database(), { name, limits, actor });
        print(id);
      }),
    );
  accounts
    .command('list')
    .description('all accounts, oldest first')
    .action(() =>
      run(async ({ database, print }) => {
        for (const account of await listAccounts(database()))
          print(`${account.id}  ${account.createdAt}  ${account.name}`);
      }),
    );
  accounts
    .command('show <account>')
    .description('name and balances of one account')
    .action((id: string) =>
      run(async (context) => {
        const account = await requireAccount(context.database(), id);
        context.print(`${account.id}  ${account.name}  opened ${account.createdAt}`);
        await printBalance(context, id);
      }),
    );
  for (const way of ['top-up', 'withdraw'] as const) {
    accounts
      .command(`${way} <account> <amount>`)
      .description(
        `${way === 'top-up' ? 'credit money that arrived' : 'debit money that left'}, in ${CURRENCY}`,
      )
      .requiredOption(
        '--reference <text>',
        'what makes it happen once (a bank statement line): repeating it moves nothing',
      )
      .option('--note <text>', 'why, for the books')
      .action((id: string, amount: string, options: { reference: string; note?: string }) =>
        run((context) => move(context, { way, id, amount, ...options })),
      );
  }
}

async function move(
  context: Context,
  asked: { way: 'top-up' | 'withdraw'; id: string; amount: string; reference: string; note?: string },
): Promise<void> {
  const database = context.database();
  const { id } = await requireAccount(database, asked.id);
  const funding = {
    accountId: id,
    amount: readAmount(asked.amount),
    actor: context.actor,
    dedupeKey: asked.reference,
    note: asked.note,
  };
  try {
    const moved = await (asked.way === 'top-up' ? topUp : withdraw)(database, funding);
    context.print(
      moved
        ? `${asked.way} of ${formatMoney(funding.amount)} ${CURRENCY} is posted`
        : `${asked.reference} was posted before: nothing moved`,
    );
  } catch (error) {
    if (error instanceof InsufficientFunds)
      throw new CommandError(
        `The account has less than ${formatMoney(funding.amount)} ${CURRENCY}: nothing moved.`,
      );
    throw error;
  }
  await printBalance(context, id);
}

async function printBalance(context: Context, id: string): Promise<void> {
  const { current, reserved } = await balanceOf(context.database(), id, CURRENCY);
  context.print(`available ${formatMoney(current)} ${CURRENCY}, held ${formatMoney(reserved)} ${CURRENCY}`);
}

/** Throws one sentence when there is no such account, whatever was typed. */
export async function requireAccount(database: Database, id: string) {
  const account = isUuid(id)
    ? (await listAccounts(database)).find((candidate) => candidate.id === id.toLowerCase())
    : undefined;
  if (account === undefined) throw new CommandError(`There is no account ${id}: accounts list shows all.`);
  return account;
}

/** Commas group thousands and do nothing else: `50000,50` is meant as 50,000.50 and is not taken for 5,000,050. */
const AMOUNT = /^(\d{1,3}(,\d{3})+|\d+)(\.\d+)?$/;

/** Throws one sentence for what is no amount above zero, or none that a ledger can hold. */
export function readAmount(text: string): Minor {
  const amount = AMOUNT.test(text) ? minorFromDecimal(text.replaceAll(',', '')) : null;
  if (amount === null || amount <= 0)
    throw new CommandError(`${text} is no amount: give ${CURRENCY} above zero, like 50000 or 50000.50.`);
  return amount;
}
