import { minor } from '../../src/domain/money.ts';
import type { AccountInUse } from '../../src/reconciliation/explain.ts';
import { keptOf } from '../../src/reconciliation/formats/bytes.ts';
import { type Imported, importStatement } from '../../src/reconciliation/import.ts';
import type { Statement, StatementLine } from '../../src/reconciliation/statement.ts';
import { KNOWN_AS } from './item-names.ts';
import { CONNECTION } from './merchant.ts';
import type { Database } from './queryable.ts';

export const keys = [{ id: 'first', key: Buffer.alloc(32, 7) }] as const;

/** A wallet of ours at M-Pesa, whatever of it a test wants otherwise. */
export function walletAccount(also: Partial<AccountInUse> = {}): AccountInUse {
  return {
    id: 'm-pesa',
    theirs: '100100',
    currency: 'TZS',
    proves: ['clearing:m-pesa:TZS'],
    connections: null,
    group: 'm-pesa',
    format: 'csv',
    mapping: 'mpesa-legacy',
    graceMs: 86_400_000,
    chargeCeiling: minor(100_000),
    isNet: false,
    low: null,
    connection: CONNECTION,
    others: new Map([['bank', 'settlement::TZS']]),
    ...also,
  };
}

export function bankAccount(also: Partial<AccountInUse> = {}): AccountInUse {
  return walletAccount({
    id: 'bank',
    theirs: '0150',
    proves: ['settlement::TZS', 'clearing:bank:TZS'],
    group: 'bank',
    mapping: 'crdb',
    others: new Map([['m-pesa', 'clearing:m-pesa:TZS']]),
    ...also,
  });
}

/** Those of `npm start`, for tests; nothing of the bank's waits. */
export const statementAccounts: ReadonlyMap<string, AccountInUse> = new Map(
  [walletAccount(), bankAccount({ graceMs: 1 })].map((one) => [one.id, one]),
);

/** Milliseconds since it was midnight in Dar es Salaam. */
export const sinceMidnight = () => (Date.now() + 3 * 3_600_000) % 86_400_000;

/** Whole shillings; `minutes` ago it moved. In the first hour of a day up to 60 are shorter: it moved today at any hour. */
export type Move = Partial<Omit<StatementLine, 'amount'>> & { amount: number; minutes?: number };

/** A statement that ends now. Lines follow each other from `opening` (whole shillings). */
export function statementOf(account: AccountInUse, opening: number, moves: readonly Move[]): Statement {
  let balance = opening * 100;
  const [now, hour] = [Date.now(), Math.min(3_600_000, sinceMidnight())];
  const lines = moves.map(({ amount, minutes = moves.length, ...also }, index): StatementLine => {
    if (also.status === undefined || also.status === 'done') balance += amount * 100;
    return {
      no: index + 1,
      raw: `${also.receipt}, JANE DOE`,
      receipt: null,
      kind: amount > 0 ? 'payment' : 'payout',
      status: 'done',
      currency: 'TZS',
      at: new Date(now - Math.round((minutes / 60) * (minutes > 60 ? 3_600_000 : hour)) + index),
      reference: null,
      names: [],
      sweepTo: null,
      party: 'JANE DOE',
      balanceAfter: also.status === undefined || also.status === 'done' ? minor(balance) : null,
      text: 'Pay Bill',
      ...also,
      amount: minor(amount * 100),
    };
  });
  return {
    theirs: account.theirs,
    currency: 'TZS',
    period: null,
    opening: minor(opening * 100),
    closing: minor(balance),
    totals: { lines: null, paidIn: null, paidOut: null },
    lines,
  };
}

let files = 0;

/** Imports it as a file of its own, unless its bytes are given. */
export function importOf(
  database: Database,
  account: AccountInUse,
  statement: Statement,
  also: { bytes?: string; now?: Date } = {},
): Promise<Imported> {
  files += 1;
  const { bytes = `file ${files}`, ...rest } = also;
  const kept = keptOf(Buffer.from(bytes));
  return importStatement(database, { account, ...kept, statement, keys, actor: 'test', ...rest });
}

/** Imports a statement of these lines that begins with `opening` (whole shillings). */
export const importMoves = (
  database: Database,
  account: AccountInUse,
  moves: readonly Move[],
  opening = 0,
): Promise<Imported> => importOf(database, account, statementOf(account, opening, moves));

/**
 * What the account's balance is by our books less what its statements say: zero after every import that left nothing
 * waiting and nothing of ours unseen.
 */
export async function driftOf(database: Database, account: AccountInUse): Promise<number> {
  const { rows } = await database.query(
    `SELECT (SELECT coalesce(sum(amount), 0) FROM movement_entries WHERE book = ANY($2))::bigint
       - coalesce((SELECT running FROM statement_lines WHERE account = $1 AND NOT is_void AND running IS NOT NULL ORDER BY position DESC LIMIT 1), 0) AS drift`,
    [account.id, account.proves],
  );
  return rows[0].drift;
}

/** Everything that an import may have written, as one text. */
export async function digestOf(database: Database): Promise<string> {
  const parts = [
    'SELECT account, no, position, receipt, kind, amount, running, finding FROM statement_lines ORDER BY account, position',
    'SELECT l.account, l.position, m.pass, -e.amount AS amount FROM line_matches m JOIN statement_lines l ON l.id = m.line_id JOIN entries e ON e.id = m.entry_id ORDER BY 1, 2, 3, 4',
    `SELECT regexp_replace(receipt, '^line:.*', 'line:') AS receipt, ${KNOWN_AS}, amount, is_open FROM suspense_items ORDER BY 1, amount, known_as, is_open`,
    'SELECT a.code, sum(e.amount) FROM entries e JOIN ledger_accounts a ON a.id = e.ledger_account_id GROUP BY a.code ORDER BY a.code',
  ];
  const rows = [];
  for (const part of parts) rows.push((await database.query(part)).rows);
  return JSON.stringify(rows);
}
