import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, statfs } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { freePort } from '../../sandbox/local/ports.ts';
import {
  postgresUrl,
  preparePostgres,
  throwAwayPostgresSettings as settings,
} from '../../sandbox/local/postgres.ts';
import { startServer } from '../../sandbox/local/server-process.ts';
import { processRoles, setRolePasswords } from '../../src/platform/db/grants.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import { createDatabase } from '../../src/platform/db/pool.ts';
import { until } from './wait.ts';

/** A Postgres with a migrated database, of which each test file has a copy. All roles have one password. */
export type Cluster = { port: number; password: string };

export const TEMPLATE = 'malipo_template';

/** The cluster of a whole run, which `scripts/run-tests.ts` started; undefined where a file runs by itself. */
export function clusterOfRun(): Cluster | undefined {
  const text = process.env.TEST_POSTGRES;
  return text ? JSON.parse(text) : undefined;
}

/** Starts one, migrated. `stop` ends it and removes its data. */
export async function startCluster(): Promise<Cluster & { stop(): Promise<void> }> {
  const folder = await mkdtemp(path.join(await folderForData(), 'malipo-test-'));
  const port = await freePort();
  const password = randomUUID();
  const command = await preparePostgres({ folder: path.join(folder, 'postgres'), port, password, settings });
  const server = await startServer(command);
  const admin = openAdmin({ port, password });
  await until(() => admin.query('SELECT 1'), 'Postgres answers');
  // Anew, with the few rounds that these settings ask for: initdb did not know them.
  await admin.query(`ALTER ROLE CURRENT_USER PASSWORD '${password}'`);
  await admin.query(`CREATE DATABASE ${TEMPLATE}`);
  await admin.end();
  const url = postgresUrl({ port, password, database: TEMPLATE });
  const template = createDatabase({ url, poolMax: 1, applicationName: 'template' });
  await migrate(template);
  await setRolePasswords(template, { api: password, worker: password, reader: password });
  await template.end();
  return {
    port,
    password,
    async stop() {
      await server.stop(5_000);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Runs statements that belong to no test database. */
export function openAdmin({ port, password }: Cluster): pg.Pool {
  const connectionString = postgresUrl({ port, password, database: 'postgres' });
  const admin = new pg.Pool({ connectionString, max: 1 });
  admin.on('error', () => {});
  return admin;
}

/** Where a test connects: as the owner of everything, or as the role of a process. */
export function urlIn({ port, password }: Cluster, database: string, role?: keyof typeof processRoles) {
  return postgresUrl({ port, password, database, ...(role ? { user: processRoles[role] } : {}) });
}

const MEMORY = '/dev/shm';
/** Bytes. A run needs a few hundred megabytes; several may run at once. */
const MEMORY_FREE_MIN = 4e9;

/** Memory where the system offers enough of it as a folder: a clone is hundreds of small files, dear on a disk. */
async function folderForData(): Promise<string> {
  const { bavail, bsize } = await statfs(MEMORY).catch(() => ({ bavail: 0, bsize: 0 }));
  return bavail * bsize >= MEMORY_FREE_MIN ? MEMORY : os.tmpdir();
}
