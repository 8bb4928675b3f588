import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The first line of a file in migrations/ says how it runs, such as `-- migration: in batches`:
 *
 * - no such line: the file is one transaction. It must be short, because it may lock tables that payments
 * need.
 * - `without transaction`: slow statements that block nobody. Each ends with `;` at the end of a line and may
 * run twice: an unfinished index is dropped and built again.
 * - `in batches`: one statement that changes a limited number of rows, repeated until it changes none.
 */
export type Migration = { name: string; checksum: string } & (
  | { way: 'transaction' | 'in batches'; sql: string }
  | { way: 'without transaction'; statements: string[] }
);

/** `migrations/` is beside `src/` in a checkout and beside `dist/` in a build. */
const candidates = ['../../../migrations/', '../../../../migrations/'].map((where) =>
  fileURLToPath(new URL(where, import.meta.url)),
);

/** Returns this version's files in order. `folder` is for tests. Throws if a first line is unknown. */
export async function readMigrations(folder?: string): Promise<Migration[]> {
  for (const candidate of folder === undefined ? candidates : [folder]) {
    const names = await readdir(candidate).catch(() => []);
    const sqlFiles = names.filter((name) => name.endsWith('.sql')).sort();
    if (sqlFiles.length === 0) continue;
    return Promise.all(
      sqlFiles.map(async (name) => toMigration(name, await readFile(path.join(candidate, name), 'utf8'))),
    );
  }
  throw new Error('the folder migrations/ was not found');
}

function toMigration(name: string, sql: string): Migration {
  const checksum = createHash('sha256').update(sql).digest('hex');
  const said = /^-- migration: (.*)\n/.exec(sql)?.[1];
  switch (said) {
    case undefined:
      return { name, checksum, way: 'transaction', sql };
    case 'in batches':
      return { name, checksum, way: said, sql: oneStatement(name, sql) };
    case 'without transaction':
      return { name, checksum, way: said, statements: repeatable(name, statementsOf(sql)) };
    default:
      throw new Error(`${name}: "${said}" is none of: without transaction, in batches`);
  }
}

function statementsOf(sql: string): string[] {
  const code = sql.replace(/^\s*--.*\n/gm, '');
  return code
    .split(/;[ \t]*(?:\n|$)/)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
}

function oneStatement(name: string, sql: string): string {
  const [statement, ...more] = statementsOf(sql);
  if (statement === undefined || more.length > 0)
    throw new Error(`${name} must be one statement: it is repeated until it changes no row`);
  return statement;
}

/** These statements wait for other sessions and block nobody; all others belong in a transaction. */
const LOCKS_NOBODY_OUT =
  /^(CREATE (UNIQUE )?INDEX CONCURRENTLY|DROP INDEX CONCURRENTLY IF EXISTS|REINDEX .*\bCONCURRENTLY|ALTER TABLE \S+ VALIDATE CONSTRAINT)\b/i;

function repeatable(name: string, statements: string[]): string[] {
  const dropped = new Set<string>();
  for (const statement of statements) {
    if (!LOCKS_NOBODY_OUT.test(statement))
      throw new Error(`${name}: this may lock tables and belongs into a transaction: ${statement}`);
    const [, verb, index = ''] =
      /^(CREATE|DROP) .*?INDEX CONCURRENTLY (?:IF EXISTS )?(\S+)/i.exec(statement) ?? [];
    if (verb?.toUpperCase() === 'DROP') dropped.add(index);
    if (verb?.toUpperCase() === 'CREATE' && !dropped.has(index))
      throw new Error(
        `${name}: before it is built, DROP INDEX CONCURRENTLY IF EXISTS ${index},
           or a second run finds half of it`,
      );
  }
  return statements;
}
