import type { Queryable } from '../../platform/db/pool.ts';

/**
 * Notes in which number space each connection's receipts are, once for all. Throws where a connection was in another one
 * before: what it reported then would count a second time. Such a change needs a connection of another name.
 */
export async function noteReceiptSpaces(db: Queryable, spaces: ReadonlyMap<string, string>): Promise<void> {
  const noted = [[...spaces.keys()], [...spaces.values()]] as const;
  await db.query(
    `INSERT INTO receipt_spaces (connection, space) SELECT * FROM unnest($1::text[], $2::text[])
     ON CONFLICT (connection) DO NOTHING`,
    noted,
  );
  const { rows } = await db.query(
    `SELECT connection, r.space AS before, asked.space AS now
     FROM receipt_spaces r JOIN unnest($1::text[], $2::text[]) AS asked (connection, space) USING (connection)
     WHERE r.space <> asked.space ORDER BY connection`,
    noted,
  );
  const sentences = rows.map(
    ({ connection, before, now }) =>
      `connections.${connection}.receipts: its receipts were numbers of ${before} until now, and would count again as numbers of ${now}. Give the connection another name`,
  );
  if (sentences.length > 0) throw new Error(`The channels file is wrong:\n  ${sentences.join('\n  ')}`);
}
