import { newKey, pushBody } from '../test/support/gateway.ts';
import { type Figure, perSecond } from './load.ts';
import { memoryOf } from './processes.ts';
import { processesOf, type Stack } from './stack.ts';

/** BENCH_PAYMENTS: fewer, to see that it works; the figures are those of 20,000, which take about half an hour. */
const PAYMENTS = Number(process.env.BENCH_PAYMENTS) || 20_000;
const ROUNDS = 10;

/** The memory of each process while many pushes are paid, one round after the other. */
export async function memory(stack: Stack): Promise<Figure> {
  // Postgres is many processes that share memory: a sum of theirs would count it several times.
  const processes = (await processesOf(stack)).filter(({ name }) => !name.endsWith('Postgres'));
  const push = () => stack.untilDelivered('payments/ussd', { key: newKey(), body: pushBody() });
  const rows: Figure['rows'] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    if (round > 0) await perSecond(PAYMENTS / ROUNDS, push);
    const all = await Promise.all(processes.map(memoryOf));
    rows.push([`after ${(round * PAYMENTS) / ROUNDS} pushes`, ...all.map(({ now }) => now)]);
  }
  return {
    title: 'MiB of memory',
    columns: ['', ...processes.map(({ name }) => name)],
    rows,
  };
}
