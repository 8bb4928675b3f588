import type { Queryable } from '../../platform/db/pool.ts';
import { DEFAULT, insertMany } from '../../platform/db/write.ts';

/** Stores each connection's receipt space. Throws if it changed: old receipts would count a second time. */
export async function noteReceiptSpaces(db: Queryable, spaces: ReadonlyMap<string, string>): Promise<void> {
  await insertMany(
    db,
    'receipt_spaces',
    [...spaces],
    ([connection, space]) => ({ connection, space, noted_at: DEFAULT }),
    { onConflict: '(connection) DO NOTHING' },
  );
  const { rows } = await db.query(
    `SELECT connection, r.space AS before, asked.space AS now
     FROM receipt_spaces r JOIN unnest($1::text[], $2::text[]) AS asked (connection, space) USING (connection)
     WHERE r.space <> asked.space ORDER BY connection`,
    [[...spaces.keys()], [...spaces.values()]],
  );
  const sentences = rows.map(
    ({ connection, before, now }) =>
      `connections.${connection}.receipts: its receipts were numbers of ${before} until now, ` +
      `and would count again as numbers of ${now}. Give the connection another name`,
  );
  if (sentences.length > 0) throw new Error(`The channels file is wrong:\n  ${sentences.join('\n  ')}`);
}
