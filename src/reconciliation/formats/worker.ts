import { parentPort, workerData } from 'node:worker_threads';
import { StatementRefused } from '../statement.ts';
import { parseStatement } from './parse.ts';
import type { StatementSettings } from './settings.ts';

/** The thread of read.ts: one statement, then it ends. */
const { settings, bytes } = workerData as { settings: StatementSettings; bytes: Uint8Array };
try {
  parentPort?.postMessage({ statement: parseStatement(settings, bytes) });
} catch (error) {
  if (!(error instanceof StatementRefused)) throw error;
  parentPort?.postMessage({ refused: error.message });
}
