import { createHash } from 'node:crypto';
import pg from 'pg';
import type { Statement, Statements } from './statements/index.d.ts';

/**
 * Every payment runs these statements, and write.ts adds more. Postgres parses a named statement once per
 * connection, and may keep one plan for all values (bench/performance.md). So a marked statement must use an
 * index for any values (test/db/prepared.test.ts), and its text must not depend on values.
 */
const marked = new Map<string, string>();

/** The number is part of every name. All names change together, so a transaction is repeated only once. */
let generation = 1;

export function prepared<const T extends Statement>(text: T): T {
  if (!marked.has(text)) marked.set(text, createHash('sha256').update(text).digest('hex').slice(0, 16));
  return text;
}

type Omitted<T extends Statement> = Statements[T] extends { omits: infer Columns } ? Columns : never;

/** Marks an INSERT that computes values in SQL. It does not compile if a column is missing. */
export function naming<const T extends Statement>(
  text: T,
  ..._forgotten: [Omitted<T>] extends [never] ? [] : [Omitted<T>]
): T {
  return text;
}

export function isPrepared(text: string): boolean {
  return marked.has(text);
}

function nameOf(text: string): string | undefined {
  const hash = marked.get(text);
  return hash && `malipo_${hash}_${generation}`;
}

/** Postgres reports this after a migration changed the type of a column that a named statement returns. */
const OUTDATED = '0A000';
const OUTDATED_ROUTINE = 'RevalidateCachedQuery';
const IN_FAILED_TRANSACTION = '25P02';

/** Returns true if a statement's name was outdated. Nothing was done, and another attempt uses a new name. */
export function isOutdated(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === OUTDATED && error.routine === OUTDATED_ROUTINE;
}

/** This client names marked statements; callers still pass their text. */
export class PreparingClient extends pg.Client {
  readonly rowKeys: unknown;
  readonly pages: unknown;

  // A pool passes its options to each client.
  constructor(options?: object) {
    super(options);
    this.rowKeys = Reflect.get(Object(options), 'rowKeys');
    this.pages = Reflect.get(Object(options), 'pages');
  }

  // biome-ignore lint/suspicious/noExplicitAny: the driver's method has nine signatures
  override query(...given: any[]): any {
    const [text, values] = given;
    const name = nameOf(text);
    if (name === undefined) return super.query(...(given as [string]));
    const answer = this.#byName(name, text, Array.isArray(values) ? values : []);
    const callback = given.find((one) => typeof one === 'function');
    return callback ? void answer.then((result) => callback(undefined, result), callback) : answer;
  }

  async #byName(name: string, text: string, values: unknown[]): Promise<pg.QueryResult> {
    try {
      return await super.query({ name, text, values });
    } catch (error) {
      if (!isOutdated(error)) throw error;
      // The first connection that notices it changes the names, so that all connections prepare anew.
      if (nameOf(text) === name) generation += 1;
      // Inside a transaction this fails too; db/transaction.ts repeats the transaction.
      return await super.query(text, values).catch((secondError) => {
        throw secondError.code === IN_FAILED_TRANSACTION ? error : secondError;
      });
    }
  }
}
