import type { Command } from 'commander';
import type { z } from 'zod';
import type { accountAnswer } from '../api/schemas.ts';
import type { Run } from './context.ts';

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
}
