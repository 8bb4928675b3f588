import { newKey, pushBody } from '../test/support/gateway.ts';
import { startBare } from './bare.ts';
import {
  type Figure,
  median,
  ownShare,
  percentile,
  perSecond,
  ratio,
  rounded,
  timed,
  warmUp,
} from './load.ts';
import type { Stack } from './stack.ts';

const ROUNDS = 5;
const PAYMENTS_PER_ROUND = 100;

type Arm = { name: string; run: () => Promise<void>; rates: number[] };

/**
 * Completed pushes per second, from the API's door to the delivered callback, beside flows of the same shape with
 * nothing in them. Each is warm before it counts; then they run in turns, so that whatever else the machine does falls
 * on all of them.
 */
export async function completedPushes(stack: Stack): Promise<Figure> {
  const bare = await startBare(stack);
  const createdMs: number[] = [];
  const push: Arm = {
    name: 'USSD push through the API',
    rates: [],
    async run() {
      let id = '';
      const ms = await timed(async () => {
        id = await stack.created('payments/ussd', { key: newKey(), body: pushBody() });
      });
      createdMs.push(ms);
      await stack.watch.delivered(id);
    },
  };
  const arms: Arm[] = [
    { name: 'bare flow of 17 events', rates: [], run: () => bare.run(17) },
    { name: 'bare flow of 28 events, as a push was once', rates: [], run: () => bare.run(28) },
    push,
  ];
  let load = 0;
  const warm: string[] = [];
  try {
    for (const { name, run } of arms) {
      const { payments, isFlat } = await warmUp(run);
      warm.push(`${name}: ${isFlat ? 'flat' : 'NOT FLAT'} after ${payments}`);
    }
    createdMs.length = 0;
    for (let round = 0; round < ROUNDS; round += 1)
      for (const arm of arms) {
        const share = await ownShare(async () => {
          arm.rates.push(await perSecond(PAYMENTS_PER_ROUND, arm.run));
        });
        if (arm === push) load += share / ROUNDS;
      }
  } finally {
    await bare.stop();
  }
  return figureOf(arms, { warm, load, createdMs });
}

function figureOf(
  arms: readonly Arm[],
  { warm, load, createdMs }: { warm: string[]; load: number; createdMs: number[] },
): Figure {
  const [first = 1] = arms.map(({ rates }) => median(rates));
  return {
    title: [
      `Completed per second (${ROUNDS} rounds of ${PAYMENTS_PER_ROUND}, in turns)`,
      `creation p50 ${rounded(median(createdMs))} ms, p99 ${rounded(percentile(createdMs, 0.99))} ms`,
      `the load itself takes ${rounded(100 * load)} % of the processors`,
      ...warm,
    ].join('; '),
    columns: ['', 'median', 'slowest', 'fastest', 'of 17 bare events'],
    rows: arms.map(({ name, rates }) => [
      name,
      rounded(median(rates)),
      rounded(Math.min(...rates)),
      rounded(Math.max(...rates)),
      ratio(median(rates), first),
    ]),
    pictures: [
      {
        title: 'Completed per second',
        axis: 'round',
        unit: 'per second',
        kind: 'lines',
        places: Array.from({ length: ROUNDS }, (_, round) => round + 1),
        series: arms.map(({ name, rates }) => ({ name, values: rates })),
      },
    ],
  };
}
