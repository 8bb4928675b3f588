import { insertCallbackEvent } from '../../callbacks/event.ts';
import type { Queryable } from '../../db/pool.ts';
import type { Notification } from '../../domain/channel.ts';
import { BrokenInvariant } from '../../domain/errors.ts';
import { connectionOf, isMerchants, type Transaction } from '../../domain/transaction.ts';
import { postReturn } from '../../ledger/movement.ts';
import { postSuspense } from '../../ledger/suspense.ts';
import { nameItem } from '../../ledger/suspense-receipts.ts';
import { raiseAttention } from '../care/attention.ts';
import { noteAnswer } from '../care/decisions.ts';
import { RETURN, takenBackAs } from '../odd-money/suspense.ts';
import { getTransaction } from '../rows/store.ts';

export type ReturnContent = Notification['content'] & { kind: 'returned' };

/**
 * A bank sent money back. For a paid payout the value goes to the merchant's balance and the status stays `paid`
 * (docs/decisions/0003); a return of another amount, a second one, or of a payout that is not paid goes to suspense. What
 * the books took back before, because the bank had reported a failure, is there already.
 * `unapplied` while the payout is pending: settle comes back to it. A person is notified in any case.
 */
export async function takeReturn(
  db: Queryable,
  transaction: Transaction,
  returned: ReturnContent,
): Promise<'unapplied' | 'applied' | 'contradicting'> {
  const detail = `The bank returned the payout: ${returned.reason}`;
  // Every bank numbers its returns for itself: ours is part of the name.
  const names = [transaction.reference, returned.channelReference].filter((name) => name !== null);
  const receipt = `${RETURN}${names.join(':')}`;
  await raiseAttention(db, { transactionId: transaction.id, reason: 'returned', detail, thing: receipt });
  if (transaction.status === 'pending') return 'unapplied';
  const subject = {
    transactionId: transaction.id,
    currency: returned.currency,
    channel: transaction.channel,
    connection: connectionOf(transaction),
    amount: returned.amount,
  };
  const matches = returned.amount === transaction.amount && returned.currency === transaction.currency;
  const takenBack = await takenBackAs(db, transaction);
  if (takenBack !== null && matches && (await nameItem(db, { ...subject, receipt: takenBack, as: receipt })))
    return 'contradicting';
  const isFirst = takenBack === null && transaction.returnedAt === null;
  if (!isMerchants(transaction) || transaction.status !== 'paid' || !matches || !isFirst) {
    await postSuspense(db, { ...subject, direction: 'collection', receipt, note: detail });
    return 'contradicting';
  }
  await db.query(
    `UPDATE transactions SET returned_at = moment.at, return_reason = $2, updated_at = moment.at
     FROM (SELECT clock_timestamp() AS at) moment WHERE id = $1`,
    [transaction.id, returned.reason],
  );
  // What came back had gone out: people who said so were right.
  await noteAnswer(db, transaction.id, 'confirmed');
  const after = await getTransaction(db, transaction.id);
  if (!after || !isMerchants(after)) throw new BrokenInvariant('the row we hold the lock of is gone');
  await insertCallbackEvent(db, after, 'payout.returned');
  const { accountId, reference } = transaction;
  await postReturn(db, { ...subject, accountId, reference });
  return 'applied';
}

/** Returns that came before the payout was final. Inside the settling transaction, under the row lock. */
export async function applyWaitingReturn(db: Queryable, transaction: Transaction): Promise<void> {
  if (transaction.mode !== 'bank') return;
  const { rows } = await db.query(
    `SELECT id, content FROM notifications
     WHERE transaction_id = $1 AND state = 'unapplied' AND content->>'kind' = 'returned' ORDER BY id`,
    [transaction.id],
  );
  for (const row of rows) {
    // As it is now: the return before this one may have been taken.
    const now = await getTransaction(db, transaction.id);
    if (!now) throw new BrokenInvariant('the row we hold the lock of is gone');
    const state = await takeReturn(db, now, row.content);
    await db.query('UPDATE notifications SET state = $2 WHERE id = $1', [row.id, state]);
  }
}
