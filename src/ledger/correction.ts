import type { Queryable } from '../db/pool.ts';
import { CURRENCY, type Minor } from '../domain/money.ts';
import { codeOf, ensureServiceAccounts, type LedgerAccount, type TransferKind } from './accounts.ts';
import { postTransfer } from './transfer.ts';

/** The line of a merchant's statement that a correction is about. */
export type CorrectedLine = {
  accountId: string;
  line: number;
  kind: TransferKind;
  isFee: boolean;
  transactionId: string | null;
};

/** Null where the account has no such line. */
export async function findLine(
  db: Queryable,
  accountId: string,
  line: number,
): Promise<CorrectedLine | null> {
  const { rows } = await db.query(
    `SELECT t.kind, e.is_fee, t.transaction_id FROM entries e JOIN transfers t ON t.id = e.transfer_id
     WHERE e.ledger_account_id = (SELECT id FROM ledger_accounts WHERE code = $1) AND e.line = $2`,
    [codeOf({ kind: 'available', accountId }, CURRENCY), line],
  );
  const [row] = rows;
  if (!row) return null;
  return { accountId, line, kind: row.kind, isFee: row.is_fee, transactionId: row.transaction_id };
}

/**
 * Makes good what was wrong about a line, as a line of today; the old one stays. The other side is where the old line's
 * own was when that was ours to change: our fee, or what came to and left the bank; else we gain or lose it. False when
 * this reference was posted before. Throws InsufficientFunds. Inside the caller's transaction, last of all.
 */
export async function postCorrection(
  db: Queryable,
  line: CorrectedLine,
  correction: { amount: Minor; reference: string; note: string; proposalId: string },
): Promise<boolean> {
  const { accountId, transactionId } = line;
  const { amount, reference, note, proposalId } = correction;
  await ensureServiceAccounts(db, [], CURRENCY);
  return postTransfer(db, {
    kind: 'correction',
    currency: CURRENCY,
    transactionId,
    dedupeKey: `correction:${accountId}:${reference}`,
    reference,
    note: `line ${line.line}: ${note}`,
    proposalId,
    lines: [
      { account: otherSide(line, amount), amount: -amount },
      { account: { kind: 'available', accountId }, amount },
    ],
  });
}

function otherSide({ kind, isFee }: CorrectedLine, amount: Minor): LedgerAccount {
  if (isFee) return { kind: 'fees' };
  if (kind === 'top_up' || kind === 'withdrawal') return { kind: 'settlement' };
  return { kind: amount > 0 ? 'losses' : 'gains' };
}
