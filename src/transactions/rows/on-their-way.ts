import { type Listed, type Page, readPage } from '../../platform/db/listing.ts';
import type { Queryable } from '../../platform/db/pool.ts';

/** The oldest come first: their payers still miss the money. */
export async function pageOnTheirWay(
  db: Queryable,
  { mode, ...page }: Page & { mode?: 'refund' | 'payback' | undefined },
): Promise<Listed<string>> {
  const text = `SELECT id, created_at FROM transactions
    WHERE status = 'pending' AND mode IN ('refund', 'payback')
    AND ($1::text IS NULL OR mode = $1)`;
  const { items, ...total } = await readPage(
    db,
    { text, values: [mode ?? null], order: 'created_at, id' },
    page,
  );
  return { items: items.map(({ id }) => id), ...total };
}
