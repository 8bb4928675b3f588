import { InsufficientFunds } from '../../domain/errors.ts';
import type { Accepted } from '../../domain/operation.ts';
import { type Balance, balanceOf } from '../../ledger/accounts.ts';
import { placeHold } from '../../ledger/hold.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { insufficientBalanceAnswer } from './answers.ts';
import { answerOfWinner, insertTransaction, type PendingRow, refuse, storeAccepted } from './submissions.ts';

/** Sets the savepoint that a refused payout is rolled back to. */
export async function setSavepoint(db: Queryable): Promise<void> {
  await db.query('SAVEPOINT before_hold');
}

/**
 * A payout, its hold and its answer. One that a limit refuses, or that the balance does not cover, is no transaction:
 * everything since `setSavepoint` is taken back, and the refusal is kept under its key. `checkLimits` gives what keeps
 * that refusal; `answerOf` gets the balance after the hold.
 */
export async function acceptHeld(
  db: Queryable,
  row: PendingRow,
  {
    checkLimits,
    answerOf,
  }: {
    checkLimits?: () => Promise<(() => Promise<Accepted>) | null>;
    answerOf: (balance: Balance) => string;
  },
): Promise<Accepted> {
  const { submission, amount, fee } = row;
  const { accountId, request } = submission;
  if (!(await insertTransaction(db, row))) return answerOfWinner(db, submission);
  const keepRefusal = await checkLimits?.();
  if (keepRefusal) {
    await db.query('ROLLBACK TO SAVEPOINT before_hold');
    return keepRefusal();
  }
  try {
    await holdOf(db, row);
  } catch (error) {
    if (!(error instanceof InsufficientFunds)) throw error;
    await db.query('ROLLBACK TO SAVEPOINT before_hold');
    const { current } = await balanceOf(db, accountId, request.currency);
    return refuse(db, submission, insufficientBalanceAnswer(submission, { available: current, amount, fee }));
  }
  return storeAccepted(db, row, answerOf(await balanceOf(db, accountId, request.currency)));
}

/** Throws `InsufficientFunds` where the balance does not cover it. */
export function holdOf(
  db: Queryable,
  { submission, reference, amount: value, fee }: PendingRow,
): Promise<void> {
  const { transactionId, accountId, request } = submission;
  const { currency, channel } = request;
  return placeHold(db, { transactionId, accountId, currency, channel, reference, value, fee });
}
