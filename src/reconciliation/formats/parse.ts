import { requireOwn, type Statement, StatementRefused } from '../statement.ts';
import { textOf } from './bytes.ts';
import { readCamt } from './camt.ts';
import { readCsv } from './csv.ts';
import { readFetched } from './fetched.ts';
import type { StatementSettings } from './settings.ts';

/**
 * The statement in the bytes of a file, in the format of its account; a fetched account takes files of its mapping, too.
 * It must be of this account and in its currency where it says so. Throws StatementRefused.
 */
export function parseStatement(settings: StatementSettings, bytes: Uint8Array): Statement {
  const statement = read(textOf(bytes), settings);
  requireOwn(settings, statement);
  return statement;
}

function read(text: string, settings: StatementSettings): Statement {
  const { format, mapping } = settings;
  const start = /[^\s\uFEFF]/.exec(text)?.[0];
  if (format === 'camt' && start === '<') return readCamt(text, settings);
  if ((format === 'gsma' || format === 'airtel') && start === '{') return readFetched(text, settings, format);
  if (mapping !== null && start !== '<' && start !== '{') return readCsv(text, settings);
  throw new StatementRefused(
    mapping === null ? `this is no ${format} statement` : `this is neither a ${format} statement nor CSV`,
  );
}
