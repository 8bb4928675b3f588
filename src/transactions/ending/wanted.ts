import type { Cause } from '../../domain/ending.ts';
import type { FailureCode } from '../../domain/failure.ts';
import { type BilledTransaction, isBilled, type Transaction } from '../../domain/transaction.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { raiseAttention } from '../care/attention.ts';
import { isDecided, takeDecision } from '../care/decisions.ts';
import { fenceOf, requireOpenFence } from '../care/fence.ts';
import { hasArrived } from '../channel/enquiries.ts';
import { sendHistory } from '../channel/sends.ts';
import { expiryOf, isUntouched, keepWaiting } from '../rows/bill-store.ts';
import { isLine, shownBy } from '../rows/moved.ts';
import type { Ending } from './ending.ts';

/** Returns the ending that its workflow asks for, if the rows allow it now. Call it under the row lock. */
export async function endingOfCause(
  db: Queryable,
  transaction: Transaction,
  cause: Cause,
): Promise<Ending | null> {
  switch (cause.kind) {
    case 'notifications':
    case 'answer':
    case 'unanswered':
      return null;
    case 'cancel':
      // While the fence is closed nothing is cancelled: a missing row may be lost.
      if ((await fenceOf(db)) !== null) return null;
      return (await mayCancel(db, transaction)) ? { kind: 'cancelled' } : null;
    case 'cancelled_before':
      // The lost primary cancelled it, but this one may have sent it: its rows decide.
      return (await mayCancel(db, transaction)) ? { kind: 'cancelled' } : null;
    case 'expired':
      await requireOpenFence(db);
      return isBilled(transaction) ? endingOfExpiry(db, transaction) : null;
    case 'unsent':
      await requireOpenFence(db);
      return (await neverSent(db, transaction)) ? failUnlessShown(db, transaction, false) : null;
    case 'never_arrived':
      await requireOpenFence(db);
      // A decision of two operators outranks "not found".
      if (await isDecided(db, transaction.id)) return null;
      // Check again under the lock: the channel may have answered since its last "not found".
      return failUnlessShown(db, transaction, await hasArrived(db, transaction.id));
  }
}

/** Ends an expired bill. If a statement shows a payment, waits for its notification or a decision. */
async function endingOfExpiry(db: Queryable, { id, bill }: BilledTransaction): Promise<Ending | null> {
  const { isOver, shown } = await expiryOf(db, id);
  if (!isOver) return null;
  if (shown === null) return failedOf(bill.payments > 0 ? 'expired_partially_paid' : 'expired');
  await keepWaiting(db, id);
  if (isLine(shown)) return null;
  const detail =
    `The bill has expired, but the statement shows a payment of it (${shown}): ` +
    'it stays open until that item has left suspense';
  await raiseAttention(db, { transactionId: id, reason: 'unexpected_payment', detail, thing: shown });
  return null;
}

/** Fails a transaction that was not sent or not found. If a statement shows its money, operators decide. */
async function failUnlessShown(
  db: Queryable,
  { id: transactionId }: Transaction,
  hasArrived: boolean,
): Promise<Ending | null> {
  const shown = await shownBy(db, transactionId);
  if (shown === null) return hasArrived ? null : failedOf('network_unavailable');
  const detail = `Its channel does not know it, but a statement shows that its money moved (${shown})`;
  await raiseAttention(db, { transactionId, reason: 'unknown_outcome', detail });
  return null;
}

/** Reads the operators' decision from Postgres; the caller only triggers this. */
export async function endingOfDecision(db: Queryable, transaction: Transaction): Promise<Ending | null> {
  // Our own rows say what customers paid on a bill, so operators cannot decide it.
  if (isBilled(transaction)) return null;
  const decided = await takeDecision(db, transaction.id);
  if (decided === null) return null;
  // A restore may have lost a notification that outweighs the decision.
  await requireOpenFence(db);
  return decided === 'failed'
    ? failedOf('network_error')
    : { kind: 'succeeded', fullName: null, channelReference: null, isDecided: true };
}

function failedOf(code: FailureCode): Ending {
  return { kind: 'failed', code, channelReference: null };
}

function mayCancel(db: Queryable, transaction: Transaction): Promise<boolean> {
  return isBilled(transaction) ? isUntouched(db, transaction.id) : neverSent(db, transaction);
}

/** True if nothing was sent; "not found" does not prove that. Call it under the row lock of `recordSend`. */
async function neverSent(db: Queryable, transaction: Transaction): Promise<boolean> {
  const { sends, restored } = await sendHistory(db, transaction.id);
  return sends === 0 && !restored;
}
