import { type Command, Option } from 'commander';
import type { Queued, TransactionEvent } from '../callbacks/event.ts';
import { createUrlPolicy } from '../callbacks/guard-url.ts';
import { queuePing, type Range, resendEvent, resendRange } from '../callbacks/resend.ts';
import { type CallbackChange, saveCallbackSettings } from '../callbacks/settings.ts';
import { workAtOnce } from '../domain/at-once.ts';
import { transactionEvents } from '../domain/event.ts';
import { startRound } from '../temporal/sweep.ts';
import { requireAccount } from './accounts.ts';
import { CommandError, type Context, type Run } from './context.ts';

const START_DEADLINE_MS = 20_000;

/** Where callbacks go, and sending them again. */
export function addCallbackCommands(program: Command, run: Run): void {
  const callbacks = program.command('callbacks').description('where callbacks go, and sending them again');
  callbacks
    .command('set <key-id>')
    .description("set a key's callback address and passphrase; what is left out stays")
    .option('--url <url>', 'where callbacks are sent; "none" removes it, the same one again enables it')
    .option('--passphrase <text>', 'what signs them; "none" removes it')
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
      run(async (context) => {
        const ping = await queuePing(context.database(), keyId);
        await start(context, [ping]);
        context.print(`${ping.eventId} is queued`);
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

type SetOptions = { url?: string; passphrase?: string; events?: ('all' | 'none' | TransactionEvent)[] };

async function set(context: Context, keyId: string, options: SetOptions): Promise<void> {
  const { config, database, actor, print } = context;
  const { url, passphrase, events } = options;
  const orNull = (text: string | undefined) => (text === 'none' ? null : text);
  const change: CallbackChange = {
    keyId,
    actor,
    callbackUrl: orNull(url),
    passphrase: orNull(passphrase),
    events: events?.flatMap(eventsNamed),
  };
  const settings = await saveCallbackSettings(database(), change, {
    encryptionKeys: config.ENCRYPTION_KEY,
    urlPolicy: createUrlPolicy({
      development: config.MALIPO_ENV === 'development',
      ports: config.CALLBACK_PORTS,
    }),
  });
  const signed = settings.passphraseSet ? 'signed' : 'not signed';
  print(`callbacks go to ${settings.callbackUrl ?? 'nowhere'}, ${signed}`);
}

function eventsNamed(name: 'all' | 'none' | TransactionEvent): readonly TransactionEvent[] {
  if (name === 'all') return transactionEvents;
  return name === 'none' ? [] : [name];
}

type ResendOptions = { event?: string; from?: string; to?: string; state?: Range['states'][number] };

async function resend(context: Context, accountId: string, options: ResendOptions): Promise<void> {
  await requireAccount(context.database(), accountId);
  const { event, from, to, state } = options;
  if ((event === undefined) === (from === undefined))
    throw new CommandError('Give either --event, or --from for a range of time.');
  if (event !== undefined) {
    const asked = { accountId, eventId: event, actor: context.actor };
    const { taken, ...queued } = await resendEvent(context.database(), asked);
    await start(context, [queued, ...taken]);
    context.print(`${event} is queued`);
    return;
  }
  const range = {
    accountId,
    to: timeOf(to ?? new Date().toISOString()),
    states: state === undefined ? (['failed', 'no_url'] as const) : [state],
    actor: context.actor,
  };
  let next: string | null = timeOf(from ?? '');
  let count = 0;
  while (next !== null) {
    const { queued, taken, nextFrom } = await resendRange(context.database(), {
      ...range,
      states: [...range.states],
      from: next,
    });
    await start(context, [...queued, ...taken]);
    count += queued.length;
    next = nextFrom;
  }
  context.print(count === 1 ? '1 event is queued' : `${count} events are queued`);
}

function timeOf(text: string): string {
  const time = new Date(text);
  if (Number.isNaN(time.getTime()))
    throw new CommandError(`${text} is no time: give ISO 8601, like 2027-01-31T00:00:00Z.`);
  return time.toISOString();
}

/** What Temporal does not take now, the sweep starts: it is queued in Postgres. */
async function start(context: Context, rounds: Queued[]): Promise<void> {
  const { client, connection } = context.temporal();
  const own = rounds.filter(({ round }) => round > 0);
  const startAll = () =>
    workAtOnce(own, async (round) => {
      await startRound(client, round);
    });
  try {
    await connection.withDeadline(Date.now() + START_DEADLINE_MS, startAll);
  } catch {
    context.print('Temporal does not answer: the sweep will start what is queued once it does');
  }
}
