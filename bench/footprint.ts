import { mobilePayoutBody, newKey, pushBody } from '../test/support/gateway.ts';
import type { Database } from '../test/support/queryable.ts';
import { type Figure, perSecond, rounded } from './load.ts';
import type { Stack } from './stack.ts';

const PAYMENTS = 1_000;
const KIB = 1_024;

type Tables = Map<string, { bytes: number; rows: number }>;

/** What a payment leaves in Postgres for good, and what it writes to the log on the way: bench/scale.md counts with it. */
export async function footprint(stack: Stack): Promise<Figure> {
  const { database } = stack;
  const columns = ['', 'WAL, KiB', 'rows', 'KiB with indexes', 'of these'];
  const rows: Figure['rows'] = [];
  for (const [name, where, body] of [
    ['push', 'payments/ussd', pushBody()],
    ['payout', 'payouts/mobile', mobilePayoutBody()],
  ] as const) {
    const [wal, before] = [await walBytes(database), await tablesOf(database)];
    await perSecond(PAYMENTS, () => stack.untilDelivered(where, { key: newKey(), body }));
    const [walAfter, after] = [await walBytes(database), await tablesOf(database)];
    const grown = [...after].map(([table, { bytes, rows: count }]) => ({
      table,
      kib: (bytes - (before.get(table)?.bytes ?? 0)) / PAYMENTS / KIB,
      rows: (count - (before.get(table)?.rows ?? 0)) / PAYMENTS,
    }));
    grown.sort((one, other) => other.kib - one.kib);
    rows.push([
      name,
      rounded((walAfter - wal) / PAYMENTS / KIB),
      rounded(sum(grown.map((one) => one.rows))),
      rounded(sum(grown.map((one) => one.kib))),
      grown
        .slice(0, 5)
        .map(({ table, kib }) => `${table} ${rounded(kib)}`)
        .join(', '),
    ]);
  }
  return { title: `What one payment leaves in Postgres (mean of ${PAYMENTS})`, columns, rows };
}

const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);

async function walBytes(database: Database): Promise<number> {
  const { rows } = await database.query("SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') AS bytes");
  return Number(rows[0]?.bytes);
}

/** Partitions count as their table. */
async function tablesOf(database: Database): Promise<Tables> {
  const { rows } = await database.query(
    `SELECT c.relname AS table, coalesce(p.relname, c.relname) AS whole, pg_total_relation_size(c.oid)::text AS bytes
     FROM pg_class c LEFT JOIN pg_inherits i ON i.inhrelid = c.oid LEFT JOIN pg_class p ON p.oid = i.inhparent
     WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace`,
  );
  const tables: Tables = new Map();
  for (const { table, whole, bytes } of rows) {
    const counted = await database.query(`SELECT count(*)::int AS rows FROM "${table}"`);
    const known = tables.get(whole) ?? { bytes: 0, rows: 0 };
    tables.set(whole, {
      bytes: known.bytes + Number(bytes),
      rows: known.rows + Number(counted.rows[0]?.rows),
    });
  }
  return tables;
}
