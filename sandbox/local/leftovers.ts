import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { z } from 'zod';
import { readJson, writePrivateJson } from './private-file.ts';

/** `born` distinguishes a process from a later one with the same id. */
const processSchema = z.object({ pid: z.number().int().positive(), born: z.string() });
const runSchema = z.object({ supervisor: processSchema, children: z.record(z.string(), processSchema) });
type ProcessMark = z.infer<typeof processSchema>;

const PATIENCE_MS = 8_000;

type RunRecord = { note(name: string, pid: number): Promise<void> };

/**
 * Takes over a data folder: stops processes that a killed start left, and records this run's processes.
 * Throws one sentence if another `npm start` uses the folder.
 */
export async function takeOver(dataFolder: string): Promise<RunRecord> {
  const file = path.join(dataFolder, 'run.json');
  const previous = runSchema.safeParse(await readJson(file));
  if (previous.success) {
    const { supervisor, children } = previous.data;
    if (supervisor.pid !== process.pid && (await isAlive(supervisor))) {
      throw new Error(
        `Malipo already runs in ${dataFolder} (process ${supervisor.pid}): stop it first, or set DATA_DIR.`,
      );
    }
    await Promise.all(Object.entries(children).map(([name, child]) => stopLeftover(name, child)));
  }
  const run = { supervisor: await markOf(process.pid), children: {} as Record<string, ProcessMark> };
  let lastWrite = writePrivateJson(file, run);
  await lastWrite;
  return {
    async note(name, pid) {
      run.children[name] = await markOf(pid);
      lastWrite = lastWrite.then(() => writePrivateJson(file, run));
      await lastWrite;
    },
  };
}

async function stopLeftover(name: string, child: ProcessMark): Promise<void> {
  // SIGINT makes Postgres end its sessions; SIGTERM would wait for them.
  const politely = name === 'Postgres' ? 'SIGINT' : 'SIGTERM';
  for (const signal of [politely, 'SIGKILL'] as const) {
    if (!(await isAlive(child))) return;
    signalProcess(child.pid, signal);
    const deadline = performance.now() + PATIENCE_MS;
    while (performance.now() < deadline && (await isAlive(child))) await pause(50);
  }
}

function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // it ended by itself
  }
}

async function isAlive(mark: ProcessMark): Promise<boolean> {
  return (await bornAt(mark.pid)) === mark.born;
}

async function markOf(pid: number): Promise<ProcessMark> {
  return { pid, born: (await bornAt(pid)) ?? 'gone' };
}

/** Returns when a process began, in the system's format; undefined if there is none, or only a zombie. */
async function bornAt(pid: number): Promise<string | undefined> {
  if (process.platform !== 'linux') {
    const ps = await promisify(execFile)('ps', ['-o', 'lstart=', '-p', String(pid)]).catch(() => undefined);
    return ps?.stdout.trim() || undefined;
  }
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // After the name in parentheses, state is the 1st field, start time the 20th.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z') return undefined;
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}/${fields[19]}`;
  } catch {
    return undefined;
  }
}
