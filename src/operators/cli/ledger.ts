import { CommandError } from './command-error.ts';
import type { To } from './context.ts';
import type { OperatorClient } from './operator-client.ts';

type Checked = { breaches: string[]; entries: number; noted: boolean };

export function addCommands({ program, run }: To): void {
  const ledger = program.command('ledger').description('the books');
  ledger
    .command('check')
    .option('--full', 'all of the books anew, not only what is new since the last check')
    .description('every transfer balanced, every balance the sum of its entries, every hold resolved once')
    .action(({ full = false }: { full?: boolean }) =>
      run(async ({ api, print }) => {
        const { breaches, entries, noted } = await untilDone<Checked>(api, 'ledger/check', { full });
        if (breaches.length > 0) throw new CommandError(breaches.join('\n'));
        print('the books are right');
        print(full ? `${entries} entries, all of them` : `${entries} entries are new since the last check`);
        if (!noted) print('a transaction stays open: the next check begins where this one did');
      }),
    );
}

/** Asks until the read is done: an answer waits seconds, the read may take minutes. */
async function untilDone<Answer>(api: OperatorClient, path: string, body?: object): Promise<Answer> {
  for (;;) {
    const answer = await api.post<Answer & { done: boolean }>(path, body);
    if (answer.done) return answer;
  }
}
