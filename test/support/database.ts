import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { ProcessRole } from '../../src/platform/db/grants.ts';
import { createDatabase, type Pages } from '../../src/platform/db/pool.ts';
import { closings } from './at-end.ts';
import { type Cluster, clusterOfRun, openAdmin, startCluster, TEMPLATE, urlIn } from './cluster.ts';
import { closeLast } from './hooks.ts';
import { submissionKeys } from './key-rings.ts';
import type { Database } from './queryable.ts';

export type TestDatabase = {
  /** as its owner, who may do everything */
  database: Database;
  url: string;
  /** where a process connects, as its role */
  urlOf(role: ProcessRole): string;
  rolePasswords: Record<ProcessRole, string>;
  drop(): Promise<void>;
};

/** The run's, or one of this process, started by the first test that needs it; global.ts closes it. */
let cluster: ReturnType<typeof openCluster> | undefined;

/**
 * `pages`: where this installation has pages for customers; most tests have none. `connections`: exactly as many as a
 * race needs, also in a run with a pool of one.
 */
type TestDatabaseOptions = { poolMax?: number; connections?: number; pages?: Pages };

/** A fresh database with every migration, cloned in some 30 ms. `poolMax` is 5 unless the test wants fewer. */
export async function createTestDatabase(options: TestDatabaseOptions = {}): Promise<TestDatabase> {
  cluster ??= openCluster();
  const { admin, at } = await cluster;
  const url = (database: string, role?: ProcessRole) => urlIn(at, database, role);
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  // Copied as files: through the log, as Postgres does by itself, it costs three times as much.
  await admin.query(`CREATE DATABASE ${name} TEMPLATE ${TEMPLATE} STRATEGY file_copy`);
  const poolMax = options.connections ?? (Number(process.env.TEST_POOL_MAX) || options.poolMax || 5);
  const database = createDatabase({
    url: url(name),
    poolMax,
    applicationName: 'test',
    rowKeys: submissionKeys,
    pages: options.pages,
  });
  // Tests let 200 steps queue for a few connections: on a busy machine the last one waits for long.
  database.options.connectionTimeoutMillis = 30_000;
  const roles = new Map<ProcessRole, Database>();
  asRoles.set(database, (role) => {
    const known = roles.get(role);
    if (known) return known;
    const pool = createDatabase({
      url: url(name, role),
      poolMax,
      applicationName: role,
      rowKeys: submissionKeys,
      pages: options.pages,
    });
    pool.options.connectionTimeoutMillis = 30_000;
    pool.on('connect', (client) => sayMissingGrants(client, role));
    roles.set(role, pool);
    return pool;
  });
  return {
    database,
    url: url(name),
    urlOf: (role) => url(name, role),
    rolePasswords: { api: at.password, worker: at.password, reader: at.password },
    async drop() {
      for (const pool of [database, ...roles.values()]) if (!pool.ended) await pool.end();
      await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}

/** A database for the tests of a `describe`, or with `each` for every test of it. Read its members in hooks and tests only. */
export function useTestDatabase({
  each = false,
  ...options
}: TestDatabaseOptions & { each?: boolean } = {}): TestDatabase {
  const test = {} as TestDatabase;
  closeLast(() => test.drop?.(), each);
  (each ? beforeEach : before)(async () => {
    Object.assign(test, await createTestDatabase(options));
  });
  return test;
}

/** An activity without a grant is tried again and again: whoever waits for it should read why. */
function sayMissingGrants(client: pg.PoolClient, role: ProcessRole): void {
  const connection = Reflect.get(client, 'connection') as NodeJS.EventEmitter;
  connection.on('errorMessage', (error: pg.DatabaseError) => {
    if (error.code === '42501') console.error(`${role}: ${error.message} (src/platform/db/grants.ts)`);
  });
}

const asRoles = new WeakMap<Database, (role: ProcessRole) => Database>();

/**
 * The same test database as a process sees it: what it lacks a grant for fails. Closed with the test's own. A pool that a
 * test opened by itself stays what it is.
 */
export function asRole(database: Database, role: ProcessRole): Database {
  return asRoles.get(database)?.(role) ?? database;
}

async function openCluster() {
  const ofRun = clusterOfRun();
  const own = ofRun ? undefined : await startCluster();
  const at = ofRun ?? (own as Cluster);
  const admin = openAdmin(at);
  closings.push(async () => {
    await admin.end();
    await own?.stop();
  });
  return { at, admin };
}
