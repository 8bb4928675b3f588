import { kinds, type Mode } from '../domain/kinds.ts';
import { type Minor, minor } from '../domain/money.ts';
import type { StatementBounds, StatementLine, StatementType } from '../domain/statement.ts';
import { readList } from '../platform/db/listing.ts';
import type { Database, Queryable, RowOf } from '../platform/db/pool.ts';
import { codeOf, type TransferKind } from './accounts.ts';

/** The database numbers the entries of `available` without gaps, so a page is a range of numbers. */
export type StatementRange = { accountId: string; currency: string; from: string; to: string };

/** Reads a statement's bounds and the requested lines, as of one moment. */
export async function readStatement(
  database: Database,
  range: StatementRange,
  page: { offset: number; count: number },
): Promise<StatementBounds & { lines: StatementLine[] }> {
  const code = codeOf({ kind: 'available', accountId: range.accountId }, range.currency);
  const { linesInAll, ...read } = await readList(database, async (db) => {
    const bounds = await boundsOf(db, code, range);
    const after = bounds.lineBefore + page.offset;
    const until = Math.min(bounds.lastLine, after + page.count);
    return { ...bounds, lines: after < until ? await linesOf(db, { code, after, until }) : [] };
  });
  return {
    ...read,
    final: linesInAll > read.lastLine || (await isFinal(database, code, range.to, linesInAll)),
  };
}

/** Reads some thousand lines at a time without holding a connection: numbered lines do not change. */
export async function* streamLines(
  database: Database,
  range: StatementRange,
  { lineBefore, lastLine }: StatementBounds,
  batchLines: number,
): AsyncGenerator<StatementLine[]> {
  const code = codeOf({ kind: 'available', accountId: range.accountId }, range.currency);
  for (let after = lineBefore; after < lastLine; after += batchLines)
    yield await linesOf(database, { code, after, until: Math.min(lastLine, after + batchLines) });
}

/** Times rise with the numbers, so the last line before a moment has its balance. */
async function boundsOf(db: Queryable, code: string, { from, to }: StatementRange) {
  const lastBefore = <const M extends string>(moment: M) =>
    `LEFT JOIN LATERAL (
    SELECT e.line, e.balance FROM entries e
    WHERE e.ledger_account_id = a.id AND e.at < ${moment} AND e.line IS NOT NULL
    ORDER BY e.at DESC, e.line DESC LIMIT 1)` as const;
  const { rows } = await db.query(
    `SELECT a.lines, opening.line AS line_before, opening.balance AS opening, closing.line AS last_line,
       closing.balance AS closing
     FROM ledger_accounts a ${lastBefore('$2::timestamptz')} opening
       ON true ${lastBefore('$3::timestamptz')} closing ON true
     WHERE a.code = $1`,
    [code, from, to],
  );
  const [row] = rows;
  return {
    linesInAll: Number(row?.lines ?? 0),
    lineBefore: Number(row?.line_before ?? 0),
    lastLine: Number(row?.last_line ?? 0),
    opening: minor(row?.opening ?? 0),
    closing: minor(row?.closing ?? 0),
  };
}

/** A range is final once it is over and nothing locks the balance: later transactions get later times. */
async function isFinal(database: Database, code: string, to: string, lines: number): Promise<boolean> {
  const { rows } = await database.query('SELECT lines_at_rest($1, $2::timestamptz) = $3 AS final', [
    code,
    to,
    lines,
  ]);
  return rows[0].final === true;
}

/** Sums one kind of fee, taken or given back, in minor units. */
export type FeeTotal = { mode: Mode | null; description: string; lines: number; amount: Minor };

/** `final`: no later event can change these fees. */
export async function readFeeStatement(
  database: Database,
  range: StatementRange,
): Promise<{ fees: FeeTotal[]; total: Minor; final: boolean }> {
  const bounds = await readStatement(database, range, { offset: 0, count: 0 });
  const fees = await sumFees(database, range, bounds);
  return { fees, total: minor(fees.reduce((sum, { amount }) => sum + amount, 0)), final: bounds.final };
}

/** lines per SQL statement: a busy month has millions */
const SUMMED_LINES = 50_000;

async function sumFees(
  db: Queryable,
  range: StatementRange,
  { lineBefore, lastLine }: StatementBounds,
): Promise<FeeTotal[]> {
  const code = codeOf({ kind: 'available', accountId: range.accountId }, range.currency);
  const sums = new Map<string, FeeTotal>();
  for (let after = lineBefore; after < lastLine; after += SUMMED_LINES) {
    const { rows } = await db.query(FEES, [code, after, Math.min(lastLine, after + SUMMED_LINES)]);
    for (const row of rows) {
      const mode = row.mode as Mode | null;
      const { description } = sayWhat({ kind: kindOf(row), mode, isFee: true, note: null });
      const before = sums.get(description);
      const lines = row.lines + (before?.lines ?? 0);
      sums.set(description, { mode, description, lines, amount: minor(row.amount + (before?.amount ?? 0)) });
    }
  }
  return [...sums.values()].sort((one, other) => (one.description < other.description ? -1 : 1));
}

const FEES = `SELECT t.kind, x.mode, n.purpose, count(*)::int AS lines, sum(e.amount)::bigint AS amount
     FROM entries e JOIN transfers t ON t.id = e.transfer_id
     LEFT JOIN transactions x ON x.id = t.transaction_id
     LEFT JOIN numbers n ON n.id = x.number_id
     WHERE e.ledger_account_id = (SELECT id FROM ledger_accounts WHERE code = $1) AND e.line > $2
       AND e.line <= $3 AND e.is_fee
     GROUP BY t.kind, x.mode, n.purpose /* never null: lines, amount */`;

const LINES = `SELECT e.line, e.at, e.amount, e.balance, e.is_fee, t.kind, t.transaction_id, t.reference,
       t.note, x.mode, n.purpose,
       CASE WHEN e.is_fee THEN NULL WHEN t.kind = 'hold' OR t.kind = 'collection' AND x.mode = 'ussd' THEN 0
         WHEN t.kind = 'collection' THEN (SELECT r.number FROM bill_receipts r
           WHERE r.receipt = t.reference AND r.transaction_id = x.id AND r.outcome = 'accepted'
             AND t.dedupe_key = 'collection:' || x.id || ':' || r.space || ':' || r.receipt) END AS part
     FROM entries e JOIN transfers t ON t.id = e.transfer_id
     LEFT JOIN transactions x ON x.id = t.transaction_id
     LEFT JOIN numbers n ON n.id = x.number_id
     WHERE e.ledger_account_id = (SELECT id FROM ledger_accounts WHERE code = $1) AND e.line > $2
       AND e.line <= $3
     ORDER BY e.line /* never null: line, at, balance */`;

async function linesOf(
  db: Queryable,
  { code, after, until }: { code: string; after: number; until: number },
): Promise<StatementLine[]> {
  const { rows } = await db.query(LINES, [code, after, until]);
  return rows.map(toLine);
}

function toLine(row: RowOf<typeof LINES>): StatementLine {
  return {
    line: row.line,
    at: row.at,
    ...sayWhat({ kind: kindOf(row), mode: row.mode as Mode | null, isFee: row.is_fee, note: row.note }),
    transactionId: row.transaction_id,
    part: row.part,
    reference: row.reference,
    amount: minor(row.amount),
    balance: minor(row.balance),
  };
}

/** A payment to a number of purpose `top_up` is a top-up, however it is collected. */
function kindOf({ kind, purpose }: { kind: TransferKind; purpose: string | null }): TransferKind {
  return kind === 'collection' && purpose === 'top_up' ? 'top_up' : kind;
}

/** A statement's type and words for each kind of transfer. `of_mode`: the table of kinds decides. */
const movements: Record<TransferKind, { type: StatementType | 'of_mode'; say(noun: string): string }> = {
  collection: { type: 'of_mode', say: (noun) => noun },
  hold: { type: 'of_mode', say: (noun) => noun },
  release: { type: 'payout_reversal', say: (noun) => `${noun} that was not made` },
  reversal: { type: 'return', say: (noun) => `${noun} that was returned` },
  top_up: { type: 'top_up', say: () => 'Top-up' },
  withdrawal: { type: 'withdrawal', say: () => 'Withdrawal' },
  suspense_release: { type: 'adjustment', say: (noun) => `${noun} that was cleared up` },
  correction: { type: 'adjustment', say: () => 'Correction' },
  // These kinds do not touch `available`.
  suspense_return: { type: 'adjustment', say: () => 'Adjustment' },
  write_off: { type: 'adjustment', say: () => 'Adjustment' },
  payout: { type: 'adjustment', say: () => 'Adjustment' },
  payback: { type: 'adjustment', say: () => 'Adjustment' },
  payback_paid: { type: 'adjustment', say: () => 'Adjustment' },
  payback_failed: { type: 'adjustment', say: () => 'Adjustment' },
  suspense: { type: 'adjustment', say: () => 'Adjustment' },
  charge: { type: 'adjustment', say: () => 'Adjustment' },
  sweep: { type: 'adjustment', say: () => 'Adjustment' },
  own: { type: 'adjustment', say: () => 'Adjustment' },
  void: { type: 'adjustment', say: () => 'Adjustment' },
};

/** A hold without a transaction is a whole batch's. */
function statementOfBatch(kind: TransferKind) {
  return kind === 'hold' || kind === 'release'
    ? ({ type: 'payout', noun: 'Batch of payouts' } as const)
    : null;
}

/** Our fee is a separate line, also when it is given back. */
function sayWhat(entry: {
  kind: TransferKind;
  /** null without a transaction */
  mode: Mode | null;
  isFee: boolean;
  note: string | null;
}): { type: StatementType; description: string } {
  const movement = movements[entry.kind];
  const ofMode = entry.mode === null ? statementOfBatch(entry.kind) : kinds[entry.mode].statement;
  const type = movement.type === 'of_mode' ? (ofMode?.type ?? 'adjustment') : movement.type;
  const words = movement.say(ofMode?.noun ?? 'Movement');
  if (entry.isFee) return { type: 'fee', description: `Fee: ${words}` };
  return { type, description: entry.note === null ? words : `${words}: ${entry.note}` };
}
