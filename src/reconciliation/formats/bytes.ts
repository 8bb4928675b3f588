import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { StatementRefused } from '../statement.ts';

/** The bytes of a file as it was downloaded: what they are is told by themselves, never by a name. */

export const STATEMENT_BYTES_MAX = 64 * 1024 * 1024;
export const STATEMENT_LINES_MAX = 200_000;

/** What is kept of a file: by what the same one is known again, and itself, compressed. */
export type Kept = { sha256: Uint8Array; raw: Uint8Array };

export const keptOf = (bytes: Uint8Array): Kept => ({
  sha256: createHash('sha256').update(bytes).digest(),
  raw: gzipSync(bytes),
});

const SAVE_AS_CSV =
  'open it in a spreadsheet, choose File, Save As, "CSV UTF-8 (Comma delimited)" (set columns of numbers and times to Text before that) and import that file';

const others: [bytes: number[], why: string][] = [
  [[0xd0, 0xcf, 0x11, 0xe0], `this is an .xls workbook: ${SAVE_AS_CSV}`],
  [[0x50, 0x4b], `this is an .xlsx workbook or another zip: ${SAVE_AS_CSV}`],
  [[0x1f, 0x8b], 'this is a compressed file: unpack it first'],
  [[0x25, 0x50, 0x44, 0x46], 'this is a PDF: download the statement as CSV'],
  [[0xff, 0xfe], 'this is UTF-16: save it as UTF-8'],
  [[0xfe, 0xff], 'this is UTF-16: save it as UTF-8'],
];

/** The text of a statement: UTF-8 (with or without a mark), else Windows' western letters. Throws StatementRefused. */
export function textOf(bytes: Uint8Array): string {
  if (bytes.length === 0) throw new StatementRefused('the file is empty');
  if (bytes.length > STATEMENT_BYTES_MAX)
    throw new StatementRefused(`the file has more than ${STATEMENT_BYTES_MAX / 1024 / 1024} MiB`);
  for (const [start, why] of others)
    if (start.every((byte, index) => bytes[index] === byte)) throw new StatementRefused(why);
  if (bytes.includes(0)) throw new StatementRefused('the file is no text: it has a zero byte');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

/** Throws StatementRefused where there are too many lines to read at once. */
export function refuseMore(lines: number): void {
  if (lines > STATEMENT_LINES_MAX)
    throw new StatementRefused(`the statement has more than ${STATEMENT_LINES_MAX} lines`);
}
