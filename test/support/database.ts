import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, statfs } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { freePort } from '../../sandbox/local/ports.ts';
import { postgresUrl, preparePostgres, throwAwayPostgresSettings } from '../../sandbox/local/postgres.ts';
import { type RunningServer, startServer } from '../../sandbox/local/server-process.ts';
import { type ProcessRole, processRoles, setRolePasswords } from '../../src/platform/db/grants.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import { createDatabase } from '../../src/platform/db/pool.ts';
import { closeLast } from './hooks.ts';
import { submissionKeys } from './key-rings.ts';
import type { Database } from './queryable.ts';
import { until } from './wait.ts';

export type TestDatabase = {
  /** as its owner, who may do everything */
  database: Database;
  url: string;
  /** where a process connects, as its role */
  urlOf(role: ProcessRole): string;
  rolePasswords: Record<ProcessRole, string>;
  drop(): Promise<void>;
};

const TEMPLATE = 'malipo_template';

type Cluster = {
  folder: string;
  server: RunningServer;
  url(database: string, role?: ProcessRole): string;
  passwords: Record<ProcessRole, string>;
  /** runs statements that belong to no test database */
  admin: pg.Pool;
};

/** One cluster per test run, started by the first test that needs it and stopped by global.ts. */
let cluster: Promise<Cluster> | undefined;

/** A fresh database with every migration, cloned in some 30 ms. `poolMax` is 5 unless the test wants fewer. */
export async function createTestDatabase(options: { poolMax?: number } = {}): Promise<TestDatabase> {
  cluster ??= startCluster();
  const { admin, url, passwords } = await cluster;
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  // Copied as files: through the log, as Postgres does by itself, it costs three times as much.
  await admin.query(`CREATE DATABASE ${name} TEMPLATE ${TEMPLATE} STRATEGY file_copy`);
  const poolMax = Number(process.env.TEST_POOL_MAX) || options.poolMax || 5;
  const database = createDatabase({
    url: url(name),
    poolMax,
    applicationName: 'test',
    rowKeys: submissionKeys,
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
    rolePasswords: passwords,
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
}: {
  each?: boolean;
  poolMax?: number;
} = {}): TestDatabase {
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

async function startCluster(): Promise<Cluster> {
  const folder = await mkdtemp(path.join(await folderForData(), 'malipo-test-'));
  const port = await freePort();
  const password = randomUUID();
  const command = await preparePostgres({
    folder: path.join(folder, 'postgres'),
    port,
    password,
    settings: throwAwayPostgresSettings,
  });
  const server = await startServer(command);
  const url = (database: string, role?: ProcessRole) =>
    postgresUrl({ port, password, database, ...(role ? { user: processRoles[role] } : {}) });
  const admin = new pg.Pool({ connectionString: url('postgres'), max: 1 });
  admin.on('error', () => {});
  await until(() => admin.query('SELECT 1'), 'Postgres answers');
  await admin.query(`CREATE DATABASE ${TEMPLATE}`);
  const template = createDatabase({ url: url(TEMPLATE), poolMax: 1, applicationName: 'template' });
  await migrate(template);
  const passwords = { api: password, worker: password, reader: password };
  await setRolePasswords(template, passwords);
  await template.end();
  return { folder, server, url, passwords, admin };
}

const MEMORY = '/dev/shm';
/** Bytes. A run needs a few hundred megabytes; several may run at once. */
const MEMORY_FREE_MIN = 4e9;

/** Memory where the system offers enough of it as a folder: a clone is hundreds of small files, dear on a disk. */
async function folderForData(): Promise<string> {
  const { bavail, bsize } = await statfs(MEMORY).catch(() => ({ bavail: 0, bsize: 0 }));
  return bavail * bsize >= MEMORY_FREE_MIN ? MEMORY : os.tmpdir();
}

/** Stops the cluster, if any test started it, and removes its data. */
export async function stopCluster(): Promise<void> {
  if (!cluster) return;
  const { admin, server, folder } = await cluster;
  await admin.end();
  await server.stop(5_000);
  await rm(folder, { recursive: true, force: true });
}
