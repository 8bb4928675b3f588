import { Readable } from 'node:stream';
import { dayOf, localStamp } from '../../domain/day.ts';
import type { Language } from '../../domain/language.ts';
import { Reply } from '../../platform/http/call.ts';
import type { ApiRequest } from './call.ts';
import { oneOf } from './list-query.ts';

/** `format` of calls that answer with JSON or with a file. */
export const formatField = oneOf(['json', 'csv'], {
  description: '`csv` returns all lines as a file, whatever the header `Accept` says',
});

/** `format` wins over `Accept`. */
export const wantsCsv = ({ prefersCsv }: ApiRequest, format: 'json' | 'csv' | undefined): boolean =>
  format === undefined ? prefersCsv : format === 'csv';

/** Times in a file are written in this time zone. */
export const timezoneField = oneOf(['Africa/Dar_es_Salaam', 'UTC'], {
  description: 'Only for a CSV: `UTC` writes times in UTC; otherwise `at` is Dar es Salaam time',
});
export type Timezone = 'Africa/Dar_es_Salaam' | 'UTC' | undefined;

/** Writes the columns `at` and `day`: local time for people, and a day that spreadsheets read as a date. */
export const momentCells = (at: string, timezone: Timezone): string[] => [
  timezone === 'UTC' ? at : localStamp(at),
  dayOf(new Date(at)),
];

/** Streams a CSV with a header row (RFC 4180). */
export function csvReply(
  name: string,
  pieces: Iterable<string> | AsyncIterable<string>,
  language: Language = 'en',
): Reply {
  return new Reply({
    headers: {
      'Content-Type': 'text/csv; charset=utf-8; header=present',
      'Content-Disposition': `attachment; filename="${name}.csv"`,
    },
    body: Readable.from(pieces),
    language,
  });
}
