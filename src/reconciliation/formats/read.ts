import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { type Statement, StatementRefused } from '../statement.ts';
import { STATEMENT_BYTES_MAX } from './bytes.ts';
import type { StatementSettings } from './settings.ts';

export type { StatementSettings } from './settings.ts';

const MEMORY_MIB_MAX = 1_024;
const READING_MS_MAX = 120_000;

/** Compiled, the thread is a file beside this one. From sources it first needs tsx, which does not follow into threads. */
const THREAD = import.meta.url.endsWith('.ts')
  ? `require(${JSON.stringify(createRequire(import.meta.url).resolve('tsx/cjs/api'))}).register();
     require(${JSON.stringify(fileURLToPath(new URL('./worker.ts', import.meta.url)))});`
  : new URL('./worker.js', import.meta.url);

/**
 * Reads a statement in a thread of its own: payments do not wait for it. Rejects with StatementRefused, whose sentence
 * names the line, when there is anything in it that cannot be read for certain.
 */
export function readStatement(settings: StatementSettings, bytes: Uint8Array): Promise<Statement> {
  if (bytes.length > STATEMENT_BYTES_MAX)
    return Promise.reject(
      new StatementRefused(`the file has more than ${STATEMENT_BYTES_MAX / 1024 / 1024} MiB`),
    );
  const { format, mapping, currency, theirs } = settings;
  return new Promise((resolve, reject) => {
    const thread = new Worker(THREAD, {
      eval: typeof THREAD === 'string',
      workerData: { settings: { format, mapping, currency, theirs }, bytes: new Uint8Array(bytes) },
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MIB_MAX },
    });
    const timer = setTimeout(() => {
      reject(new StatementRefused('the file takes too long to read'));
      void thread.terminate();
    }, READING_MS_MAX);
    thread.once('message', (answer: { statement: Statement } | { refused: string }) => {
      if ('statement' in answer) resolve(answer.statement);
      else reject(new StatementRefused(answer.refused));
    });
    thread.once('error', (error: Error & { code?: string }) => {
      reject(
        error.code === 'ERR_WORKER_OUT_OF_MEMORY'
          ? new StatementRefused('the file needs too much memory')
          : error,
      );
    });
    thread.once('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`the thread that read a statement ended with ${code}`));
    });
  });
}
