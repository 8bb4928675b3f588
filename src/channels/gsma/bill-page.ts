import { GatewayError } from '../../domain/errors.ts';

export type Page = {
  limit: number;
  offset: number;
  includes(time: string): boolean;
};

const LIMIT_DEFAULT = 50;
const LIMIT_MAX = 500;

/** Reads `limit`, `offset`, `fromDateTime` and `toDateTime`. Throws `invalid_json` if one is malformed. */
export function readPage(query: URLSearchParams): Page {
  const from = timeOf(query, 'fromDateTime') ?? Number.NEGATIVE_INFINITY;
  const to = timeOf(query, 'toDateTime') ?? Number.POSITIVE_INFINITY;
  return {
    limit: Math.min(countOf(query, 'limit') ?? LIMIT_DEFAULT, LIMIT_MAX),
    offset: countOf(query, 'offset') ?? 0,
    includes: (time) => Date.parse(time) >= from && Date.parse(time) <= to,
  };
}

export function pageHeaders(counts: { available: number; returned: number }): Record<string, string> {
  return {
    'X-Records-Available-Count': String(counts.available),
    'X-Records-Returned-Count': String(counts.returned),
  };
}

function countOf(query: URLSearchParams, name: string): number | null {
  const text = query.get(name);
  if (text === null) return null;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new GatewayError('invalid_json', `${name} must be a whole number`);
}

function timeOf(query: URLSearchParams, name: string): number | null {
  const text = query.get(name);
  if (text === null) return null;
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text);
  if (isTime && !Number.isNaN(Date.parse(text))) return Date.parse(text);
  throw new GatewayError('invalid_json', `${name} must be a date and time with an offset`);
}
