import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { applyGrants } from './grants.ts';
import type { Database } from './pool.ts';
import { inTransaction } from './transaction.ts';

/** `migrations/` is beside `src/` in a checkout and two levels up from `dist/src/db` in a build. */
const candidates = ['../../migrations/', '../../../migrations/'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);

/** How long one file over a big database, or another process's files, may take. */
export const MIGRATION_TIMEOUT_MS = 10 * 60_000;

/** The database was made by files other than those of this version. */
export class OtherMigrations extends Error {
  constructor(name: string) {
    super(`this database is of another version: its migration ${name} is not the one of this version`);
    this.name = 'OtherMigrations';
  }
}

/**
 * Applies the SQL files of migrations/ that this database does not have yet, all in one transaction, one process at
 * a time, and gives the roles of the processes what they need (grants.ts). Returns the names applied. Throws OtherMigrations, and changes nothing, when a file that was
 * applied is not here or has another content: released migrations are frozen. The pool's own limit for a query must be longer than MIGRATION_TIMEOUT_MS.
 */
export async function migrate(database: Database): Promise<string[]> {
  const files = await readMigrations();
  return inTransaction(database, async (db) => {
    await db.query(`SET LOCAL statement_timeout = ${MIGRATION_TIMEOUT_MS};
      SET LOCAL lock_timeout = ${MIGRATION_TIMEOUT_MS}`);
    await db.query("SELECT pg_advisory_xact_lock(hashtext('malipo.migrate'))");
    await db.query(`CREATE TABLE IF NOT EXISTS schema_migrations
      (name text PRIMARY KEY, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`);
    const { rows } = await db.query('SELECT name, checksum FROM schema_migrations');
    const applied = new Set<string>(rows.map((row) => row.name));
    const other = rows.find(({ name, checksum }) =>
      files.every((file) => file.name !== name || file.checksum !== checksum),
    );
    if (other) throw new OtherMigrations(other.name);
    const fresh: string[] = [];
    for (const file of files) {
      if (applied.has(file.name)) continue;
      await db.query(file.sql);
      await db.query('INSERT INTO schema_migrations (name, checksum) VALUES ($1, $2)', [
        file.name,
        file.checksum,
      ]);
      fresh.push(file.name);
    }
    await applyGrants(db);
    return fresh;
  });
}

async function readMigrations() {
  for (const folder of candidates) {
    const names = await readdir(folder).catch(() => []);
    const sqlFiles = names.filter((name) => name.endsWith('.sql')).sort();
    if (sqlFiles.length === 0) continue;
    return Promise.all(
      sqlFiles.map(async (name) => {
        const sql = await readFile(`${folder}${name}`, 'utf8');
        return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
      }),
    );
  }
  throw new Error('the folder migrations/ was not found');
}
