import { newKey, pushBody } from '../test/support/gateway.ts';
import { type Figure, median, percentile, ratio, rounded, timed } from './load.ts';
import type { Stack } from './stack.ts';

const PUSHES = 40;
const READS = 200;

/** How long one merchant waits for an answer while nobody else asks: creating a push, and reading. */
export async function answerLatency(stack: Stack): Promise<Figure> {
  const pushes: number[] = [];
  let id = '';
  for (let count = 0; count < PUSHES; count += 1) {
    const took = await timed(async () => {
      const { json } = await stack.request('POST', 'payments/ussd', { key: newKey(), body: pushBody() });
      id = json.transaction_id;
    });
    pushes.push(took);
    // Or the rest of this push would slow the next answer.
    await stack.watch.delivered(id);
  }
  const lookups = await times(READS, () => stack.request('GET', `payments/${id}`));
  const statuses = await times(READS, () => stack.request('GET', 'status'));
  const row = (name: string, all: number[]) => [
    name,
    rounded(median(all)),
    rounded(percentile(all, 0.95)),
    ratio(median(all), median(lookups)),
  ];
  return {
    title: 'Answer latency in ms, one request at a time',
    columns: ['', 'p50', 'p95', 'of a lookup'],
    rows: [row('POST payments/ussd', pushes), row('GET payments/{id}', lookups), row('GET status', statuses)],
  };
}

async function times(count: number, work: () => Promise<unknown>): Promise<number[]> {
  const all: number[] = [];
  for (let at = 0; at < count; at += 1) all.push(await timed(work));
  return all;
}
