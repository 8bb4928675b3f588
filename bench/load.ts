/** What the figures share: a closed loop, percentiles, a table. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../src/db/pool.ts';

export type Figure = { title: string; columns: string[]; rows: (string | number)[][] };

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
