import type { Queryable } from '../db/pool.ts';
import { InsufficientFunds } from '../domain/errors.ts';
import type { Accepted } from '../domain/operation.ts';
import { type Balance, balanceOf } from '../ledger/accounts.ts';
import { placeHold } from '../ledger/hold.ts';
import { insufficientBalanceAnswer } from './answers.ts';
import { insertTransaction, lostRace, type PendingRow, refuse, storeAccepted } from './submissions.ts';

/** What follows is taken back when the balance does not cover the hold. */
export async function beginHold(db: Queryable): Promise<void> {
  await db.query('SAVEPOINT before_hold');
}

/**
 * A payout, its hold and its answer. One that the balance does not cover is no transaction: everything since `beginHold`
 * is taken back, and the refusal is kept under its key. `answerOf` gets the balance after the hold.
 */
export async function acceptHeld(
  db: Queryable,
  row: PendingRow,
  answerOf: (balance: Balance) => string,
): Promise<Accepted> {
  const { submission, amount, fee } = row;
  const { accountId, request } = submission;
  if (!(await insertTransaction(db, row))) return lostRace(db, submission);
  try {
    await placeHold(db, {
      transactionId: submission.transactionId,
      accountId,
      currency: request.currency,
      channel: request.channel,
      value: amount,
      fee,
    });
  } catch (error) {
    if (!(error instanceof InsufficientFunds)) throw error;
    await db.query('ROLLBACK TO SAVEPOINT before_hold');
    const { current } = await balanceOf(db, accountId, request.currency);
    return refuse(db, submission, insufficientBalanceAnswer(submission, { available: current, amount, fee }));
  }
  return storeAccepted(db, submission, answerOf(await balanceOf(db, accountId, request.currency)));
}
