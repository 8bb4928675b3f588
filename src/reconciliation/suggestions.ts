import type { KeyRing } from '../base/key-ring.ts';
import type { Queryable } from '../platform/db/pool.ts';
import { openWith, ownerOfLine } from './sealing.ts';

/** Suggestions are for people only; nothing books them. */

const WITHIN_MINUTES = 30;
const SUGGESTIONS_MAX = 5;

type OpenedLine = {
  at: string;
  /** minor units, positive: into the account */
  amount: number;
  currency: string;
  /** the line as it came */
  raw: string;
  text: string;
  party: string | null;
};

/** Returns null after an erasure. `line`: the line's database id. */
export async function openLine(
  db: Queryable,
  { line, keys }: { line: number; keys: KeyRing },
): Promise<OpenedLine | null> {
  const { rows } = await db.query(
    `SELECT l.no, l.statement_id AS "statementId", l.amount, l.currency, l.at, l.sealed,
       s.data_key AS "dataKey"
     FROM statement_lines l JOIN statements s ON s.id = l.statement_id
     WHERE l.id = $1 AND l.sealed IS NOT NULL`,
    [line],
  );
  const [found] = rows;
  if (!found?.sealed) return null;
  const { at, amount, currency } = found;
  const opened = openWith(keys, found)(found.sealed, ownerOfLine(found.statementId, found.no));
  return { at, amount, currency, ...JSON.parse(opened.toString('utf8')) };
}

/**
 * Suggests transactions for an open line, oldest first: same amount and direction, within half an hour, and a
 * number that fits the digits shown. None without digits.
 */
export async function suggestionsFor(db: Queryable, found: OpenedLine): Promise<string[]> {
  const { party, text } = found;
  const number = patternOf(`${party ?? ''} ${text}`);
  if (number === null) return [];
  const { rows: like } = await db.query(
    `SELECT t.id FROM transactions t
     WHERE t.created_at BETWEEN $1::timestamptz - $2 * interval '1 minute' AND $1::timestamptz + $2
       * interval '1 minute'
       AND t.amount = abs($3::bigint) AND t.currency = $4
       AND (t.type IN ('payout', 'payback')) = ($3::bigint < 0) AND t.msisdn LIKE $5
       AND NOT EXISTS (SELECT FROM transfers m JOIN entries e ON e.transfer_id = m.id
         JOIN line_matches x ON x.entry_id = e.id
         WHERE m.transaction_id = t.id AND m.kind <> 'suspense' AND NOT x.is_freed)
     ORDER BY t.created_at, t.id LIMIT $6`,
    [found.at, WITHIN_MINUTES, found.amount, found.currency, number, SUGGESTIONS_MAX],
  );
  return like.map(({ id }) => id);
}

/** Turns `2547****376` or `0754123456` into a LIKE pattern; null unless the last three digits are shown. */
export function patternOf(text: string): string | null {
  const shown = /(?<![\d*])\+?(255|0)?([67]\d{0,8})([*xX\u2022]{2,8})?(\d{3,6})?(?![\d*])/g;
  for (const [, , start = '', hidden, end = ''] of text.matchAll(shown)) {
    if (hidden === undefined && start.length === 9) return `255${start}`;
    if (hidden !== undefined && end.length >= 3) return `255${start}%${end}`;
  }
  return null;
}
