import { readSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { StatementRefused } from '../statement.ts';
import { keptOf } from './bytes.ts';
import { parseStatement } from './parse.ts';
import type { StatementSettings, StatementSource } from './settings.ts';

const { settings, source } = workerData as { settings: StatementSettings; source: StatementSource };
try {
  const bytes = bytesOf(source);
  parentPort?.postMessage({ statement: parseStatement(settings, bytes), ...keptOf(bytes) });
} catch (error) {
  if (!(error instanceof StatementRefused)) throw error;
  parentPort?.postMessage({ refused: error.shown, count: error.count });
}

function bytesOf(source: StatementSource): Uint8Array {
  if (source instanceof Uint8Array) return source;
  const { fd, from, byteLength } = source;
  const bytes = Buffer.alloc(byteLength);
  if (readSync(fd, bytes, 0, byteLength, from) < byteLength)
    throw new Error('a file that was sent is shorter than it was');
  return bytes;
}
