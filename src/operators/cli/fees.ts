import type { z } from 'zod';
import { feeServices } from '../../domain/fee-services.ts';
import { writeTiers } from '../../domain/fee-words.ts';
import type { OwnRows } from '../../domain/fees.ts';
import type { feesAnswer } from '../api/fee-schemas.ts';
import { CommandError } from './command-error.ts';
import type { Context, To } from './context.ts';
import { segment } from './operator-client.ts';
import { type Proposed, propose } from './proposals.ts';

type Answer = z.output<typeof feesAnswer>;

export function addCommands({ program, run }: To): void {
  const fees = program.command('fees').description('the fees of merchants');
  fees
    .command('show <account>')
    .description('show the fees of a merchant now and next')
    .action((account: string) => run((context) => show(context, account)));
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

/** Services that are not named keep their fees; "none" restores the usual fees. */
export async function proposeFees(context: Context, { payload, ...asked }: Proposed): Promise<void> {
  const { account_id: account, fees = {}, effective_from } = payload as Change;
  if (Object.keys(fees).length === 0)
    throw new CommandError('Name a fee to set: fees propose --help lists the fees.');
  const now = await context.api.get<Answer>(pathOf(account));
  const { announced } = now;
  const replaced = announced ?? now;
  const own: OwnRows = Object.fromEntries(replaced.own.map((service) => [service, replaced.fees[service]]));
  const all = Object.entries({ ...own, ...fees }).filter(([, row]) => row !== null);
  const from = effective_from ?? announced?.effective_from;
  await propose(context, {
    ...asked,
    payload: { account_id: account, fees: Object.fromEntries(all), effective_from: from },
  });
}

type Change = { account_id: string; fees?: Record<string, object | null>; effective_from?: string };

const pathOf = (account: string) => `accounts/${segment(account)}/fees`;
