import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { refuseFile } from '../statement.ts';

/** Detects a file's format by its bytes, never by its name. */

export const STATEMENT_BYTES_MAX = 64 * 1024 * 1024;
export const STATEMENT_LINES_MAX = 200_000;
export const IN_PARTS = 'download it in parts of fewer days';

/** The hash recognises a repeated file; the file is kept compressed. */
export type Kept = { sha256: Uint8Array; raw: Uint8Array };

export const keptOf = (bytes: Uint8Array): Kept => ({
  sha256: createHash('sha256').update(bytes).digest(),
  raw: gzipSync(bytes),
});

export function refuseMore(lines: number): void {
  if (lines > STATEMENT_LINES_MAX)
    refuseFile(`the statement has more than ${STATEMENT_LINES_MAX} lines`, IN_PARTS);
}
