import { readOnce } from '../../base/read-once.ts';
import { DAY_MS, dayOf, startOfDay } from '../../domain/day.ts';
import { CURRENCY } from '../../domain/money.ts';
import type { Database, Queryable, RowOf } from '../../platform/db/pool.ts';
import { closingsOf } from '../../reconciliation/days.ts';
import { floatOf } from '../../reconciliation/float.ts';
import { groupsOf, type StatementAccounts } from '../../reconciliation/groups.ts';
import type { Figure } from './figure.ts';

const FRESH_MS = 60_000;
const QUARTER_MS = 900_000;
const QUARTERS = 96;
const MERCHANTS_KEPT = 1_000;
const FLOAT_DAYS = 7;
const BALANCE_DAYS = 30;
const AGES = ['less than a day', '1 day', '2 to 6 days', '7 to 29 days', '30 days or more'];

export type FigureReads = ReturnType<typeof createFigureReads>;

/** Each figure is read at most once in `freshMs`, for all viewers. */
export function createFigureReads(deps: {
  database: Database;
  accounts: StatementAccounts;
  freshMs?: number;
}) {
  const { database, accounts, freshMs = FRESH_MS } = deps;
  const once = <T>(read: () => Promise<T>) => readOnce(read, { freshMs });
  const pushes = once(() => readPushes(database, new Date(Date.now() - QUARTERS * QUARTER_MS)));
  const pastDay = keptDay(database);
  const merchants = new Map<string, () => ReturnType<typeof merchantOf>>();
  return {
    today: once(async () => todayOf(database, { pushes: await pushes(), pastDay })),
    networks: async () => networksOf(await pushes()),
    float: once(() => floatFigure(database, accounts)),
    suspense: once(() => suspenseOf(database)),
    merchant(id: string) {
      const read = merchants.get(id) ?? once(() => merchantOf(database, id));
      if (merchants.size >= MERCHANTS_KEPT) merchants.clear();
      merchants.set(id, read);
      return read();
    },
  };
}

const PUSHES = `SELECT channel, date_bin('15 minutes', created_at, $1::timestamptz) AS at,
    status = 'completed' AS "isDone", coalesce(failure_code, '') AS code, count(*) AS count
  FROM transactions
  WHERE mode = 'ussd' AND created_at >= $1 AND created_at < $1::timestamptz + interval '1 day'
    AND status IN ('completed', 'failed')
  GROUP BY 1, 2, 3, 4 /* never null: at, isDone, code, count */`;
type Pushes = { from: Date; rows: RowOf<typeof PUSHES>[] };

async function readPushes(db: Queryable, from: Date): Promise<Pushes> {
  return { from, rows: (await db.query(PUSHES, [from.toISOString()])).rows };
}

const sum = (list: readonly { count: number }[]) => list.reduce((total, { count }) => total + count, 0);

/** Returns percent, to one decimal; null if no payment has ended. */
function rateOf(list: readonly { isDone: boolean; count: number }[]): number | null {
  const all = sum(list);
  return all === 0 ? null : Math.round((sum(list.filter(({ isDone }) => isDone)) / all) * 1_000) / 10;
}

type Hours = Awaited<ReturnType<typeof valueByHour>>;

/** Entries are never written into a past day, so its values are read once. */
function keptDay(db: Queryable): (from: number) => Promise<Hours> {
  let kept: { from: number; hours: Hours } | undefined;
  return async (from) => {
    if (kept?.from !== from) kept = { from, hours: await valueByHour(db, from) };
    return kept.hours;
  };
}

async function todayOf(
  db: Queryable,
  { pushes, pastDay }: { pushes: Pushes; pastDay: (from: number) => Promise<Hours> },
): Promise<Figure> {
  const today = Date.parse(startOfDay(new Date()));
  const [now, before] = [await valueByHour(db, today), await pastDay(today - 7 * DAY_MS)];
  const hours = Array.from({ length: 24 }, (_, hour) => hour);
  const series = (['collection', 'payout'] as const).flatMap((kind) =>
    [now, before].map((rows, week) => ({
      panel: kind === 'collection' ? 'Collected' : 'Paid out',
      name: week === 0 ? 'today' : 'the same weekday before',
      values: hours.map((hour) => rows.find((one) => one.kind === kind && one.hour === hour)?.value ?? 0),
    })),
  );
  const numbers = series.map(({ panel, name, values }) => ({
    name: `${panel}, ${name}`,
    value: values.reduce((total, value) => total + value, 0),
    unit: 'minor' as const,
  }));
  const rate = {
    name: 'Pushes that succeeded in 24 hours',
    value: rateOf(pushes.rows),
    unit: 'percent' as const,
  };
  const at = hours.map((hour) => `${String(hour).padStart(2, '0')}:00`);
  return { unit: 'minor', at, series, numbers: [...numbers, rate] };
}

/**
 * Both tables are read by their time alone: to look up the entries of each transfer takes six times as long.
 */
async function valueByHour(db: Queryable, from: number) {
  const { rows } = await db.query(
    `WITH moved AS MATERIALIZED (SELECT id, kind, created_at FROM transfers
       WHERE created_at >= $1 AND created_at < $1::timestamptz + interval '1 day'
         AND kind IN ('collection', 'payout'))
     SELECT m.kind, extract(hour FROM m.created_at AT TIME ZONE 'Africa/Dar_es_Salaam')::int AS hour,
     sum(abs(e.amount))::bigint AS value
     FROM moved m JOIN entries e ON e.transfer_id = m.id
     JOIN ledger_accounts l ON l.id = e.ledger_account_id AND l.kind = 'clearing'
     WHERE e.at >= $1 AND e.at < $1::timestamptz + interval '25 hours'
     GROUP BY 1, 2 /* never null: hour, value */`,
    [new Date(from).toISOString()],
  );
  return rows;
}

function networksOf({ from, rows }: Pushes): Figure {
  const channels = [...new Set(rows.map(({ channel }) => channel))].sort();
  const starts = Array.from({ length: QUARTERS }, (_, at) => from.getTime() + at * QUARTER_MS);
  const series = channels.map((channel) => {
    const own = rows.filter((one) => one.channel === channel);
    const values = starts.map((start) => rateOf(own.filter(({ at }) => Date.parse(at) === start)));
    return { panel: channel, name: 'succeeded', values };
  });
  const failed = new Map<string, number>();
  for (const { channel, code, count, isDone } of rows) {
    const name = `${channel}: ${code}`;
    if (!isDone) failed.set(name, (failed.get(name) ?? 0) + count);
  }
  const numbers = [...failed]
    .map(([name, value]) => ({ name, value, unit: 'count' as const }))
    .sort((a, b) => b.value - a.value);
  return { unit: 'percent', at: starts.map((start) => new Date(start).toISOString()), series, numbers };
}

/** Past days are as statements say; today is the last closing and what moved since. */
async function floatFigure(db: Queryable, accounts: StatementAccounts): Promise<Figure> {
  const days = Array.from({ length: 2 * FLOAT_DAYS }, (_, at) =>
    dayOf(new Date(Date.now() + (at - FLOAT_DAYS + 1) * DAY_MS)),
  );
  const [from = '', today = ''] = [days[0], days[FLOAT_DAYS - 1]];
  const series: Figure['series'] = [];
  for (const group of groupsOf(accounts)) {
    const [float] = await floatOf(db, group);
    if (!float || float.left === null) continue;
    const { left, promised, mean24h } = float;
    const closings = await closingsOf(db, group, { from, to: today });
    const values = days.map((day) => (day === today ? left + promised : (closings.get(day) ?? null)));
    const low = group.find((one) => one.low !== null)?.low ?? null;
    const panel = group.map(({ id }) => id).join(' and ');
    const goneAt = (at: number) => Math.max(0, left - mean24h * 24 * (at - FLOAT_DAYS + 1));
    const ahead = days.map((_, at) => (at < FLOAT_DAYS - 1 ? null : goneAt(at)));
    series.push({ panel, name: 'there', values });
    if (mean24h > 0) series.push({ panel, name: 'less promises, as the last 24 hours went', values: ahead });
    if (low !== null) series.push({ panel, name: 'low', values: days.map(() => low) });
  }
  return { unit: 'minor', at: days, series, numbers: [] };
}

async function suspenseOf(db: Queryable): Promise<Figure> {
  const { rows } = await db.query(
    `SELECT width_bucket(extract(epoch FROM now() - created_at)::float8 / 86400, ARRAY[1, 2, 7,
       30]::float8[]) AS age, amount > 0 AS "isOwed",
       count(*) AS count, sum(abs(amount))::bigint AS value
     FROM suspense_items WHERE is_open AND amount <> 0
     GROUP BY 1, 2 /* never null: age, isOwed, count, value */`,
  );
  const sides = [
    { isOwed: true, panel: 'Owed: it came, and belongs to somebody' },
    { isOwed: false, panel: 'Missed: it left, and we miss it' },
  ];
  return {
    unit: 'minor',
    at: AGES,
    series: sides.map(({ isOwed, panel }) => ({
      panel,
      name: 'in suspense',
      values: AGES.map((_, at) => rows.find((one) => one.isOwed === isOwed && one.age === at)?.value ?? 0),
    })),
    numbers: sides.map(({ isOwed, panel }) => ({
      name: `${panel.split(':')[0]}, items`,
      value: sum(rows.filter((one) => one.isOwed === isOwed)),
      unit: 'count',
    })),
  };
}

async function merchantOf(db: Queryable, id: string) {
  const { rows } = await db.query(
    `SELECT d.day::date::text AS day,
       coalesce((SELECT e.balance FROM entries e WHERE e.ledger_account_id = a.id AND e.line IS NOT NULL
           AND e.at < (d.day::date + 1)::timestamp AT TIME ZONE 'Africa/Dar_es_Salaam'
         ORDER BY e.at DESC, e.line DESC LIMIT 1), 0) AS balance
     FROM ledger_accounts a
     CROSS JOIN generate_series((now() AT TIME ZONE 'Africa/Dar_es_Salaam')::date - $2::int,
       (now() AT TIME ZONE 'Africa/Dar_es_Salaam')::date, interval '1 day') AS d (day)
     WHERE a.code = 'available:' || $1 || ':' || $3 ORDER BY 1 /* never null: day, balance */`,
    [id, BALANCE_DAYS - 1, CURRENCY],
  );
  const ended = await db.query(
    `SELECT status = 'completed' AS "isDone", count(*) AS count FROM transactions
     WHERE account_id = $1 AND mode = 'ussd'
       AND status IN ('completed', 'failed') AND created_at >= now() - interval '7 days'
     GROUP BY 1 /* never null: isDone, count */`,
    [id],
  );
  const last = await db.query(
    `SELECT id, created_at AS at, mode, status, amount, currency FROM transactions WHERE account_id = $1
     ORDER BY created_at DESC, id DESC LIMIT 10`,
    [id],
  );
  const figure: Figure = {
    unit: 'minor',
    at: rows.map(({ day }) => day),
    series: [
      {
        panel: 'Balance at the end of the day',
        name: 'available',
        values: rows.map(({ balance }) => balance),
      },
    ],
    numbers: [{ name: 'Pushes that succeeded in 7 days', value: rateOf(ended.rows), unit: 'percent' }],
  };
  return { figure, last: last.rows };
}
