import { type Actor, audit } from '../db/audit.ts';
import type { Database, Queryable } from '../db/pool.ts';
import { inTransaction } from '../db/transaction.ts';
import { BrokenInvariant, InsufficientFunds } from '../domain/errors.ts';
import { CURRENCY, type Minor, minor } from '../domain/money.ts';
import { codeOf, type LedgerAccount, type TransferKind } from './accounts.ts';

export type Transfer = {
  kind: TransferKind;
  currency: string;
  transactionId: string | null;
  /** what makes this movement happen once, whoever tries again */
  dedupeKey: string;
  note?: string | undefined;
  /** what each account gains (positive) or loses (negative), in minor units; sums to zero; zero lines are left out */
  lines: { account: LedgerAccount; amount: number }[];
};

/**
 * Posts one balanced transfer, once: false when its dedupe key was posted before (then nothing moves).
 * Runs inside the caller's transaction, last of all, so that merchant rows are locked as briefly as possible.
 * Throws InsufficientFunds when a merchant account would become negative; the caller rolls back.
 */
export async function postTransfer(db: Queryable, transfer: Transfer): Promise<boolean> {
  const lines = transfer.lines
    .filter((line) => line.amount !== 0)
    .map((line) => ({
      code: codeOf(line.account, transfer.currency),
      amount: minor(line.amount),
      ...line.account,
    }));
  const { rowCount } = await db.query(
    `WITH posted AS (
       INSERT INTO transfers (kind, transaction_id, dedupe_key, note) VALUES ($1, $2, $3, $4)
       ON CONFLICT (dedupe_key) DO NOTHING RETURNING id)
     INSERT INTO entries (transfer_id, ledger_account_id, amount)
     SELECT posted.id, a.id, line.amount
     FROM posted, unnest($5::text[], $6::bigint[]) WITH ORDINALITY AS line (code, amount, position)
     JOIN ledger_accounts a ON a.code = line.code ORDER BY line.position`,
    [
      transfer.kind,
      transfer.transactionId,
      transfer.dedupeKey,
      transfer.note ?? null,
      lines.map((line) => line.code),
      lines.map((line) => line.amount),
    ],
  );
  if (rowCount === 0) return false;
  if (rowCount !== lines.length)
    throw new BrokenInvariant(`transfer ${transfer.dedupeKey} names a ledger account that does not exist`);
  await moveBalances(db, lines);
  return true;
}

/** `available` before `held`: the order of their ids, the same in every transfer, so that no two can deadlock. */
async function moveBalances(
  db: Queryable,
  lines: { kind: string; code: string; amount: Minor }[],
): Promise<void> {
  for (const kind of ['available', 'held']) {
    for (const line of lines.filter((candidate) => candidate.kind === kind)) {
      const { rowCount } = await db.query(
        'UPDATE ledger_accounts SET balance = balance + $2 WHERE code = $1 AND balance + $2 >= 0',
        [line.code, line.amount],
      );
      if (rowCount === 0) throw new InsufficientFunds();
    }
  }
}

export type Funding = {
  accountId: string;
  amount: Minor;
  /** who did it, for the audit log */
  actor: Actor;
  note?: string | undefined;
  /** the same key again moves nothing (a bank statement line, a ticket number) */
  dedupeKey: string;
};

export type FundingKind = 'top_up' | 'withdrawal';

/** `postFunding` of a top-up, in a transaction of its own. */
export function topUp(database: Database, funding: Funding): Promise<boolean> {
  return inTransaction(database, (db) => postFunding(db, 'top_up', funding));
}

/**
 * A merchant's money reached our bank account (settlement → available) or left it (available → settlement), audited.
 * False when this key was posted before. Throws InsufficientFunds. Inside the caller's transaction, last of all.
 */
export async function postFunding(db: Queryable, kind: FundingKind, funding: Funding): Promise<boolean> {
  if (funding.amount <= 0) throw new RangeError('an amount above zero is needed');
  const { accountId, note } = funding;
  const amount = kind === 'top_up' ? funding.amount : -funding.amount;
  const posted = await postTransfer(db, {
    kind,
    currency: CURRENCY,
    transactionId: null,
    dedupeKey: `${kind}:${accountId}:${funding.dedupeKey}`,
    note,
    lines: [
      { account: { kind: 'settlement' }, amount: -amount },
      { account: { kind: 'available', accountId }, amount },
    ],
  });
  if (!posted) return false;
  await audit(db, {
    actor: funding.actor,
    action: kind === 'top_up' ? 'accounts.top-up' : 'accounts.withdraw',
    subject: accountId,
    detail: {
      amount: funding.amount,
      currency: CURRENCY,
      note: note ?? null,
      reference: funding.dedupeKey,
    },
  });
  return true;
}
