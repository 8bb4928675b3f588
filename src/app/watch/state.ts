import { readOnce } from '../../base/read-once.ts';
import { countDisabled } from '../../callbacks/failing.ts';
import { callbacksWaiting } from '../../callbacks/waiting.ts';
import { CURRENCY, MINOR_PER_UNIT } from '../../domain/money.ts';
import { ledgerSums, suspenseTotals } from '../../ledger/sums.ts';
import { isDatabaseDown } from '../../platform/db/errors.ts';
import type { Database, Queryable } from '../../platform/db/pool.ts';
import type { GaugeOf, Metrics } from '../../platform/process/metrics.ts';
import { countAttention } from '../../transactions/care/attention.ts';
import { sweepAgeSeconds } from '../../transactions/care/fence.ts';
import { lateSeconds, unreadSeconds, waitingOf } from '../../transactions/rows/waiting.ts';

const FRESH_MS = 10_000;

const readsOf = (db: Queryable, channels: readonly string[]) => ({
  sweepAge: () => sweepAgeSeconds(db),
  waiting: () => waitingOf(db, channels),
  late: () => lateSeconds(db),
  unread: () => unreadSeconds(db),
  attention: () => countAttention(db),
  suspense: () => suspenseTotals(db, CURRENCY),
  ledger: () => ledgerSums(db, CURRENCY),
  callbacks: () => callbacksWaiting(db),
  disabledUrls: () => countDisabled(db),
});

type Reads = ReturnType<typeof readsOf>;
type Part = keyof Reads;
type State = { [P in Part]?: Awaited<ReturnType<Reads[P]>> };
type StateGauge = { [P in Part]: GaugeOf<NonNullable<State[P]>> & { part: P } }[Part];

const shillings = (amount: number) => amount / MINOR_PER_UNIT;
const one = (value: number) => [{ value }];

const stateGauges: readonly StateGauge[] = [
  {
    name: 'sweep_age_seconds',
    help: 'Seconds since a sweep finished all of its tasks; it runs every minute',
    part: 'sweepAge',
    samples: (sweepAge) => one(sweepAge),
  },
  {
    name: 'transactions_pending',
    help: 'Pending pushes and payouts by kind and channel, counted up to 10,000 each',
    labelNames: ['kind', 'channel'],
    part: 'waiting',
    samples: (waiting) =>
      waiting.map(({ mode: kind, channel, pending }) => ({ labels: { kind, channel }, value: pending })),
  },
  {
    name: 'transactions_oldest_pending_seconds',
    help: 'Age of the oldest pending push or payout by kind and channel; 0 if none is pending',
    labelNames: ['kind', 'channel'],
    part: 'waiting',
    samples: (waiting) =>
      waiting.map(({ mode: kind, channel, oldestSeconds: value }) => ({ labels: { kind, channel }, value })),
  },
  {
    name: 'transactions_late_seconds',
    help: 'Delay of the most overdue step of a transaction or bill; a sweep takes over after a minute',
    part: 'late',
    samples: (late) => one(late),
  },
  {
    name: 'notifications_unread_seconds',
    help: 'Age of the oldest notification that its transaction has not read',
    part: 'unread',
    samples: (unread) => one(unread),
  },
  {
    name: 'attention_open',
    help: 'Open entries of the attention list by reason',
    labelNames: ['reason'],
    part: 'attention',
    samples: (attention) => attention.map(({ reason, open }) => ({ labels: { reason }, value: open })),
  },
  {
    name: 'attention_oldest_seconds',
    help: 'Age of the oldest open entry of the attention list by reason; 0 if there is none',
    labelNames: ['reason'],
    part: 'attention',
    samples: (attention) =>
      attention.map(({ reason, oldestSeconds }) => ({ labels: { reason }, value: oldestSeconds })),
  },
  {
    name: 'suspense_items',
    help: 'Open items in suspense, of any currency',
    part: 'suspense',
    samples: (suspense) => one(suspense.items),
  },
  {
    name: 'suspense_oldest_seconds',
    help: 'Age of the oldest open item in suspense; 0 if there is none',
    part: 'suspense',
    samples: (suspense) => one(suspense.oldestSeconds),
  },
  {
    name: 'suspense_tzs',
    help: 'Shillings in suspense: owed to somebody, or missing',
    labelNames: ['direction'],
    part: 'suspense',
    samples: ({ owed, missed }) => [
      { labels: { direction: 'owed' }, value: shillings(owed) },
      { labels: { direction: 'missed' }, value: shillings(missed) },
    ],
  },
  {
    name: 'float_tzs',
    help:
      'Shillings that each channel holds for us, by our books: ' +
      'incoming less outgoing money, some minutes old',
    labelNames: ['channel'],
    part: 'ledger',
    samples: (ledger) =>
      ledger.flatMap(({ kind, channel, amount }) =>
        kind === 'clearing' && channel !== null ? [{ labels: { channel }, value: shillings(-amount) }] : [],
      ),
  },
  {
    name: 'merchants_tzs',
    help: 'Shillings of all merchants together: available, and held for pending payouts',
    labelNames: ['balance'],
    part: 'ledger',
    samples: (ledger) =>
      ledger.flatMap(({ kind, amount }) =>
        kind === 'available' || kind === 'held'
          ? [{ labels: { balance: kind }, value: shillings(amount) }]
          : [],
      ),
  },
  {
    name: 'callbacks_waiting',
    help: 'Callbacks that their receivers have not accepted yet, counted up to 10,000',
    part: 'callbacks',
    samples: (callbacks) => one(callbacks.waiting),
  },
  {
    name: 'callbacks_late_seconds',
    help: 'Delay of the most overdue attempt of a callback; a sweep takes over after two minutes',
    part: 'callbacks',
    samples: (callbacks) => one(callbacks.lateSeconds),
  },
  {
    name: 'callback_urls_failing',
    help: 'API keys whose callback URL has accepted nothing lately and is still tried',
    part: 'callbacks',
    samples: (callbacks) => one(callbacks.failingUrls),
  },
  {
    name: 'callback_urls_disabled',
    help: 'API keys whose callback URL was disabled: it answered 410, or accepted nothing for 5 days',
    part: 'disabledUrls',
    samples: (disabledUrls) => one(disabledUrls),
  },
];

/** Shows payments, money and callbacks in Postgres as gauges; absent while it is unavailable. */
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
  const reads = Object.entries(readsOf(database, channels));
  /**
   * Reads one metric after the other, on one connection. An unreadable one leaves out its own gauges only.
   */
  async function read(): Promise<State> {
    const state: Record<string, unknown> = {};
    for (const [part, readPart] of reads)
      state[part] = await readPart().catch((error: unknown) => {
        log.warn({ error, part }, 'metrics that Postgres provides are missing');
        if (isDatabaseDown(error)) throw error;
      });
    return state as State;
  }
  const gauges = stateGauges.map(({ part, samples, ...gauge }) => ({
    ...gauge,
    samples: (state: State) => (state[part] === undefined ? [] : samples(state[part] as never)),
  }));
  metrics.watchAll(readOnce(read, { freshMs }), gauges);
}
