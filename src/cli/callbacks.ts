import { type Command, Option } from 'commander';
import type { z } from 'zod';
import { transactionEvents } from '../domain/event.ts';
import type { callbackSettings } from '../operator-api/schemas.ts';
import { CommandError } from './command-error.ts';
import type { Context, Run } from './context.ts';
import { secretIn } from './input.ts';
import { segment } from './operator-client.ts';

type Settings = z.output<typeof callbackSettings>;
type Queued = { events: number; next_from: string | null; late: boolean };

/** Where callbacks go, and sending them again. */
export function addCallbackCommands(program: Command, run: Run): void {
  const callbacks = program.command('callbacks').description('where callbacks go, and sending them again');
  callbacks
    .command('set <key-id>')
    .description("set a key's callback address and passphrase; what is left out stays")
    .option('--url <url>', 'where callbacks are sent; "none" removes it, the same one again enables it')
    .option('--passphrase-file <file>', 'holds what signs them; "-" is standard input, "none" removes it')
    .addOption(
      new Option('--events <names...>', 'which events are sent').choices([
        'all',
        'none',
        ...transactionEvents,
      ]),
    )
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
    .description('send events again: one, or those of a range of time, oldest first')
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
    .action((account: string, options: ResendOptions) => run((context) => resend(context, account, options)));
}

const LATE = 'Temporal does not answer: the sweep will start what is queued once it does';

type TransactionEvent = (typeof transactionEvents)[number];
type SetOptions = { url?: string; passphraseFile?: string; events?: ('all' | 'none' | TransactionEvent)[] };

async function set({ api, print }: Context, keyId: string, options: SetOptions): Promise<void> {
  const { url, passphraseFile, events } = options;
  const settings = await api.put<Settings>(`keys/${segment(keyId)}/callbacks`, {
    url: url === 'none' ? '' : url,
    passphrase: await passphraseIn(passphraseFile),
    events: events?.flatMap(eventsNamed),
  });
  const signed = settings.passphrase_set ? 'signed' : 'not signed';
  print(`callbacks go to ${settings.callback_url ?? 'nowhere'}, ${signed}`);
}

function eventsNamed(name: 'all' | 'none' | TransactionEvent): readonly TransactionEvent[] {
  if (name === 'all') return transactionEvents;
  return name === 'none' ? [] : [name];
}

type ResendOptions = { event?: string; from?: string; to?: string; state?: string };

async function resend({ api, print }: Context, account: string, options: ResendOptions): Promise<void> {
  const { event, from, to = new Date().toISOString(), state } = options;
  if ((event === undefined) === (from === undefined))
    throw new CommandError('Give either --event, or --from for a range of time.');
  const path = `accounts/${segment(account)}/callbacks`;
  if (event !== undefined) {
    const { late } = await api.post<Queued>(`${path}/resend`, { event_id: event });
    print(`${event} is queued`);
    if (late) print(LATE);
    return;
  }
  const states = state === undefined ? ['failed', 'no_url'] : [state];
  let count = 0;
  let isLate = false;
  for (let next: string | null = from ?? null; next !== null; ) {
    const queued: Queued = await api.post(`${path}/resend-range`, { from: next, to, states });
    count += queued.events;
    isLate ||= queued.late;
    next = queued.next_from;
  }
  if (isLate) print(LATE);
  print(count === 1 ? '1 event is queued' : `${count} events are queued`);
}

/** Nothing changes it where no file is named. */
async function passphraseIn(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  return file === 'none' ? '' : secretIn(file);
}
