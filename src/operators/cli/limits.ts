import type { Command } from 'commander';
import type { z } from 'zod';
import { describeLimit, type Limits, limitNames, raisedBy } from '../../domain/limits.ts';
import type { limitsAnswer } from '../api/schemas.ts';
import { CommandError } from './command-error.ts';
import type { Context, Run } from './context.ts';
import { segment } from './operator-client.ts';
import { type Proposed, propose } from './proposals.ts';

type Answer = z.output<typeof limitsAnswer>;
type Options = { key?: string };

/** docs/operations/limits.md explains these commands. */
export function addLimitCommands(program: Command, run: Run): void {
  const limits = program.command('limits').description('what accounts and keys may pay out');
  limits
    .command('show <account>')
    .description('the limits of an account, or of one of its keys')
    .option('--key <key-id>', 'of this key')
    .action((account: string, options: Options) => run((context) => show(context, account, options)));
}

async function show({ api, print }: Context, account: string, { key }: Options): Promise<void> {
  printLimits(print, (await api.get<Answer>(pathOf(account), { key_id: key })).limits);
}

/** One person tightens a limit, at once. */
export async function setLimits(context: Context, { payload, ...asked }: Proposed): Promise<void> {
  const { api, print } = context;
  const { account_id: account, key_id, limits = {} } = payload as Change;
  const { limits: before } = await api.get<Answer>(pathOf(account), { key_id });
  const raised = raisedBy(before, { ...before, ...limits });
  if (raised.length === 0)
    return printLimits(print, (await api.put<Answer>(pathOf(account), { key_id, limits })).limits);
  if (asked.reason === '')
    throw new CommandError(
      `This weakens ${raised.join(', ')}: another operator has to approve it, so say why with --reason.`,
    );
  print(`this weakens ${raised.join(', ')}`);
  await propose(context, { ...asked, payload });
}

type Change = { account_id: string; key_id?: string; limits?: Partial<Limits> };

function printLimits(print: Context['print'], limits: Limits): void {
  for (const name of limitNames) print(`${name.padEnd(24)} ${describeLimit(name, limits[name])}`);
}

function pathOf(account: string): string {
  return `accounts/${segment(account)}/limits`;
}
