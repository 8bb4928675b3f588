import type pg from 'pg';
import { importMoves, walletAccount } from './statements-of-accounts.ts';

/** A line of a statement that waits for its other side, and what others wrote in it. */
export async function lineOfStatement(
  database: pg.Pool,
  { receipt = 'QL00WAITS', reference = 'INV-1' } = {},
): Promise<string> {
  await importMoves(database, walletAccount(), [{ amount: 70, receipt, reference, kind: 'unknown' }]);
  const { rows } = await database.query("SELECT 'ln_' || id AS id FROM statement_lines WHERE receipt = $1", [
    receipt,
  ]);
  return rows[0].id;
}
