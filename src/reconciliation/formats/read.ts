import { BesideRefused, beside } from '../../platform/process/beside.ts';
import { refuseFile, type Statement, StatementRefused } from '../statement.ts';
import { IN_PARTS, type Kept, STATEMENT_BYTES_MAX } from './bytes.ts';
import type { StatementSettings, StatementSource } from './settings.ts';

export type { StatementSettings } from './settings.ts';

const MEMORY_MIB_MAX = 1_024;
const READING_MS_MAX = 120_000;

export type ReadFile = Kept & { statement: Statement };

/** Reads in a thread, so payments do not wait. Rejects with StatementRefused, which names each wrong line. */
export async function readStatement(settings: StatementSettings, source: StatementSource): Promise<ReadFile> {
  if (source.byteLength > STATEMENT_BYTES_MAX)
    refuseFile(`the file has more than ${STATEMENT_BYTES_MAX / 1024 / 1024} MiB`, IN_PARTS);
  const { proves, format, mapping, currency, theirs } = settings;
  try {
    const answer = await beside<ReadFile | { refused: string[]; count: number }>(
      { file: './worker', from: import.meta.url },
      { settings: { proves, format, mapping, currency, theirs }, source },
      { memoryMibMax: MEMORY_MIB_MAX, msMax: READING_MS_MAX },
    );
    if ('statement' in answer) return answer;
    throw new StatementRefused(answer.refused, answer.count);
  } catch (error) {
    if (!(error instanceof BesideRefused)) throw error;
    return refuseFile(
      error.why === 'memory' ? 'the file needs too much memory' : 'the file takes too long to read',
      IN_PARTS,
    );
  }
}
