import type { Command } from 'commander';
import type { z } from 'zod';
import type { serviceBalance } from '../operator-api/schemas.ts';
import { CommandError } from './command-error.ts';
import type { Run } from './context.ts';
import type { OperatorClient } from './operator-client.ts';

const NAME_WIDTH = 24;
const AMOUNT_WIDTH = 24;

/** The books as a whole. */
export function addLedgerCommands(program: Command, run: Run): void {
  const ledger = program.command('ledger').description('the books');
  ledger
    .command('check')
    .description('every transfer balanced, every balance the sum of its entries, every hold resolved once')
    .action(() =>
      run(async ({ api, print }) => {
        const { breaches } = await untilDone<{ breaches: string[] }>(api, 'ledger/check');
        if (breaches.length > 0) throw new CommandError(breaches.join('\n'));
        print('the books are right');
      }),
    );
  ledger
    .command('balances')
    .description('every account of the service, what is on it, and what that means')
    .action(() =>
      run(async ({ api, print }) => {
        type Answer = { balances: z.output<typeof serviceBalance>[] };
        const { balances } = await untilDone<Answer>(api, 'ledger/balances');
        for (const { kind, channel, currency, amount, meaning } of balances) {
          const name = channel === null ? kind : `${kind} ${channel}`;
          const shown = `${amount} ${currency}`;
          print(`${name.padEnd(NAME_WIDTH)}${shown.padStart(AMOUNT_WIDTH)}  ${meaning}`);
        }
      }),
    );
}

/** An answer waits some seconds; the books may take minutes. */
async function untilDone<Answer>(api: OperatorClient, path: string): Promise<Answer> {
  for (;;) {
    const answer = await api.post<Answer & { done: boolean }>(path);
    if (answer.done) return answer;
  }
}
