import { newKey, pushBody } from '../test/support/gateway.ts';
import { startBare } from './bare.ts';
import { type Figure, median, perSecond, ratio, rounded } from './load.ts';
import type { Stack } from './stack.ts';

const ROUNDS = 3;
const PUSHES_PER_ROUND = 60;

/**
 * Completed pushes per second, from the API's door to the delivered callback, beside flows of the same shape with
 * nothing in them. In turns, so that whatever else the machine does falls on both.
 */
export async function completedPushes(stack: Stack): Promise<Figure> {
  const bare = await startBare(stack.local.temporal_address);
  const push = () => stack.untilDelivered('payments/ussd', { key: newKey(), body: pushBody() });
  const rates = { bare: [] as number[], push: [] as number[] };
  try {
    await perSecond(12, bare.run);
    await perSecond(12, push);
    for (let round = 0; round < ROUNDS; round += 1) {
      rates.bare.push(await perSecond(PUSHES_PER_ROUND, bare.run));
      rates.push.push(await perSecond(PUSHES_PER_ROUND, push));
    }
  } finally {
    await bare.stop();
  }
  const [bareRate, pushRate] = [median(rates.bare), median(rates.push)];
  const row = (name: string, all: number[], compared: string) => [
    name,
    rounded(median(all)),
    rounded(Math.min(...all)),
    rounded(Math.max(...all)),
    compared,
  ];
  return {
    title: `Completed per second (${ROUNDS} rounds of ${PUSHES_PER_ROUND}, in turns)`,
    columns: ['', 'median', 'slowest', 'fastest', 'of the bare flow'],
    rows: [
      row('bare flow, no-op steps', rates.bare, ratio(bareRate, bareRate)),
      row('USSD push through the API', rates.push, ratio(pushRate, bareRate)),
    ],
  };
}
