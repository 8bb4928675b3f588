import type { StatementBounds, StatementLine } from '../../src/domain/statement.ts';
import { readStatement } from '../../src/ledger/statement.ts';
import type { Database } from '../support/queryable.ts';

export const EVER = { from: '2000-01-01T00:00:00Z', to: '2900-01-01T00:00:00Z' };

/** A statement with as many lines as there are. */
export function wholeStatement(
  database: Database,
  accountId: string,
  range: { from: string; to: string } = EVER,
): Promise<StatementBounds & { lines: StatementLine[] }> {
  return readStatement(
    database,
    { accountId, currency: 'TZS', ...range },
    { offset: 0, count: Number.MAX_SAFE_INTEGER },
  );
}

/** Lets the lines of an account have happened at these moments, which the database itself would never do. */
export async function happenedAt(database: Database, accountId: string, moments: readonly string[]) {
  const client = await database.connect();
  try {
    await client.query('BEGIN; ALTER TABLE entries DISABLE TRIGGER entries_append_only');
    await client.query(
      `UPDATE entries e SET at = moment.at FROM unnest($2::timestamptz[]) WITH ORDINALITY AS moment (at, line), ledger_accounts a
       WHERE a.id = e.ledger_account_id AND a.kind = 'available' AND a.account_id = $1 AND e.line = moment.line`,
      [accountId, moments],
    );
    await client.query('ALTER TABLE entries ENABLE TRIGGER entries_append_only; COMMIT');
  } finally {
    client.release();
  }
}

export function assertAddsUp(statement: StatementBounds & { lines: StatementLine[] }): void {
  let { opening: balance, lineBefore: number } = statement as { opening: number; lineBefore: number };
  for (const line of statement.lines) {
    balance += line.amount;
    number += 1;
    if (line.line !== number || line.balance !== balance)
      throw new Error(`line ${line.line} says ${line.balance}, not line ${number} and ${balance}`);
  }
  if (balance !== statement.closing || number !== statement.lastLine)
    throw new Error(`the lines end with ${balance} in ${number}, the statement with ${statement.closing}`);
}

/** What one INSERT plants. */
const PLANTED_AT_ONCE = 50_000;

/**
 * As many lines of one shilling as wanted, a second apart from 2 January 2000 on, after the one of the first top-up. The
 * ledger would take hours for a million: here it is switched off.
 */
export async function plantLines(
  database: Database,
  accountId: string,
  { lines, noteCharacters = 0 }: { lines: number; noteCharacters?: number },
): Promise<void> {
  const client = await database.connect();
  try {
    await client.query(
      'BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL session_replication_role = replica',
    );
    for (let first = 1; first <= lines; first += PLANTED_AT_ONCE) {
      const last = Math.min(lines, first + PLANTED_AT_ONCE - 1);
      const ids = 'SELECT md5($1 || n)::uuid AS id, n FROM generate_series($2::int, $3::int) n';
      await client.query(
        `INSERT INTO transfers (id, kind, dedupe_key, reference, note)
         SELECT id, 'top_up', 'planted-' || id, 'planted-' || n, repeat('x', $4) FROM (${ids}) planted`,
        [accountId, first, last, noteCharacters],
      );
      await client.query(
        `INSERT INTO entries (id, transfer_id, ledger_account_id, amount, line, balance, at)
         SELECT nextval('entries_id'), planted.id, a.id, side.sign * 100,
           CASE WHEN side.sign = 1 THEN a.lines + n END, CASE WHEN side.sign = 1 THEN a.balance + n * 100 END,
           '2000-01-02T00:00:00Z'::timestamptz + n * interval '1 second'
         FROM (${ids}) planted, (VALUES ('gains', -1), ('available', 1)) AS side (kind, sign)
         JOIN ledger_accounts a ON a.kind = side.kind WHERE a.account_id IS NULL OR a.account_id = $1::uuid`,
        [accountId, first, last],
      );
    }
    await client.query("UPDATE entries SET at = '2000-01-01T12:00:00Z' WHERE line = 1");
    await client.query(
      `UPDATE ledger_accounts SET lines = lines + $2::int, balance = balance + $2::int * 100, moved_at = now()
       WHERE account_id = $1 AND kind = 'available'`,
      [accountId, lines],
    );
    await client.query('COMMIT');
  } finally {
    client.release();
  }
}
