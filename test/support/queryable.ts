import type pg from 'pg';

/** A test's pool takes any text, as the driver does: only the statements of src/ are described (src/platform/db/statements/). */
export type Database = pg.Pool;
export type Queryable = Pick<pg.ClientBase, 'query'>;
