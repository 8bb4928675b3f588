/** Shared by the figures: a closed loop, percentiles, a table. */
import os from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../test/support/queryable.ts';

/**
 * A table, and the numbers behind it that are drawn: of each series a value for each place on the axis. `stacked`: they are
 * parts of one.
 */
export type Figure = { title: string; columns: string[]; rows: (string | number)[][]; pictures?: Picture[] };
export type Picture = {
  title: string;
  axis: string;
  unit: string;
  places: (string | number)[];
  series: { name: string; values: number[] }[];
  kind: 'lines' | 'bars' | 'stacked';
};

/** How long the customer takes, in the simulator and in the bare flows. */
export const CUSTOMER_MS = 300;

/** How many are on their way at any time. Few enough that none waits so long that its flow starts to enquire. */
const IN_FLIGHT = 24;

/** Runs `count` times `one`, `inFlight` at a time, each until it is over. Returns how many were over per second. */
export async function perSecond(
  count: number,
  one: () => Promise<void>,
  inFlight = IN_FLIGHT,
): Promise<number> {
  let left = count;
  const start = performance.now();
  const lane = async () => {
    while (left > 0) {
      left -= 1;
      await one();
    }
  };
  await Promise.all(Array.from({ length: Math.min(inFlight, count) }, lane));
  return (count * 1_000) / (performance.now() - start);
}

/** V8 compiles what runs often: before that, everything is slower than it will ever be again. */
const WARM_UP = { block: 100, least: 3, most: 6, flatWithin: 0.05 };

/**
 * Runs blocks of 100 until two in a row took the same within 5 %, at least 300 and at most 600. On a busy machine it may
 * never be flat: then the figure says so.
 */
export async function warmUp(
  one: () => Promise<void>,
  inFlight = IN_FLIGHT,
): Promise<{ payments: number; isFlat: boolean }> {
  let before = 0;
  for (let blocks = 1; ; blocks += 1) {
    const rate = await perSecond(WARM_UP.block, one, inFlight);
    const isFlat = Math.abs(rate - before) <= WARM_UP.flatWithin * before;
    const payments = blocks * WARM_UP.block;
    if (blocks >= WARM_UP.least && isFlat) return { payments, isFlat };
    if (blocks === WARM_UP.most) return { payments, isFlat: false };
    before = rate;
  }
}

/** Of all processors, the part that this process has used while `work` ran: what the load itself costs. */
export async function ownShare(work: () => Promise<unknown>): Promise<number> {
  const [cpu, start] = [process.cpuUsage(), performance.now()];
  await work();
  const { user, system } = process.cpuUsage(cpu);
  return (user + system) / 1_000 / (performance.now() - start) / os.cpus().length;
}

/** Milliseconds that `work` took. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

export function percentile(values: number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

export const median = (values: number[]) => percentile(values, 0.5);

export const rounded = (value: number, digits = 1) => Number(value.toFixed(digits));

/** `×0.62`: how two numbers of one run compare. Unlike the numbers themselves it says something on another machine. */
export const ratio = (one: number, other: number) => `×${(one / other).toFixed(2)}`;

/** Watches for the delivery of callbacks, with one small query for all that wait: it hardly adds load. */
export function createDeliveryWatch(database: Database) {
  const waiting = new Map<string, () => void>();
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      await pause(50);
      if (waiting.size === 0) continue;
      const { rows } = await database.query(
        "SELECT transaction_id FROM callback_events WHERE state = 'delivered' AND transaction_id = ANY($1)",
        [[...waiting.keys()]],
      );
      for (const { transaction_id: id } of rows) {
        waiting.get(id)?.();
        waiting.delete(id);
      }
    }
  })();
  return {
    delivered: (transactionId: string) => new Promise<void>((resolve) => waiting.set(transactionId, resolve)),
    async stop() {
      isOver = true;
      await watching;
    },
  };
}

export type DeliveryWatch = ReturnType<typeof createDeliveryWatch>;

export function printFigure({ title, columns, rows }: Figure): void {
  const table = [columns, ...rows.map((row) => row.map(String))];
  const widths = columns.map((_, column) => Math.max(...table.map((row) => (row[column] ?? '').length)));
  const line = (row: string[]) =>
    row
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join('  ');
  console.log(`\n${title}\n${'-'.repeat(title.length)}`);
  for (const row of table) console.log(line(row));
}
