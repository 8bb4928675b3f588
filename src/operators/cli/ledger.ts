import { CommandError } from './command-error.ts';
import type { To } from './context.ts';
import type { OperatorClient } from './operator-client.ts';

type Checked = { breaches: string[]; entries: number; noted: boolean };

export function addCommands({ program, run }: To): void {
  const ledger = program.command('ledger').description('the books');
  ledger
    .command('check')
    .option('--full', 'check all of the books, not only what is new since the last check')
    .description('check that transfers are balanced, balances are sums, and holds are resolved once')
    .action(({ full = false }: { full?: boolean }) =>
      run(async ({ api, print }) => {
        const { breaches, entries, noted } = await untilDone<Checked>(api, 'ledger/check', { full });
        if (breaches.length > 0) throw new CommandError(breaches.join('\n'));
        print('the books are right');
        print(full ? `all ${entries} entries were checked` : `${entries} new entries were checked`);
        if (!noted) print('a database transaction stays open, so the next check begins where this one began');
      }),
    );
}

/** Asks until the read is done: one call waits for seconds, but the read may take minutes. */
async function untilDone<Answer>(api: OperatorClient, path: string, body?: object): Promise<Answer> {
  for (;;) {
    const answer = await api.post<Answer & { done: boolean }>(path, body);
    if (answer.done) return answer;
  }
}
