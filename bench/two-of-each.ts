import { newKey, pushBody } from '../test/support/gateway.ts';
import { startParts } from '../test/support/parts.ts';
import { CUSTOMER_MS, createDeliveryWatch, type Figure, median, perSecond, ratio, rounded } from './load.ts';
import { type Process, workedMs } from './processes.ts';

const ROUNDS = 3;
const PUSHES = 150;
const WARM_UP = 300;

type Round = { rate: number; worked: number[] };

/**
 * Completed pushes per second with one API and one worker, and with two of each on the same processors; and what a push
 * costs in all processes of a kind. A second pair joins and leaves between the rounds, so that both arms have the same hour.
 */
export async function twoOfEach(): Promise<Figure> {
  const parts = await startParts({ SIMULATOR_DELAY_MS: String(CUSTOMER_MS), LOG_LEVEL: 'info' });
  const watch = createDeliveryWatch(parts.database);
  const arms: { one: Round[]; two: Round[] } = { one: [], two: [] };
  try {
    const first = { api: parts.firstApi, worker: await parts.startWorker() };
    for (let round = 0; round < ROUNDS; round += 1) {
      const alone = { APIs: [first.api.pid], workers: [first.worker.pid] };
      arms.one.push(await measure([parts.request], { ...alone, Temporal: [parts.temporal.pid()] }));
      const [api, worker] = await Promise.all([parts.startApi(), parts.startWorker()]);
      const both = { APIs: [first.api.pid, api.server.pid], workers: [first.worker.pid, worker.pid] };
      arms.two.push(
        await measure([parts.request, api.request], { ...both, Temporal: [parts.temporal.pid()] }),
      );
      await Promise.all([api.server.stop(30_000), worker.stop(30_000)]);
    }
  } finally {
    await watch.stop();
    await parts.stop();
  }
  const rate = (rounds: Round[]) => median(rounds.map((round) => round.rate));
  const row = (name: string, rounds: Round[]) => [
    name,
    rounded(rate(rounds)),
    ratio(rate(rounds), rate(arms.one)),
    ...[0, 1, 2].map((at) => rounded(median(rounds.map(({ worked }) => worked[at] ?? 0)))),
  ];
  return {
    title: `Completed pushes per second by one API and one worker, and by two of each (${ROUNDS} rounds of ${PUSHES}), and ms of a processor for one push`,
    columns: ['', 'per second', 'of one', 'APIs', 'workers', 'Temporal'],
    rows: [row('one of each', arms.one), row('two of each', arms.two)],
  };

  async function measure(apis: (typeof parts.request)[], pids: Record<string, number[]>): Promise<Round> {
    let turn = 0;
    const one = async () => {
      turn += 1;
      const { json } = await (apis[turn % apis.length] ?? parts.request)('POST', 'payments/ussd', {
        key: newKey(),
        body: pushBody(),
      });
      await watch.delivered(json.transaction_id);
    };
    await perSecond(WARM_UP, one);
    const kinds = Object.entries(pids).map(([name, all]) => all.map((pid): Process => ({ name, pid })));
    const work = () =>
      Promise.all(kinds.map(async (all) => (await Promise.all(all.map(workedMs))).reduce((a, b) => a + b)));
    const before = await work();
    const rate = await perSecond(PUSHES, one);
    const after = await work();
    return { rate, worked: after.map((ms, at) => (ms - (before[at] ?? 0)) / PUSHES) };
  }
}
