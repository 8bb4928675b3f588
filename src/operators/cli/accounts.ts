import type { Command } from 'commander';
import type { z } from 'zod';
import { startersOf } from '../../domain/batch.ts';
import type { accountAnswer } from '../api/schemas.ts';
import type { Run } from './context.ts';
import { segment } from './operator-client.ts';

type Answer = z.output<typeof accountAnswer>;

export function addAccountCommands(program: Command, run: Run): void {
  const accounts = program.command('accounts').description('merchant accounts');
  accounts
    .command('create <name>')
    .description('open a merchant account')
    .action((name: string) =>
      run(async ({ api, print }) => {
        const { account } = await api.post<Answer>('accounts', { name });
        print(account.id);
      }),
    );
  accounts
    .command('show <account>')
    .description('one account: name, balances, who starts its batches, the settlement rule in force')
    .action((id: string) =>
      run(async ({ api, print }) => {
        const { account, balance, batches_need_another, settlement } = await api.get<Answer>(
          `accounts/${segment(id)}`,
        );
        const since = account.frozen_at === null ? '' : `, frozen since ${account.frozen_at}`;
        print(`${account.id}  ${account.name}  opened ${account.created_at}${since}`);
        print(`available ${balance.available} ${balance.currency}, held ${balance.held} ${balance.currency}`);
        print(`its batches are started by ${startersOf(batches_need_another)}`);
        print(settlementLine(settlement));
      }),
    );
}

function settlementLine(settlement: Answer['settlement']): string {
  if (settlement === null) return 'settlement: no rule';
  const { set_by, rule } = settlement;
  if (rule === null) return `settlement: what ${set_by} set is not proven and pays nothing: propose it again`;
  const { own_account, days, keep, smallest, cap, pays_from, waits } = rule;
  const when = days.length === 0 ? 'when asked for' : `on ${days.join(', ')}`;
  const since = waits ? `, from ${pays_from} on` : '';
  return `settlement: with ${own_account} ${when}${since}: keeps ${keep}, ${smallest} to ${cap} at once (${set_by})`;
}
