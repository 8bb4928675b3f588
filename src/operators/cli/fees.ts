import type { Command } from 'commander';
import type { z } from 'zod';
import { type FeeService, feeServices, servicesWithFee } from '../../domain/fee-services.ts';
import { readTiers, writeTiers } from '../../domain/fee-words.ts';
import type { OwnRows } from '../../domain/fees.ts';
import type { feeStatementAnswer, feesAnswer } from '../api/fee-schemas.ts';
import { CommandError } from './command-error.ts';
import type { Context, Run } from './context.ts';
import { segment } from './operator-client.ts';
import { propose } from './proposals.ts';

type Answer = z.output<typeof feesAnswer>;
type Month = z.output<typeof feeStatementAnswer>;
type Options = { from?: string; reason: string } & { [Service in FeeService]?: string };

/** docs/operations/fees.md explains these commands. */
export function addFeeCommands(program: Command, run: Run): void {
  const fees = program.command('fees').description('what merchants pay');
  fees
    .command('show <account>')
    .description('what a merchant pays, and will pay next')
    .action((account: string) => run((context) => show(context, account)));
  fees
    .command('statement <account>')
    .description('what a merchant paid in a month of Dar es Salaam, from the lines of its statement')
    .requiredOption('--month <month>', 'like 2026-11')
    .action((account: string, { month }: { month: string }) =>
      run((context) => showMonth(context, account, month)),
    );
  const asked = fees
    .command('propose <account>')
    .description('propose fees of its own; those that are not named stay as they are')
    .option('--from <time>', 'a day, or a time in ISO 8601; left out: when they are approved')
    .requiredOption('--reason <text>', 'why, for whoever approves it');
  for (const service of feeServices)
    asked.option(
      `--${service} <fee>`,
      `${servicesWithFee[service].noun}, like "0-4999: 300; 5000-: 1.5% min 500"; none: the usual fees`,
    );
  asked.action((account: string, options: Options) => run((context) => change(context, account, options)));
}

async function show({ api, print }: Context, account: string): Promise<void> {
  const { next, own, ...now } = await api.get<Answer>(pathOf(account));
  print(`${now.version}, since ${now.effective_from}`);
  for (const service of feeServices) {
    const whose = own.includes(service) ? ' (its own)' : '';
    print(`${service.padEnd(8)} ${writeTiers(now.fees[service].tiers)}${whose}`);
  }
  if (!next) return;
  print(`${next.version}, from ${next.effective_from} on`);
  for (const service of feeServices) print(`${service.padEnd(8)} ${writeTiers(next.fees[service].tiers)}`);
}

async function showMonth({ api, print }: Context, account: string, month: string): Promise<void> {
  const { fees, total, currency, final } = await api.get<Month>(`${pathOf(account)}/statement`, { month });
  for (const { amount, lines, description } of fees)
    print(`${amount.padStart(18)}  ${String(lines).padStart(8)}  ${description}`);
  print(`${total.padStart(18)}  ${currency} in all${final ? '' : ', so far'}`);
}

async function change(context: Context, account: string, options: Options): Promise<void> {
  const named = feeServices.filter((service) => options[service] !== undefined);
  if (named.length === 0) throw new CommandError('Name a fee to set: fees propose --help shows them.');
  const now = await context.api.get<Answer>(pathOf(account));
  const { announced } = now;
  const replaced = announced ?? now;
  const fees: OwnRows = Object.fromEntries(replaced.own.map((service) => [service, replaced.fees[service]]));
  for (const service of named) fees[service] = readFee(options[service] ?? '');
  await propose(context, {
    action: 'fees.set',
    payload: { account_id: account, fees, effective_from: options.from ?? announced?.effective_from },
    reason: options.reason,
  });
}

function readFee(text: string) {
  if (text === 'none') return undefined;
  const tiers = readTiers(text);
  if (tiers) return { tiers };
  throw new CommandError(
    `${text} is no fee: write it like 300, or "0-4999: 300; 5000-: 1.5% min 500 max 5000".`,
  );
}

const pathOf = (account: string) => `accounts/${segment(account)}/fees`;
