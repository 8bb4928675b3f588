import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';

/** A thread gave no answer, because its input needs too much time or memory. */
export class BesideRefused extends Error {
  readonly why: 'time' | 'memory';
  constructor(why: 'time' | 'memory') {
    super(`a thread needed too much ${why}`);
    this.why = why;
  }
}

/** More threads would take cores from the event loop. */
const THREADS_MAX = 2;
let threads = 0;
const waiting: (() => void)[] = [];

/**
 * Runs a module in a thread, to keep the event loop free, and returns its message; two threads run at a time.
 * `file` is the module without extension, relative to `from`. Rejects with BesideRefused beyond its time or
 * memory, else with the thread's error.
 */
export async function beside<T>(...asked: Parameters<typeof inThread>): Promise<T> {
  if (threads === THREADS_MAX) await new Promise<void>((resolve) => waiting.push(resolve));
  else threads += 1;
  try {
    return await inThread<T>(...asked);
  } finally {
    const next = waiting.shift();
    if (next) next();
    else threads -= 1;
  }
}

function inThread<T>(
  { file, from }: { file: string; from: string },
  workerData: object,
  { memoryMibMax, msMax }: { memoryMibMax: number; msMax: number },
): Promise<T> {
  const source = sourceOf(file, from);
  return new Promise((resolve, reject) => {
    const thread = new Worker(source, {
      eval: typeof source === 'string',
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: memoryMibMax },
    });
    const timer = setTimeout(() => {
      reject(new BesideRefused('time'));
      void thread.terminate();
    }, msMax);
    thread.once('message', resolve);
    thread.once('error', (error: Error & { code?: string }) => {
      reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new BesideRefused('memory') : error);
    });
    thread.once('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`the thread of ${file} ended with ${code}`));
    });
  });
}

/** A build has the thread as a file. Source needs tsx first, which threads do not inherit. */
function sourceOf(file: string, from: string): string | URL {
  if (!from.endsWith('.ts')) return new URL(`${file}.js`, from);
  const tsx = JSON.stringify(createRequire(from).resolve('tsx/cjs/api'));
  const module = JSON.stringify(fileURLToPath(new URL(`${file}.ts`, from)));
  return `require(${tsx}).register(); require(${module});`;
}
