import type { Command } from 'commander';
import type { z } from 'zod';
import {
  describeLimit,
  type LimitName,
  type Limits,
  limitNames,
  limitRules,
  raisedBy,
} from '../../domain/limits.ts';
import { CURRENCY } from '../../domain/money.ts';
import type { limitsAnswer } from '../api/schemas.ts';
import { readAmount } from './accounts.ts';
import { CommandError } from './command-error.ts';
import type { Context, Run } from './context.ts';
import { segment } from './operator-client.ts';
import { propose } from './proposals.ts';

type Answer = z.output<typeof limitsAnswer>;
type Options = { key?: string; reason?: string } & Record<string, string>;

/** docs/operations/limits.md explains these commands. */
export function addLimitCommands(program: Command, run: Run): void {
  const limits = program.command('limits').description('what accounts and keys may pay out');
  limits
    .command('show <account>')
    .description('the limits of an account, or of one of its keys')
    .option('--key <key-id>', 'of this key')
    .action((account: string, options: Options) => run((context) => show(context, account, options)));
  const set = limits
    .command('set <account>')
    .description(
      'set limits, or propose it where this weakens one; those that are not named stay as they are',
    )
    .option('--key <key-id>', 'of this key')
    .option('--reason <text>', 'why, for whoever approves it: where this weakens a limit');
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

async function show({ api, print }: Context, account: string, { key }: Options): Promise<void> {
  printLimits(print, (await api.get<Answer>(pathOf(account), { key_id: key })).limits);
}

async function change(context: Context, account: string, options: Options): Promise<void> {
  const { api, print } = context;
  const { key, reason } = options;
  const limits = readLimits(options);
  const { limits: before } = await api.get<Answer>(pathOf(account), { key_id: key });
  const raised = raisedBy(before, { ...before, ...limits });
  if (raised.length === 0)
    return printLimits(print, (await api.put<Answer>(pathOf(account), { key_id: key, limits })).limits);
  if (reason === undefined)
    throw new CommandError(
      `This weakens ${raised.join(', ')}: another operator has to approve it, so say why with --reason.`,
    );
  print(`this weakens ${raised.join(', ')}`);
  await propose(context, {
    action: 'limits.set',
    payload: { account_id: account, key_id: key, limits },
    reason,
  });
}

function printLimits(print: Context['print'], limits: Limits): void {
  for (const name of limitNames) print(`${name.padEnd(24)} ${describeLimit(name, limits[name])}`);
}

function readLimits(options: Options): Partial<Limits> {
  const given = limitNames.flatMap((name) => {
    const text = options[optionOf(name).replace(/-(\w)/g, (_, letter) => letter.toUpperCase())];
    return text === undefined ? [] : [[name, readLimit(name, text)]];
  });
  if (given.length === 0) throw new CommandError('Name a limit to set: limits set --help shows them.');
  return Object.fromEntries(given);
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

function pathOf(account: string): string {
  return `accounts/${segment(account)}/limits`;
}
