import { setTimeout as pause } from 'node:timers/promises';
import { isMissingTable } from './errors.ts';
import { type Migration, readMigrations } from './migrations.ts';
import type { Queryable } from './pool.ts';

const ASK_EVERY_MS = 1_000;
/** The log repeats it after this many questions, because operators look there when a deploy hangs. */
const SAY_EVERY = 30;

export type SchemaGate = {
  /** Returns migrations that the database lacks. Throws if the database cannot be asked. */
  missing(): Promise<string[]>;
};

export function createSchemaGate(db: Queryable, folder?: string): SchemaGate {
  let files: Promise<Migration[]> | undefined;
  return {
    async missing() {
      files ??= readMigrations(folder);
      const [needed, applied] = await Promise.all([files, appliedTo(db)]);
      return needed.filter(({ name, checksum }) => applied.get(name) !== checksum).map(({ name }) => name);
    },
  };
}

async function appliedTo(db: Queryable): Promise<Map<string, string>> {
  try {
    const { rows } = await db.query('SELECT name, checksum FROM schema_migrations');
    return new Map(rows.map((row) => [row.name, row.checksum]));
  } catch (error) {
    // The first migration has not run.
    if (isMissingTable(error)) return new Map();
    throw error;
  }
}

/** Returns false also if the database cannot be asked. */
export async function hasSchema(gate: SchemaGate): Promise<boolean> {
  const missing = await gate.missing().catch(() => null);
  return missing?.length === 0;
}

export function migrationsMissing(gate: SchemaGate) {
  return {
    name: 'migrations_missing',
    help: 'Migrations that this code needs and the database lacks: the process is not ready',
    read: async () => (await gate.missing()).length,
  };
}

export async function waitForSchema(
  gate: SchemaGate,
  log: { warn(fields: object, message: string): void },
): Promise<void> {
  for (let round = 0; ; round += 1) {
    const missing = await gate.missing();
    if (missing.length === 0) return;
    if (round % SAY_EVERY === 0)
      log.warn({ missing }, 'the database lacks migrations of this version: waiting for them');
    await pause(ASK_EVERY_MS);
  }
}
