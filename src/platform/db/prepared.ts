import { createHash } from 'node:crypto';
import pg from 'pg';
import type { Statement, Statements } from './statements/index.d.ts';

/**
 * Every payment runs these statements, and write.ts makes others. Postgres parses a named one once per
 * connection, and plans it no more once a plan for any values is as cheap (bench/performance.md). So a marked
 * statement must read by an index whatever its values are (test/db/prepared.test.ts), and its text must not
 * depend on values.
 */
const marked = new Map<string, string>();

/** A part of every name. All change together, so that a transaction of many outdated statements is run again once. */
let generation = 1;

/** Marks a statement, and returns its text. */
export function prepared<const T extends Statement>(text: T): T {
  if (!marked.has(text)) marked.set(text, createHash('sha256').update(text).digest('hex').slice(0, 16));
  return text;
}

type Omitted<T extends Statement> = Statements[T] extends { omits: infer Columns } ? Columns : never;

/** Marks an INSERT with values counted in SQL. It names every column of its table, or does not compile. */
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

/** Postgres says this when a migration has changed the type of a column that a named statement returns. */
const OUTDATED = '0A000';
const OUTDATED_ROUTINE = 'RevalidateCachedQuery';
const IN_FAILED_TRANSACTION = '25P02';

/** Returns true if a statement was refused for its name: nothing was done; another try has a new name. */
export function isOutdated(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === OUTDATED && error.routine === OUTDATED_ROUTINE;
}

/** The connection names marked statements; callers give their text, as ever. */
export class PreparingClient extends pg.Client {
  readonly rowKeys: unknown;
  readonly pages: unknown;

  // The options of a pool come to each of its clients.
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
      // The first connection that notices changes the names, so that every one prepares its statements anew.
      if (nameOf(text) === name) generation += 1;
      // Inside a transaction this fails as well: whoever began it runs it again (db/transaction.ts).
      return await super.query(text, values).catch((secondError) => {
        throw secondError.code === IN_FAILED_TRANSACTION ? error : secondError;
      });
    }
  }
}
