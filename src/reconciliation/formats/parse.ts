import { xmlText } from '../../channels/kit/xml.ts';
import { inEnglish } from '../../domain/messages.ts';
import { readTable } from '../../platform/tables/read-table.ts';
import { HEAD_ROWS_MAX, type Table, TableRefused } from '../../platform/tables/table.ts';
import { textOfFile } from '../../platform/tables/text.ts';
import { isZip } from '../../platform/tables/zip.ts';
import { refuseFile, refuseOther, requireOwn, type Statement, StatementRefused } from '../statement.ts';
import { STATEMENT_LINES_MAX } from './bytes.ts';
import { readCamt } from './camt.ts';
import { readFetched } from './fetched.ts';
import { countNamed, readRows, whoseFile } from './rows.ts';
import type { StatementSettings } from './settings.ts';

/** limit of rows above the header and below the lines */
const OTHER_ROWS_MAX = 2 * HEAD_ROWS_MAX;
const UNPACKED_MAX = 64 * 1024 * 1024;

/** Reads a file in the account's format, or in its mapping's layout. Throws StatementRefused. */
export function parseStatement(settings: StatementSettings, bytes: Uint8Array): Statement {
  try {
    const statement = read(bytes, settings);
    requireOwn(settings, statement);
    return statement;
  } catch (error) {
    if (!(error instanceof TableRefused)) throw error;
    throw new StatementRefused(inEnglish(error.say));
  }
}

function read(bytes: Uint8Array, settings: StatementSettings): Statement {
  const { format, mapping } = settings;
  if (mapping !== null && isZip(bytes)) return readRows(tableOf(bytes), settings);
  const start = startOf(bytes);
  if (/^(?::20:|\{1:)/.test(start))
    refuseFile('this is MT940, which is not read', 'ask the bank for camt.053 or CSV');
  if (format === 'camt' && start.startsWith('<')) return readCamt(xmlOf(bytes), settings);
  const text = textOfFile(bytes);
  if ((format === 'gsma' || format === 'airtel') && start.startsWith('{'))
    return readFetched(text, settings, format);
  const takes =
    mapping === null ? `whose statements are ${format}` : `whose files are of the layout ${mapping}`;
  if (start.startsWith('<') || start.startsWith('{')) {
    const what = text.slice(0, 2_000).includes(':camt.05') ? "a bank's XML" : 'neither a statement nor CSV';
    refuseOther(what, settings, takes);
  }
  const table = tableOf(bytes);
  if (mapping !== null) return readRows(table, settings);
  return refuseOther(whoseFile(table.rows) ?? `no ${format} statement`, settings, takes);
}

function tableOf(bytes: Uint8Array): Table {
  const rowsMax = STATEMENT_LINES_MAX + OTHER_ROWS_MAX;
  return readTable(bytes, { known: countNamed(), rowsMax, unpackedMax: UNPACKED_MAX });
}

function startOf(bytes: Uint8Array): string {
  const letters = Buffer.from(bytes.subarray(0, 200)).toString('latin1');
  return letters.replace(/\0|^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)/g, '').trimStart();
}

function xmlOf(bytes: Uint8Array): string {
  try {
    return xmlText(bytes);
  } catch {
    return refuseFile('it is not in the letters that it declares');
  }
}
