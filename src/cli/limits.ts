import type { Command } from 'commander';
import { limitsOf, setLimits } from '../accounts/limits.ts';
import { inTransaction } from '../db/transaction.ts';
import { type LimitName, type Limits, limitNames, limitRules } from '../domain/limits.ts';
import { CURRENCY, formatMoney, minor } from '../domain/money.ts';
import { readAmount, requireAccount } from './accounts.ts';
import { CommandError, type Context, type Run } from './context.ts';

type Options = { key?: string } & Record<string, string>;

/** What an account or one of its keys may pay out (docs/operations/limits.md). */
export function addLimitCommands(program: Command, run: Run): void {
  const limits = program.command('limits').description('what accounts and keys may pay out');
  limits
    .command('show <account>')
    .description('the limits of an account, or of one of its keys')
    .option('--key <key-id>', 'of this key')
    .action((account: string, options: Options) => run((context) => show(context, account, options)));
  const set = limits
    .command('set <account>')
    .description('set limits; those that are not named stay as they are')
    .option('--key <key-id>', 'of this key');
  for (const name of limitNames)
    set.option(`--${optionOf(name)} <value>`, `${meaning[name]}; none: no limit`);
  set.action((account: string, options: Options) => run((context) => change(context, account, options)));
}

const meaning: Record<LimitName, string> = {
  payout_max: `one payout, in ${CURRENCY}`,
  payout_daily_max: `all payouts of a day, in ${CURRENCY}`,
  payouts_per_day: 'how many payouts a day',
  recipient_daily_max: `all payouts of a day to one recipient, in ${CURRENCY}`,
  new_recipient_cooloff_s: 'how long a new recipient waits for its first payout, in seconds',
  duplicate_window_s: 'how long the same payment again is taken for a mistake, in seconds',
};

async function show(context: Context, account: string, options: Options): Promise<void> {
  const { id } = await requireAccount(context.database(), account);
  print(context, await limitsOf(context.database(), { accountId: id, apiKeyId: options.key ?? null }));
}

async function change(context: Context, account: string, options: Options): Promise<void> {
  const { id } = await requireAccount(context.database(), account);
  const given = limitNames.flatMap((name) => {
    const text = options[optionOf(name).replace(/-(\w)/g, (_, letter) => letter.toUpperCase())];
    return text === undefined ? [] : [[name, readLimit(name, text)]];
  });
  if (given.length === 0) throw new CommandError('Name a limit to set: limits set --help shows them.');
  const subject = { accountId: id, apiKeyId: options.key ?? null };
  const { limits, raised } = await inTransaction(context.database(), (db) =>
    setLimits(
      db,
      { ...subject, limits: Object.fromEntries(given), actor: context.actor },
      { mayRaise: true },
    ),
  ).catch((error) => {
    throw error instanceof RangeError ? new CommandError(`Nothing was set: ${error.message}.`) : error;
  });
  if (raised.length > 0) context.print(`this weakens ${raised.join(', ')}`);
  print(context, limits);
}

function print(context: Context, limits: Limits): void {
  for (const name of limitNames) context.print(`${name.padEnd(24)} ${describe(name, limits[name])}`);
}

function describe(name: LimitName, value: number | null): string {
  if (value === null) return 'none';
  const { unit } = limitRules[name];
  if (unit === 'money') return `${formatMoney(minor(value))} ${CURRENCY}`;
  return unit === 'seconds' ? `${value} s` : String(value);
}

function readLimit(name: LimitName, text: string): number | null {
  if (text === 'none') return null;
  if (limitRules[name].unit === 'money') return readAmount(text);
  if (!/^\d{1,9}$/.test(text))
    throw new CommandError(`${text} is no value for ${name}: give a whole number, or none.`);
  return Number(text);
}

function optionOf(name: LimitName): string {
  return name.replaceAll('_', '-');
}
