import pg from 'pg';
import type { KeyRing } from '../../base/key-ring.ts';
import { PreparingClient } from './prepared.ts';
import type { Statement, Statements } from './statements/index.d.ts';

/** A statement's row. Only the mappers beside the SQL read it. */
export type RowOf<T extends Statement> = Statements[T]['rows'][number];
type Values<T extends Statement> = Statements[T]['values'];
/** Runs only statements that `npm run statements` has described, on the pool or one connection. */
export type Queryable = {
  query<const T extends Statement>(
    text: T,
    ...values: Values<T> extends [] ? [] : [values: Readonly<Values<T>>]
  ): Promise<{ rows: Statements[T]['rows']; rowCount: number | null }>;
};
export type Connection = Queryable & Pick<pg.PoolClient, 'on' | 'off' | 'release'>;
export type Database = Queryable &
  Pick<pg.Pool, 'end' | 'totalCount' | 'idleCount' | 'waitingCount' | 'options'> & {
    connect(): Promise<Connection>;
  };

const INT8 = 20;
const TIMESTAMPTZ = 1184;

/** bigint columns are minor units or counts, checked as safe integers. Timestamps keep microseconds. */
const types = new pg.TypeOverrides();
types.setTypeParser(INT8, (text) => {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`bigint ${text} is no safe integer`);
  return value;
});
types.setTypeParser(TIMESTAMPTZ, isoTimestamp);

/** It exceeds the server's statement_timeout, so that the server reports first if it can. */
const QUERY_TIMEOUT_MS = 12_000;

/** Customers' pages are below `url`; `keys` make their tokens. */
export type Pages = { url: string; keys: KeyRing };

/** Opens a pool. Sessions use UTC. Statements and locks time out, so no request waits for ever. */
export function createDatabase(options: {
  url: string;
  poolMax: number;
  applicationName: string;
  /** keys that prove that our process wrote rows about money (transactions/rows/row-mac.ts) */
  rowKeys?: KeyRing;
  pages?: Pages | undefined;
  /** for slow work such as a check of the whole ledger */
  queryTimeoutMs?: number;
  /** runs first on each new connection; if it throws, the connection is refused */
  onConnect?: ((db: Queryable) => Promise<unknown>) | undefined;
}): pg.Pool {
  const settings: pg.PoolConfig & { rowKeys: KeyRing | undefined; pages: Pages | undefined } = {
    rowKeys: options.rowKeys,
    pages: options.pages,
    Client: PreparingClient,
    connectionString: options.url,
    max: options.poolMax,
    application_name: options.applicationName,
    connectionTimeoutMillis: 3_000,
    idleTimeoutMillis: 60_000,
    // The server enforces statement_timeout; this limit holds even if the server hangs.
    query_timeout: options.queryTimeoutMs ?? QUERY_TIMEOUT_MS,
    options:
      '-c TimeZone=UTC -c statement_timeout=10000 -c lock_timeout=5000 -c ' +
      'idle_in_transaction_session_timeout=15000 -c malipo.session=on',
    types,
    onConnect: options.onConnect,
  };
  const pool = new pg.Pool(settings);
  // The pool drops an idle connection that breaks (Postgres restarted); without a listener the process ends.
  pool.on('error', () => {});
  return pool;
}

/** Every connection of the pool has the entry file's keys. */
export function rowKeysOf(db: Queryable): KeyRing | undefined {
  return givenTo(db, 'rowKeys') as KeyRing | undefined;
}

/** Code that posts money also writes callbacks with links to pages, so every connection has these. */
export function pagesFrom(db: Queryable): Pages | undefined {
  return givenTo(db, 'pages') as Pages | undefined;
}

const givenTo = (db: Queryable, name: 'rowKeys' | 'pages'): unknown =>
  Reflect.get(db, name) ?? Reflect.get(Object(Reflect.get(db, 'options')), name);

/** PgBouncer answers with this code to connections with settings such as ours. */
const SETTINGS_REFUSED = '08P01';

/**
 * Throws if a pooler such as PgBouncer refuses or drops our session settings: statements and locks would have
 * no limit, and times another zone. Checks a setting that only our sessions have. Does not throw while
 * Postgres is down.
 */
export async function requireSessions(database: Pick<Database, 'query'>): Promise<void> {
  const found = await database
    .query("SELECT current_setting('malipo.session', true) AS session")
    .then(({ rows }) => rows[0].session === 'on')
    .catch((error) => error?.code !== SETTINGS_REFUSED);
  if (!found)
    throw new Error(
      'DATABASE_URL leads to a pooler that does not pass on the settings of a session (PgBouncer): ' +
        'connect to Postgres itself. Each process has a pool of its own',
    );
}

/** Writes ISO 8601 with six decimals and Z: `2026-11-20 08:15:30.1234+00` → `2026-11-20T08:15:30.123400Z`. */
function isoTimestamp(text: string): string {
  const match = /^(\d{4,}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d+))?\+00$/.exec(text);
  if (!match) throw new RangeError(`not a UTC timestamp: ${text}`);
  return `${match[1]}T${match[2]}.${(match[3] ?? '').padEnd(6, '0')}Z`;
}
