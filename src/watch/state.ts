import { countDisabled } from '../callbacks/failing.ts';
import { callbacksWaiting } from '../callbacks/waiting.ts';
import type { Database, Queryable } from '../db/pool.ts';
import { CURRENCY, MINOR_PER_UNIT } from '../domain/money.ts';
import { ledgerSums, suspenseTotals } from '../ledger/sums.ts';
import type { GaugeOf, Metrics } from '../process/metrics.ts';
import { countAttention } from '../transactions/attention.ts';
import { sweepAgeSeconds } from '../transactions/fence.ts';
import { lateSeconds, unreadSeconds, waitingOf } from '../transactions/waiting.ts';
import { readOnce } from './once.ts';

const FRESH_MS = 10_000;

/** Everything that is read from Postgres for metrics: one short statement after the other, on one connection at a time. */
async function readState(db: Queryable, channels: readonly string[]) {
  return {
    sweepAge: await sweepAgeSeconds(db),
    waiting: await waitingOf(db, channels),
    late: await lateSeconds(db),
    unread: await unreadSeconds(db),
    attention: await countAttention(db),
    suspense: await suspenseTotals(db, CURRENCY),
    ledger: await ledgerSums(db, CURRENCY),
    callbacks: await callbacksWaiting(db),
    disabledUrls: await countDisabled(db),
  };
}

export type State = Awaited<ReturnType<typeof readState>>;

const shillings = (amount: number) => amount / MINOR_PER_UNIT;
const one = (value: number) => [{ value }];

const stateGauges: readonly GaugeOf<State>[] = [
  {
    name: 'sweep_age_seconds',
    help: 'Seconds since a sweep did all of its duties; it runs every minute',
    samples: ({ sweepAge }) => one(sweepAge),
  },
  {
    name: 'transactions_pending',
    help: 'Pending pushes and payouts by kind and channel, counted up to 10,000 each',
    labelNames: ['kind', 'channel'],
    samples: ({ waiting }) =>
      waiting.map(({ mode: kind, channel, pending }) => ({ labels: { kind, channel }, value: pending })),
  },
  {
    name: 'transactions_oldest_pending_seconds',
    help: 'Age of the oldest pending push or payout by kind and channel; 0 where none is pending',
    labelNames: ['kind', 'channel'],
    samples: ({ waiting }) =>
      waiting.map(({ mode: kind, channel, oldestSeconds: value }) => ({ labels: { kind, channel }, value })),
  },
  {
    name: 'transactions_late_seconds',
    help: 'How late the most overdue step of a transaction is, bills included; a sweep takes it up after a minute',
    samples: ({ late }) => one(late),
  },
  {
    name: 'notifications_unread_seconds',
    help: 'Age of the oldest notification that its transaction has not read',
    samples: ({ unread }) => one(unread),
  },
  {
    name: 'attention_open',
    help: 'Open entries of the attention list by reason',
    labelNames: ['reason'],
    samples: ({ attention }) => attention.map(({ reason, open }) => ({ labels: { reason }, value: open })),
  },
  {
    name: 'attention_oldest_seconds',
    help: 'Age of the oldest open entry of the attention list by reason; 0 where there is none',
    labelNames: ['reason'],
    samples: ({ attention }) =>
      attention.map(({ reason, oldestSeconds }) => ({ labels: { reason }, value: oldestSeconds })),
  },
  {
    name: 'suspense_items',
    help: 'Open items in suspense, of any currency',
    samples: ({ suspense }) => one(suspense.items),
  },
  {
    name: 'suspense_oldest_seconds',
    help: 'Age of the oldest open item in suspense; 0 where there is none',
    samples: ({ suspense }) => one(suspense.oldestSeconds),
  },
  {
    name: 'suspense_tzs',
    help: 'Shillings in suspense: owed to somebody, or missed',
    labelNames: ['direction'],
    samples: ({ suspense: { owed, missed } }) => [
      { labels: { direction: 'owed' }, value: shillings(owed) },
      { labels: { direction: 'missed' }, value: shillings(missed) },
    ],
  },
  {
    name: 'float_tzs',
    help: 'Shillings that each channel has for us, by our books: what came in over it less what went out, some minutes old',
    labelNames: ['channel'],
    samples: ({ ledger }) =>
      ledger.flatMap(({ kind, channel, amount }) =>
        kind === 'clearing' && channel !== null ? [{ labels: { channel }, value: shillings(-amount) }] : [],
      ),
  },
  {
    name: 'merchants_tzs',
    help: 'Shillings of all merchants together: available, and held for payouts under way',
    labelNames: ['balance'],
    samples: ({ ledger }) =>
      ledger.flatMap(({ kind, amount }) =>
        kind === 'available' || kind === 'held'
          ? [{ labels: { balance: kind }, value: shillings(amount) }]
          : [],
      ),
  },
  {
    name: 'callbacks_waiting',
    help: 'Callbacks that their receivers have not taken yet, counted up to 10,000',
    samples: ({ callbacks }) => one(callbacks.waiting),
  },
  {
    name: 'callbacks_late_seconds',
    help: 'How late the most overdue attempt of a callback is; a sweep takes it up after two minutes',
    samples: ({ callbacks }) => one(callbacks.lateSeconds),
  },
  {
    name: 'callback_urls_failing',
    help: 'API keys whose callback URL has taken nothing lately and is still tried',
    samples: ({ callbacks }) => one(callbacks.failingUrls),
  },
  {
    name: 'callback_urls_disabled',
    help: 'API keys whose callback URL was disabled: it said that it is gone, or took nothing for 5 days',
    samples: ({ disabledUrls }) => one(disabledUrls),
  },
];

/** What Postgres knows of payments, money and callbacks, as gauges; left out while it cannot be asked. */
export function watchState(
  metrics: Pick<Metrics, 'watchAll'>,
  deps: {
    database: Database;
    channels: readonly string[];
    log: { warn(fields: object, message: string): void };
    freshMs?: number;
  },
): void {
  const { database, channels, log, freshMs = FRESH_MS } = deps;
  const read = () =>
    readState(database, channels).catch((error) => {
      log.warn({ error }, 'the metrics of what Postgres knows are left out');
      throw error;
    });
  metrics.watchAll(readOnce(read, { freshMs }), stateGauges);
}
