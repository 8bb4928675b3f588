import type { Command } from 'commander';
import type { z } from 'zod';
import { describeLimit, type Limits, limitNames } from '../../domain/limits.ts';
import type { limitsAnswer } from '../api/schemas.ts';
import type { Context, Run } from './context.ts';
import { segment } from './operator-client.ts';

type Answer = z.output<typeof limitsAnswer>;
type Options = { key?: string };

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

function printLimits(print: Context['print'], limits: Limits): void {
  for (const name of limitNames) print(`${name.padEnd(24)} ${describeLimit(name, limits[name])}`);
}

function pathOf(account: string): string {
  return `accounts/${segment(account)}/limits`;
}
