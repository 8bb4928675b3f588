/** The processor time and memory of a stack's processes. Linux only: it reads `/proc`. */
import { readdir, readFile } from 'node:fs/promises';

/** Of /proc, on every Linux that Node runs on. */
const TICK_MS = 10;

export type Process = { name: string; pid: number };

/** Milliseconds of a processor that a process and those that it started have used, those that ended included. */
export async function workedMs({ pid }: Process): Promise<number> {
  const own = await readStat(pid);
  if (own === null) throw new Error(`there is no process ${pid}`);
  let ticks = own.ticks + own.endedChildren;
  for (const name of await readdir('/proc')) {
    const stat = /^\d+$/.test(name) ? await readStat(Number(name)) : null;
    if (stat?.parent === pid) ticks += stat.ticks + stat.endedChildren;
  }
  return ticks * TICK_MS;
}

/** Memory that a process has now, and the most that it ever had, in MiB. */
export async function memoryOf({ pid }: { pid: number }): Promise<{ now: number; peak: number }> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const mebibytes = (field: string) =>
    Math.round(Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1_024);
  return { now: mebibytes('VmRSS'), peak: mebibytes('VmHWM') };
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
