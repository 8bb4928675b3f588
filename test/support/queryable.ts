import type pg from 'pg';

/** A test's pool takes any text, as the driver does: only the statements of src/ are described (src/platform/db/statements/). */
export type Database = pg.Pool;
export type Queryable = Pick<pg.ClientBase, 'query'>;

// biome-ignore lint/suspicious/noExplicitAny: rows of any table, read by assertions only
type Rows = any[];

/** The rows of a statement whose values stand where they are used: sql`… WHERE id = ${id}`. */
export const sqlOf =
  (db: Queryable) =>
  async (text: TemplateStringsArray, ...values: unknown[]): Promise<Rows> => {
    const asked = text.reduce((before, after, at) => `${before}$${at}${after}`);
    return (await db.query(asked, values)).rows;
  };
