import { CURRENCY, type Minor, minor } from '../domain/money.ts';
import type { Queryable } from '../platform/db/pool.ts';
import { codeOf, ensureServiceAccounts, type TransferKind } from './accounts.ts';
import { isPosted, movedBy, plainReference, postTransfer, type Transfer } from './transfer.ts';

export type CorrectedLine = {
  accountId: string;
  line: number;
  /** credited; below zero: debited */
  amount: Minor;
  kind: TransferKind;
  isFee: boolean;
  transactionId: string | null;
};

export async function findLine(
  db: Queryable,
  accountId: string,
  line: number,
): Promise<CorrectedLine | null> {
  const { rows } = await db.query(
    `SELECT t.kind, e.amount, e.is_fee, t.transaction_id
     FROM entries e JOIN transfers t ON t.id = e.transfer_id
     WHERE e.ledger_account_id = (SELECT id FROM ledger_accounts WHERE code = $1) AND e.line = $2`,
    [codeOf({ kind: 'available', accountId }, CURRENCY), line],
  );
  const [row] = rows;
  if (!row) return null;
  const { kind, amount, is_fee: isFee, transaction_id: transactionId } = row;
  return { accountId, line, amount: minor(amount), kind, isFee, transactionId };
}

/**
 * Corrects a line with a new one of today; the old one stays. The other side is `fees` for a fee, and our
 * bank account (`settlement`) for a top-up or withdrawal; otherwise we gain or lose the difference. False if
 * this reference was posted before. Throws InsufficientFunds. Call it last in the caller's transaction.
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
    dedupeKey: keyOfCorrection(accountId, reference),
    reference,
    note: `line ${line.line}: ${note}`,
    proposalId,
    lines: [otherSide(line, { amount, reference }), { account: { kind: 'available', accountId }, amount }],
  });
}

/** True if a correction of the merchant's statement was posted with this reference. */
export async function isCorrected(db: Queryable, accountId: string, reference: string): Promise<boolean> {
  return isPosted(db, keyOfCorrection(accountId, reference));
}

const keyOfCorrection = (accountId: string, reference: string) =>
  `correction:${accountId}:${plainReference(reference)}`;

function otherSide(
  { kind, isFee }: CorrectedLine,
  { amount, reference }: { amount: Minor; reference: string },
): Transfer['lines'][number] {
  if (isFee) return { account: { kind: 'fees' }, amount: -amount };
  if (kind === 'top_up' || kind === 'withdrawal')
    return { account: { kind: 'settlement' }, amount: -amount, moved: movedBy(reference) };
  return { account: { kind: amount > 0 ? 'losses' : 'gains' }, amount: -amount };
}
