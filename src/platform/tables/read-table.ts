import { readCsv } from './csv.ts';
import type { Table, TableOptions } from './table.ts';
import { textOfFile } from './text.ts';

/** The rows of a file, which is known by its bytes, never by its name. Throws TableRefused. */
export function readTable(bytes: Uint8Array, options: TableOptions): Table {
  return readCsv(textOfFile(bytes), options);
}
