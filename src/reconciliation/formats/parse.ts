import { inEnglish } from '../../domain/messages.ts';
import { readTable } from '../../platform/tables/read-table.ts';
import { HEAD_ROWS_MAX, type Table, TableRefused } from '../../platform/tables/table.ts';
import { textOfFile } from '../../platform/tables/text.ts';
import { isZip } from '../../platform/tables/zip.ts';
import { requireOwn, type Statement, StatementRefused } from '../statement.ts';
import { STATEMENT_LINES_MAX } from './bytes.ts';
import { readCamt } from './camt.ts';
import { readFetched } from './fetched.ts';
import { countNamed, layoutOf, readRows } from './rows.ts';
import type { StatementSettings } from './settings.ts';

/** Above the header, and what only adds up below the lines. */
const OTHER_ROWS_MAX = 2 * HEAD_ROWS_MAX;
const UNPACKED_MAX = 64 * 1024 * 1024;

/**
 * The statement in the bytes of a file, in the format of its account; a fetched account takes files of its mapping, too.
 * It must be of this account and in its currency where it says so. Throws StatementRefused.
 */
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
  if (mapping !== null && isZip(bytes)) return readRows(tableOf(bytes, settings), settings);
  const text = textOfFile(bytes);
  const start = /[^\s]/.exec(text)?.[0];
  if (format === 'camt' && start === '<') return readCamt(text, settings);
  if ((format === 'gsma' || format === 'airtel') && start === '{') return readFetched(text, settings, format);
  if (mapping === null || start === '<' || start === '{')
    throw new StatementRefused(
      mapping === null ? `this is no ${format} statement` : `this is neither a ${format} statement nor CSV`,
    );
  return readRows(tableOf(bytes, settings), settings);
}

function tableOf(bytes: Uint8Array, settings: StatementSettings): Table {
  const known = countNamed(layoutOf(settings));
  const rowsMax = STATEMENT_LINES_MAX + OTHER_ROWS_MAX;
  return readTable(bytes, { known, rowsMax, unpackedMax: UNPACKED_MAX });
}
