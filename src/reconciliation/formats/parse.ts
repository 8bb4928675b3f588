import { inEnglish } from '../../domain/messages.ts';
import { readTable } from '../../platform/tables/read-table.ts';
import { HEAD_ROWS_MAX, TableRefused } from '../../platform/tables/table.ts';
import { textOfFile } from '../../platform/tables/text.ts';
import { requireOwn, type Statement, StatementRefused } from '../statement.ts';
import { STATEMENT_LINES_MAX } from './bytes.ts';
import { readCamt } from './camt.ts';
import { readFetched } from './fetched.ts';
import { countNamed, layoutOf, readRows } from './rows.ts';
import type { StatementSettings } from './settings.ts';

/** Above the header, and what only adds up below the lines. */
const OTHER_ROWS_MAX = 2 * HEAD_ROWS_MAX;

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
  const text = textOfFile(bytes);
  const start = /[^\s]/.exec(text)?.[0];
  if (format === 'camt' && start === '<') return readCamt(text, settings);
  if ((format === 'gsma' || format === 'airtel') && start === '{') return readFetched(text, settings, format);
  if (mapping === null || start === '<' || start === '{')
    throw new StatementRefused(
      mapping === null ? `this is no ${format} statement` : `this is neither a ${format} statement nor CSV`,
    );
  const known = countNamed(layoutOf(settings));
  return readRows(readTable(bytes, { known, rowsMax: STATEMENT_LINES_MAX + OTHER_ROWS_MAX }), settings);
}
