import { randomUUID } from 'node:crypto';
import { BrokenInvariant, InsufficientFunds } from '../domain/errors.ts';
import { CURRENCY, type Minor, minor } from '../domain/money.ts';
import { type Actor, audit } from '../platform/db/audit.ts';
import { isNotCovered } from '../platform/db/errors.ts';
import type { Database, Queryable } from '../platform/db/pool.ts';
import { prepared } from '../platform/db/prepared.ts';
import { inTransaction } from '../platform/db/transaction.ts';
import { codeOf, type LedgerAccount, type TransferKind } from './accounts.ts';

export type Transfer = {
  /** given where a row that was written before names it */
  id?: string;
  kind: TransferKind;
  currency: string;
  transactionId: string | null;
  /** what makes this movement happen once, however often it is tried */
  dedupeKey: string;
  /** what merchants know it by */
  reference: string | null;
  note?: string | undefined;
  /** what two operators agreed on, where it moves by their word */
  proposalId?: string;
  /**
   * What each account gains (positive) or loses (negative), in minor units; sums to zero; zero lines are left out. On a
   * merchant's account each is a line of the statement, and `isFee` says which of them is our fee.
   */
  lines: { account: LedgerAccount; amount: number; isFee?: true }[];
};

/**
 * Posts one balanced transfer, once: false when its dedupe key was posted before (then nothing moves).
 * Runs inside the caller's transaction, last of all, so that merchant rows are locked as briefly as possible: the
 * entries themselves move the balances. Merchants' accounts come last and in the order of their ids, the same in every
 * transfer, so that no two can deadlock. Throws InsufficientFunds when one would become negative; the caller rolls back.
 */
export async function postTransfer(db: Queryable, transfer: Transfer): Promise<boolean> {
  const lines = transfer.lines.filter((line) => line.amount !== 0);
  const posted = db.query(
    prepared(`WITH posted AS (
       INSERT INTO transfers (id, kind, transaction_id, dedupe_key, reference, note, proposal_id)
       VALUES ($9, $1, $2, $3, $4, $5, $10)
       ON CONFLICT (dedupe_key) DO NOTHING RETURNING id)
     INSERT INTO entries (transfer_id, ledger_account_id, amount, is_fee)
     SELECT posted.id, a.id, line.amount, line.is_fee
     FROM posted, unnest($6::text[], $7::bigint[], $8::boolean[]) WITH ORDINALITY AS line (code, amount, is_fee, position)
     JOIN ledger_accounts a ON a.code = line.code ORDER BY a.balance IS NOT NULL, a.id, line.position`),
    [
      transfer.kind,
      transfer.transactionId,
      transfer.dedupeKey,
      transfer.reference,
      transfer.note ?? null,
      lines.map((line) => codeOf(line.account, transfer.currency)),
      lines.map((line) => minor(line.amount)),
      lines.map((line) => line.isFee ?? false),
      transfer.id ?? randomUUID(),
      transfer.proposalId ?? null,
    ],
  );
  const { rowCount } = await posted.catch((error: unknown) => {
    throw isNotCovered(error) ? new InsufficientFunds() : error;
  });
  if (rowCount === 0) return false;
  if (rowCount !== lines.length)
    throw new BrokenInvariant(`transfer ${transfer.dedupeKey} names a ledger account that does not exist`);
  return true;
}

/** `postTransfer` of what a row beside it allows: it cannot have been posted before. Throws BrokenInvariant where it was. */
export async function postOnce(db: Queryable, transfer: Transfer): Promise<void> {
  if (await postTransfer(db, transfer)) return;
  throw new BrokenInvariant(`transfer ${transfer.dedupeKey} was posted before its row said so`);
}

export type Funding = {
  accountId: string;
  amount: Minor;
  /** who did it, for the audit log */
  actor: Actor;
  note?: string | undefined;
  /** the bank's reference of the movement: again, for whichever merchant, it moves nothing */
  dedupeKey: string;
};

export type FundingKind = 'top_up' | 'withdrawal';

/** A bank's reference as it is compared: however it is typed, it is one movement. */
export const plainReference = (reference: string): string =>
  reference.toUpperCase().replace(/[^A-Z0-9]/g, '') || reference;

const keyOfFunding = (reference: string) => `funding:${plainReference(reference)}`;

/** Whether money was posted for this reference of the bank, of whichever merchant. */
export async function isFunded(db: Queryable, reference: string): Promise<boolean> {
  const { rowCount } = await db.query('SELECT 1 FROM transfers WHERE dedupe_key = $1', [
    keyOfFunding(reference),
  ]);
  return rowCount === 1;
}

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
    dedupeKey: keyOfFunding(funding.dedupeKey),
    reference: funding.dedupeKey,
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
