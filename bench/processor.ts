import { readdir, readFile } from 'node:fs/promises';
import { mobilePayoutBody, newKey, pushBody } from '../test/support/gateway.ts';
import { type Figure, median, perSecond, rounded } from './load.ts';
import type { Stack } from './stack.ts';

const ROUNDS = 3;
const PAYMENTS = 120;
/** Of /proc, on every Linux that Node runs on. */
const TICK_MS = 10;
const parts = ['API', 'worker', 'simulator', 'Temporal'] as const;

/** How long a processor works for one payment, in each process. Linux only: it reads `/proc`. */
export async function processor(stack: Stack): Promise<Figure> {
  const kinds = [
    { name: 'push', path: 'payments/ussd', body: pushBody() },
    { name: 'payout', path: 'payouts/mobile', body: mobilePayoutBody() },
  ];
  const pids: [string, number][] = [['Postgres', stack.postgres.pid]];
  // Another Temporal than ours is measured by whoever runs it.
  for (const part of parts) {
    const pid = await stack.pidOf(part).catch(() => null);
    if (pid !== null) pids.push([part, pid]);
  }
  const rows: Figure['rows'] = [];
  for (const { name, path, body } of kinds) {
    const one = () => stack.untilDelivered(path, { key: newKey(), body });
    await perSecond(PAYMENTS, one);
    const took: number[][] = pids.map(() => []);
    for (let round = 0; round < ROUNDS; round += 1) {
      const before = await Promise.all(pids.map(([, pid]) => workedMs(pid)));
      await perSecond(PAYMENTS, one);
      const after = await Promise.all(pids.map(([, pid]) => workedMs(pid)));
      for (const [at, all] of took.entries()) all.push(((after[at] ?? 0) - (before[at] ?? 0)) / PAYMENTS);
    }
    rows.push([name, ...took.map((all) => rounded(median(all)))]);
  }
  return {
    title: `Milliseconds of a processor for one payment (median of ${ROUNDS} rounds of ${PAYMENTS})`,
    columns: ['', ...pids.map(([name]) => name)],
    rows,
  };
}

/** What a process and those that it started have used, those that ended included. */
async function workedMs(pid: number): Promise<number> {
  const own = await readStat(pid);
  if (own === null) throw new Error(`there is no process ${pid}`);
  let ticks = own.ticks + own.endedChildren;
  for (const name of await readdir('/proc')) {
    const stat = /^\d+$/.test(name) ? await readStat(Number(name)) : null;
    if (stat?.parent === pid) ticks += stat.ticks + stat.endedChildren;
  }
  return ticks * TICK_MS;
}

async function readStat(pid: number) {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  if (text === null) return null;
  // The name before the bracket may hold anything.
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [parent = 0, user = 0, system = 0, endedUser = 0, endedSystem = 0] = [1, 11, 12, 13, 14].map(
    (at) => fields[at],
  );
  return { parent, ticks: user + system, endedChildren: endedUser + endedSystem };
}
