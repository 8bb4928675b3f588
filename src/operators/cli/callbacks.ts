import type { Command } from 'commander';
import type { Run } from './context.ts';
import { segment } from './operator-client.ts';

export function addCallbackCommands(program: Command, run: Run): void {
  const callbacks = program.command('callbacks').description('where callbacks go, and sending them again');
  callbacks
    .command('ping <key-id>')
    .description("send a ping to a key's callback address")
    .action((keyId: string) =>
      run(async ({ api, print }) => {
        const path = `keys/${segment(keyId)}/callbacks/ping`;
        const ping = await api.post<{ event_id: string; late: boolean }>(path);
        print(`${ping.event_id} is queued`);
        if (ping.late) print(LATE);
      }),
    );
  callbacks
    .command('resend <account>')
    .description('send one event again')
    .requiredOption('--event <event-id>', 'this one')
    .action((account: string, { event }: { event: string }) =>
      run(async ({ api, print }) => {
        const path = `accounts/${segment(account)}/callbacks/resend`;
        const { late } = await api.post<{ late: boolean }>(path, { event_id: event });
        print(`${event} is queued`);
        if (late) print(LATE);
      }),
    );
}

const LATE = 'Temporal does not answer: the sweep will start what is queued once it does';
