import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { ProcessRole } from '../../src/platform/db/grants.ts';
import { createDatabase, type Pages } from '../../src/platform/db/pool.ts';
import { closeLast, closings } from './at-end.ts';
import { type Cluster, clusterOfRun, openAdmin, startCluster, TEMPLATE, urlIn } from './cluster.ts';
import { submissionKeys } from './key-rings.ts';
import { type Database, sqlOf } from './queryable.ts';

export type TestDatabase = Awaited<ReturnType<typeof createTestDatabase>>;

/** The run's, or one of this process, started by the first test that needs it; global.ts closes it. */
let cluster: ReturnType<typeof openCluster> | undefined;

/**
 * `pages`: where this installation has pages for customers; most tests have none. `connections`: exactly as many as a
 * race needs, also in a run with a pool of one.
 */
type TestDatabaseOptions = { poolMax?: number; connections?: number; pages?: Pages };

/** A fresh database with every migration, cloned in some 30 ms. */
export async function createTestDatabase({ poolMax = 5, connections, pages }: TestDatabaseOptions = {}) {
  cluster ??= openCluster();
  const { admin, at } = await cluster;
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  // Copied as files: through the log, as Postgres does by itself, it costs three times as much.
  await admin.query(`CREATE DATABASE ${name} TEMPLATE ${TEMPLATE} STRATEGY file_copy`);
  const open = (role?: ProcessRole): Database => {
    const pool = createDatabase({
      url: urlIn(at, name, role),
      poolMax: connections ?? (Number(process.env.TEST_POOL_MAX) || poolMax),
      applicationName: role ?? 'test',
      rowKeys: submissionKeys,
      pages,
    });
    // Tests let 200 steps queue for a few connections: on a busy machine the last one waits for long.
    pool.options.connectionTimeoutMillis = 30_000;
    if (role) pool.on('connect', (client) => sayMissingGrants(client, role));
    return pool;
  };
  const database = open();
  const roles = new Map<ProcessRole, Database>();
  asRoles.set(database, (role) => {
    const pool = roles.get(role) ?? open(role);
    roles.set(role, pool);
    return pool;
  });
  return {
    /** as its owner, who may do everything */
    database,
    sql: sqlOf(database),
    url: urlIn(at, name),
    /** where a process connects, as its role */
    urlOf: (role: ProcessRole) => urlIn(at, name, role),
    /** of each role */
    password: at.password,
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
