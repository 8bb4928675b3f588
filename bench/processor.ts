import { mobilePayoutBody, newKey, pushBody } from '../test/support/gateway.ts';
import { type Figure, median, perSecond, rounded, warmUp } from './load.ts';
import { type Process, workedMs } from './processes.ts';
import { processesOf, type Stack } from './stack.ts';

const ROUNDS = 3;
const PAYMENTS = 120;

/** How long a processor works for one payment, in each process. */
export async function processor(stack: Stack): Promise<Figure> {
  const processes = await processesOf(stack);
  const rows: Figure['rows'] = [];
  for (const [name, where, body] of [
    ['push', 'payments/ussd', pushBody()],
    ['payout', 'payouts/mobile', mobilePayoutBody()],
  ] as const) {
    const one = () => stack.untilDelivered(where, { key: newKey(), body });
    rows.push([name, ...(await workedFor(processes, one)).map((ms) => rounded(ms))]);
  }
  return {
    title: `Milliseconds of a processor for one payment (median of ${ROUNDS} rounds of ${PAYMENTS})`,
    columns: ['', ...processes.map(({ name }) => name)],
    rows,
    pictures: [
      {
        title: 'What a payment costs, by process',
        axis: '',
        unit: 'ms of a processor',
        kind: 'stacked',
        places: rows.map(([name = '']) => name),
        series: processes.map(({ name }, at) => ({ name, values: rows.map((row) => Number(row[at + 1])) })),
      },
    ],
  };
}

/** Milliseconds of a processor that each process works for one payment: the median of some rounds, once it is warm. */
export async function workedFor(processes: readonly Process[], one: () => Promise<void>): Promise<number[]> {
  await warmUp(one);
  const took: number[][] = processes.map(() => []);
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = await Promise.all(processes.map(workedMs));
    await perSecond(PAYMENTS, one);
    const after = await Promise.all(processes.map(workedMs));
    for (const [at, all] of took.entries()) all.push(((after[at] ?? 0) - (before[at] ?? 0)) / PAYMENTS);
  }
  return took.map(median);
}
