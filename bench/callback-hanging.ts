import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { createDatabase } from '../src/platform/db/pool.ts';
import { plantEvent } from '../test/callbacks/planted.ts';
import { type Receiver, startReceiver } from '../test/callbacks/receiver.ts';
import { type Delivering, startDelivering } from '../test/callbacks/support/delivering.ts';
import { createMerchant, type Merchant } from '../test/support/merchant.ts';
import type { Database } from '../test/support/queryable.ts';
import { until } from '../test/support/wait.ts';
import { type Figure, median, percentile, ratio, rounded } from './load.ts';
import type { Stack } from './stack.ts';

const RECEIVERS = 40;
/** 30 % of them. */
const HANGING = 12;
/** Longer than an attempt waits, so that every one of them fails. */
const HANG_MS = 30_000;
/** Little enough that a busy machine keeps up: the question is what hanging costs, not what the machine can do. */
const EVENTS_PER_SECOND = 5;
/** Long enough that the first attempts time out and are made again while it is measured. */
const PHASE_MS = 20_000;
const ROUNDS = 4;
const DRAIN_DEADLINE_MS = 60_000;

type Shop = { receiver: Receiver; merchant: Merchant };
type Street = { shops: Shop[]; database: Database; delivering: Delivering; arrivedAt: Map<string, number> };

/**
 * How long callbacks to healthy receivers take, from the start of their delivery to their arrival: while all receivers
 * are healthy, and while 30 % of them hang for 30 s, at the same pace of events for all, in turns.
 */
export async function hangingReceivers(stack: Stack): Promise<Figure> {
  const database = createDatabase({
    url: stack.local.database_url,
    poolMax: 4,
    applicationName: 'bench callbacks',
  });
  const delivering = await startDelivering(stack.local.temporal_address);
  const arrivedAt = new Map<string, number>();
  const shops: Shop[] = [];
  for (let at = 0; at < RECEIVERS; at += 1) {
    const receiver = await startReceiver();
    shops.push({ receiver, merchant: await createMerchant(database, { callbackUrl: receiver.url }) });
  }
  const street: Street = { shops, database, delivering, arrivedAt };
  const lags = { none: [] as number[], some: [] as number[] };
  await phase(street, { hanging: 0, ms: PHASE_MS / 4 });
  for (let round = 0; round < ROUNDS; round += 1) {
    lags.none.push(...(await phase(street, { hanging: 0, ms: PHASE_MS })));
    lags.some.push(...(await phase(street, { hanging: HANGING, ms: PHASE_MS })));
  }
  await delivering.stop();
  await Promise.all(shops.map(({ receiver }) => receiver.close()));
  await database.end();
  const row = (name: string, values: number[]) => [
    name,
    values.length,
    rounded(median(values)),
    rounded(percentile(values, 0.95)),
    rounded(percentile(values, 0.99)),
    ratio(percentile(values, 0.99), percentile(lags.none, 0.99)),
  ];
  return {
    title: `Delivery lag of ${RECEIVERS - HANGING} healthy receivers, ms (${ROUNDS} rounds, in turns)`,
    columns: ['', 'callbacks', 'p50', 'p95', 'p99', 'p99 of none'],
    rows: [row('none hangs', lags.none), row(`${HANGING} more hang`, lags.some)],
  };
}

/** Returns the lags of the receivers that never hang, in milliseconds. Nothing is under way when it ends. */
async function phase(street: Street, options: { hanging: number; ms: number }): Promise<number[]> {
  const { shops, database, delivering, arrivedAt } = street;
  const held = new Set<ServerResponse>();
  shops.forEach(({ receiver }, at) => {
    receiver.react((response, { headers }) => {
      receiver.received.length = 0;
      const eventId = String(headers['webhook-id']);
      if (!arrivedAt.has(eventId)) arrivedAt.set(eventId, performance.now());
      if (at >= options.hanging) return void response.end();
      held.add(response);
      setTimeout(() => response.end(), HANG_MS).unref();
    });
  });
  const events: { id: string; isHealthy: boolean }[] = [];
  for (let at = 0; at < (options.ms / 1_000) * EVENTS_PER_SECOND; at += 1) {
    // So that a receiver of each kind has its turn all the time.
    const index = (at * 7) % shops.length;
    const shop = shops[index];
    if (shop) events.push({ id: await plantEvent(database, shop.merchant), isHealthy: index >= HANGING });
  }
  const startedAt = new Map<string, number>();
  for (const { id } of events) {
    startedAt.set(id, performance.now());
    // An open loop: what is slow does not slow down what comes next.
    void delivering.deliver(id).catch((error: Error) => console.error(`not started: ${error.message}`));
    await pause(1_000 / EVENTS_PER_SECOND);
  }
  const healthy = events.filter(({ isHealthy }) => isHealthy).map(({ id }) => id);
  await until(() => healthy.every((id) => arrivedAt.has(id)), {
    deadlineMs: DRAIN_DEADLINE_MS,
    what: 'the healthy receivers have their callbacks',
  });
  await Promise.all(events.map(({ id }) => delivering.stopDelivering(id)));
  for (const response of held) response.end();
  return healthy.map((id) => (arrivedAt.get(id) ?? Number.NaN) - (startedAt.get(id) ?? Number.NaN));
}
