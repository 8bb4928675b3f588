import type { Queryable } from '../db/pool.ts';
import type { ListQuery, TransactionFilter } from './list.ts';
import { createParameters, isOfKind, isUnfiltered, isWithin, type Parameters } from './list-sql.ts';

/** The widths of the counts in migrations/0003_lists.sql. */
const SLOT_MS = 5 * 60_000;
const DAY_MS = 24 * 60 * 60_000;

const statuses = ['pending', 'completed', 'paid', 'failed', 'cancelled'];

/** A query for the one number `total`, of all time. */
export function totalOf(query: ListQuery, parameters: Parameters): string {
  return `SELECT coalesce(sum(${countOf(query.filter)}), 0)::bigint AS total
    FROM transaction_counts c WHERE ${kindsOf(query, parameters)} AND c.span = 'all'`;
}

/** A query for the groups (transactions.list_group) that have ever had a transaction which the filter wants. */
export function groupsOf(query: ListQuery, parameters: Parameters): string {
  const { status } = query.filter;
  const values = statuses.map((name) => `('${name}', c.${name})`).join(', ');
  return `SELECT DISTINCT concat_ws('/', c.type, c.mode, c.channel, c.bic, s.status) COLLATE "C" AS list_group
    FROM transaction_counts c CROSS JOIN LATERAL (VALUES ${values}) s (status, count)
    WHERE ${kindsOf(query, parameters)} AND c.span = 'all' AND s.count <> 0
    ${status === undefined ? '' : `AND s.status = ${parameters.add(status)}`}`;
}

/** Where a page begins: among what is older than `until`, after `offset - before` more. */
export type Place = { until: string; before: number };

/** How many there are in the filter's range of time, and the place of the one at `offset`; null when there is none. */
export async function locate(
  db: Queryable,
  query: ListQuery,
  offset: number,
): Promise<{ total: number; place: Place | null }> {
  const { total, part } = await seek(db, query, partsOf(query.filter), offset);
  if (part?.span !== 'day') return { total, place: part };
  const slots = [{ span: 'slot' as const, from: part.since, to: part.until }];
  const { part: slot } = await seek(db, query, slots, offset - part.before);
  return { total, place: slot && { until: slot.until, before: part.before + slot.before } };
}

type Span = 'day' | 'slot' | 'rows';
/** A stretch of time that is counted by whole days, by whole slots, or by its rows. */
type Part = { span: Span; from: string; to: string };

async function seek(db: Queryable, query: ListQuery, parts: Part[], offset: number) {
  const parameters = createParameters();
  const counted = parts.map((part) => countsIn(query, part, parameters)).join(' UNION ALL ');
  const { rows } = await db.query(
    `WITH counted AS MATERIALIZED (${counted}), run AS (
       SELECT *, sum(n) OVER (ORDER BY since DESC) AS reached FROM counted WHERE n <> 0)
     SELECT (SELECT coalesce(sum(n), 0)::bigint FROM counted) AS total, at.*
     FROM (VALUES (1)) one LEFT JOIN (
       SELECT span, since, until, (reached - n)::bigint AS before FROM run
       WHERE reached > ${parameters.add(offset)}::bigint ORDER BY since DESC LIMIT 1) at ON true`,
    parameters.values,
  );
  const { total, ...part } = rows[0] ?? {};
  return {
    total: total as number,
    part: part.span ? (part as { span: Span; since: string; until: string; before: number }) : null,
  };
}

/** A query for the (span, since, until, n) of every day or slot in a part, or of the part's rows. */
function countsIn(query: ListQuery, part: Part, parameters: Parameters): string {
  const { span } = part;
  if (span === 'rows') return rowsIn(query, part, parameters);
  const width = `interval '${span === 'day' ? '1 day' : '5 minutes'}'`;
  return `(SELECT '${span}' AS span, c.since, c.since + ${width} AS until, sum(${countOf(query.filter)}) AS n
    FROM transaction_counts c
    WHERE ${kindsOf(query, parameters)} AND c.span = '${span}' AND ${isWithin('c.since', part, parameters)}
    GROUP BY c.since)`;
}

/** Rows are counted only where a range begins or ends inside a slot. */
function rowsIn(query: ListQuery, part: Part, parameters: Parameters): string {
  const account = parameters.add(query.accountId);
  const since = parameters.add(part.from);
  const until = parameters.add(part.to);
  const found = `t.account_id = ${account} AND t.created_at >= ${since}::timestamptz AND t.created_at < ${until}::timestamptz`;
  const count = isUnfiltered(query.filter)
    ? `SELECT count(*) FROM transactions t WHERE ${found}`
    : `SELECT coalesce(sum(n), 0) FROM (${groupsOf(query, parameters)}) g CROSS JOIN LATERAL (
         SELECT count(*) AS n FROM transactions t WHERE ${found} AND t.list_group = g.list_group) counted`;
  return `(SELECT 'rows' AS span, ${since}::timestamptz AS since, ${until}::timestamptz AS until, (${count})::numeric AS n)`;
}

function kindsOf({ accountId, filter }: ListQuery, parameters: Parameters): string {
  const account = `c.account_id = ${parameters.add(accountId)}`;
  const kind = isOfKind('c', filter, parameters);
  return kind ? `${account} AND ${kind}` : account;
}

/** The column of a status, or all of them. */
function countOf({ status }: TransactionFilter): string {
  if (status === undefined) return statuses.map((name) => `c.${name}`).join(' + ');
  const known = statuses.find((name) => name === status);
  return known ? `c.${known}` : '0';
}

/** A range of time, newest first: whole days between whole slots between the rest of a slot at either end. */
function partsOf({ from, to }: TransactionFilter): Part[] {
  const start = from === undefined ? -Infinity : roundedUp(from);
  const end = to === undefined ? Infinity : roundedDown(Date.parse(to), SLOT_MS);
  if (from !== undefined && to !== undefined && start >= end) return [{ span: 'rows', from, to }];
  const firstDay = -roundedDown(-start, DAY_MS);
  const lastDay = roundedDown(end, DAY_MS);
  const whole: [Span, number, number][] =
    firstDay > lastDay
      ? [['slot', start, end]]
      : [
          ['slot', lastDay, end],
          ['day', firstDay, lastDay],
          ['slot', start, firstDay],
        ];
  const parts = whole
    .filter(([, since, until]) => since < until)
    .map(([span, since, until]) => ({ span, from: isoOf(since), to: isoOf(until) }));
  if (to !== undefined && !isWhole(to)) parts.unshift({ span: 'rows', from: isoOf(end), to });
  if (from !== undefined && !isWhole(from)) parts.push({ span: 'rows', from, to: isoOf(start) });
  return parts;
}

const roundedDown = (ms: number, width: number) =>
  Number.isFinite(ms) ? Math.floor(ms / width) * width : ms;

const roundedUp = (time: string) =>
  isWhole(time) ? Date.parse(time) : roundedDown(Date.parse(time), SLOT_MS) + SLOT_MS;

/** Whether a time begins a slot; it has microseconds, which Date.parse drops. */
function isWhole(time: string): boolean {
  return Date.parse(time) % SLOT_MS === 0 && !/\.\d{3}\d*[1-9]/.test(time);
}

function isoOf(ms: number): string {
  if (!Number.isFinite(ms)) return ms < 0 ? '-infinity' : 'infinity';
  return new Date(ms).toISOString();
}
