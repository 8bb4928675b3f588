import { type Command, Option } from 'commander';
import { type OptionalEvent, optionalEvents } from '../../domain/event.ts';
import { CommandError } from './command-error.ts';
import type { Context, Run } from './context.ts';
import { segment } from './operator-client.ts';
import { propose } from './proposals.ts';

export function addCallbackCommands(program: Command, run: Run): void {
  const callbacks = program.command('callbacks').description('where callbacks go, and sending them again');
  callbacks
    .command('set <key-id>')
    .description("propose to set a key's callback address or events; what is left out stays")
    .option('--url <url>', 'where callbacks are sent; "none" removes it, the same one again enables it')
    .addOption(
      new Option('--events <names...>', 'which events are sent').choices(['all', 'none', ...optionalEvents]),
    )
    .requiredOption('--reason <text>', 'why, for the operator who approves it')
    .action((keyId: string, options: SetOptions) => run((context) => set(context, keyId, options)));
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
    .description('send one event again, or propose to send those of a range of time, oldest first')
    .option('--event <event-id>', 'this one')
    .option('--from <time>', 'ISO 8601, inclusive')
    .option('--to <time>', 'ISO 8601, exclusive; now when left out')
    .addOption(
      new Option('--state <state>', 'failed and no_url when left out').choices([
        'failed',
        'no_url',
        'delivered',
      ]),
    )
    .option('--reason <text>', 'why, for the operator who approves a range')
    .action((account: string, options: ResendOptions) => run((context) => resend(context, account, options)));
}

const LATE = 'Temporal does not answer: the sweep will start what is queued once it does';

type SetOptions = { url?: string; events?: ('all' | 'none' | OptionalEvent)[]; reason: string };

async function set(context: Context, keyId: string, { url, events, reason }: SetOptions): Promise<void> {
  await propose(context, {
    action: 'callbacks.set',
    payload: { key_id: keyId, url: url === 'none' ? null : url, events: events?.flatMap(eventsNamed) },
    reason,
  });
}

function eventsNamed(name: 'all' | 'none' | OptionalEvent): readonly OptionalEvent[] {
  if (name === 'all') return optionalEvents;
  return name === 'none' ? [] : [name];
}

type ResendOptions = { event?: string; from?: string; to?: string; state?: string; reason?: string };

async function resend(context: Context, account: string, options: ResendOptions): Promise<void> {
  const { event, from, to = new Date().toISOString(), state, reason } = options;
  if (event !== undefined && from === undefined) {
    const path = `accounts/${segment(account)}/callbacks/resend`;
    const { late } = await context.api.post<{ late: boolean }>(path, { event_id: event });
    context.print(`${event} is queued`);
    if (late) context.print(LATE);
  } else if (event === undefined && from !== undefined && reason !== undefined) {
    const states = state === undefined ? ['failed', 'no_url'] : [state];
    const payload = { account_id: account, from, to, states };
    await propose(context, { action: 'callbacks.resend', payload, reason });
  } else {
    throw new CommandError('Give either --event, or --from and --reason for a range of time.');
  }
}
