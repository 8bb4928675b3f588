import { newKey, pushBody } from '../test/support/gateway.ts';
import { seedTransactions } from '../test/support/many-transactions.ts';
import { type Figure, ratio, rounded } from './load.ts';
import { workedFor } from './processor.ts';
import { merchantOf, openMerchants, processesOf, type Stack, vacuum } from './stack.ts';

/** BENCH_STORED: fewer, to see that it works; the figures are those of two million. */
const STORED = Number(process.env.BENCH_STORED) || 2_000_000;

/** The cost of a push where two million transactions of the merchant are stored, beside a new gateway. */
export async function stored(stack: Stack): Promise<Figure> {
  const [apiKey = ''] = await openMerchants(stack, { count: 1, balance: 1 });
  const processes = await processesOf(stack);
  const push = () => stack.untilDelivered('payments/ussd', { key: newKey(), body: pushBody(), apiKey });
  // A process that has just begun compiles what it runs often.
  await workedFor(processes, push);
  const before = await workedFor(processes, push);
  await seedTransactions(stack.database, await merchantOf(stack, apiKey), STORED);
  await vacuum(stack);
  const after = await workedFor(processes, push);
  const row = (name: string, all: number[]) => [name, ...all.map((ms) => rounded(ms)), rounded(sum(all))];
  return {
    title: `Milliseconds of a processor for one push, with ${STORED.toLocaleString('en')} transactions stored`,
    columns: ['', ...processes.map(({ name }) => name), 'together'],
    rows: [
      row('none', before),
      row('stored', after),
      [
        'of none',
        ...after.map((ms, at) => ratio(ms, before[at] ?? Number.NaN)),
        ratio(sum(after), sum(before)),
      ],
    ],
  };
}

const sum = (all: readonly number[]) => all.reduce((total, one) => total + one, 0);
