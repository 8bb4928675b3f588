import { readCsv } from './csv.ts';
import type { Table, TableOptions } from './table.ts';
import { textOfFile } from './text.ts';
import { readXlsx } from './xlsx.ts';
import { isZip } from './zip.ts';

/** The bytes, not the name, decide a file's form. Throws TableRefused. */
export function readTable(bytes: Uint8Array, options: TableOptions): Table {
  return isZip(bytes) ? readXlsx(bytes, options) : readCsv(textOfFile(bytes), options);
}
