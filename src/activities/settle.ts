import { insertCallbackEvent } from '../callbacks/event.ts';
import { audit } from '../db/audit.ts';
import type { Database, Queryable } from '../db/pool.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Failed, Succeeded } from '../domain/channel.ts';
import { BrokenInvariant } from '../domain/errors.ts';
import type { FailureCode } from '../domain/failure.ts';
import { isFinal, type Transaction } from '../domain/transaction.ts';
import { releaseHold, takeHold } from '../ledger/hold.ts';
import { postCollection } from '../ledger/movement.ts';
import { raiseAttention, resolveAttention } from '../transactions/attention.ts';
import { isUntouched, noteHeard } from '../transactions/bill-store.ts';
import { hasArrived } from '../transactions/enquiries.ts';
import { applyWaitingReturn } from '../transactions/returns.ts';
import { sendHistory } from '../transactions/sends.ts';
import { lockTransaction } from '../transactions/store.ts';
import { isOurs, takeLateSuccess } from '../transactions/suspense.ts';
import { asFailure } from './failure.ts';

/** Why a transaction may end. Stored notifications are read in any case; whoever reports it, an explicit success wins. */
export type Cause =
  /** an explicit answer of the channel to a send or an enquiry */
  | { kind: 'answer'; result: Succeeded | Failed }
  /** notifications came in: whatever they say */
  | { kind: 'notifications' }
  /** the merchant (or an operator) cancels: only before the hand-over */
  | { kind: 'cancel' }
  /** nothing was ever sent, provably, and it is too late to send */
  | { kind: 'unsent' }
  /** `not found` held long enough after the last send: it never arrived */
  | { kind: 'never_arrived' }
  /** the time of a bill or QR code is over */
  | { kind: 'expired' }
  /** a person decided, after the channel could not be brought to answer */
  | { kind: 'decision'; outcome: 'paid' | 'failed'; actor: string; note: string };

export type Settled = {
  status: Transaction['status'];
  /** callback events to deliver, oldest first: of this settlement or of an earlier one that was not delivered */
  events: string[];
  /** a person has to look at it */
  attention: boolean;
};

type Verdict =
  | { status: 'succeeded'; fullName: string | null; channelReference: string | null }
  | { status: 'failed'; code: FailureCode; channelReference: string | null }
  | { status: 'cancelled' };

/**
 * pending → final, in one Postgres transaction under the transaction's row lock: state, ledger and the bytes of the
 * callback together or not at all. Run twice it changes nothing and returns what the first run decided.
 */
export function settle(database: Database, transactionId: string, cause: Cause): Promise<Settled> {
  return inTransaction(database, async (db) => {
    let transaction = await lockTransaction(db, transactionId);
    if (!transaction) throw new Error(`transaction ${transactionId} does not exist`);
    const heard = cause.kind === 'answer' ? [cause.result] : [];
    if (!isFinal(transaction.status)) {
      heard.unshift(...(await takeNotifications(db, transaction)));
      const told = verdictOfWords(transaction, heard);
      const verdict = told ?? (await verdictOf(db, transaction, cause));
      if (verdict)
        transaction = await apply(db, transaction, verdict, told ? { kind: 'notifications' } : cause);
    }
    // One success ends a transaction. Any other is another movement, or came after the end: never dropped.
    for (const word of heard) if (word.kind === 'succeeded') await takeLateSuccess(db, transaction, word);
    if (transaction.bill) await noteHeard(db, transaction.id);
    return report(db, transactionId);
  });
}

/**
 * Settles a success where it is heard: the flow may have stopped listening. What no retry can mend calls a person and is
 * left to the flow's own settlement, which ends it; thrown here, it would only be heard again and again.
 */
export async function settleHeard(
  database: Database,
  transactionId: string,
  result: Succeeded,
): Promise<void> {
  await settle(database, transactionId, { kind: 'answer', result }).catch(async (error) => {
    const failure = asFailure(error);
    if (failure === error) throw error;
    const detail = `A success could not be settled: ${failure.message}`;
    await raiseAttention(database, { transactionId, reason: 'broken', detail });
  });
}

/** What stored notifications say, in the order in which they came; from now on they are read. */
async function takeNotifications(db: Queryable, transaction: Transaction): Promise<(Succeeded | Failed)[]> {
  // A bill is paid through its own door, however its payment is announced elsewhere.
  if (transaction.bill) return [];
  const { rows } = await db.query(
    `UPDATE notifications SET state = 'applied' WHERE transaction_id = $1 AND state = 'unapplied' AND content->>'kind' IN ('succeeded', 'failed')
     RETURNING id, content`,
    [transaction.id],
  );
  return rows.sort((a, b) => a.id - b.id).map((row) => row.content);
}

/** A success that is ours beats every failure, whichever way each of them was reported. */
function verdictOfWords(transaction: Transaction, words: (Succeeded | Failed)[]): Verdict | null {
  for (const word of words)
    if (word.kind === 'succeeded' && isOurs(transaction, word)) return { ...word, status: 'succeeded' };
  const failure = words.find((word) => word.kind === 'failed');
  return failure ? { ...failure, status: 'failed' } : null;
}

async function verdictOf(db: Queryable, transaction: Transaction, cause: Cause): Promise<Verdict | null> {
  switch (cause.kind) {
    case 'notifications':
    case 'answer':
      return null;
    case 'cancel':
      return (await mayCancel(db, transaction)) ? { status: 'cancelled' } : null;
    case 'expired':
      return failedOf(transaction.bill?.payments ? 'expired_partially_paid' : 'expired');
    case 'unsent':
      return (await neverSent(db, transaction)) ? failedOf('network_unavailable') : null;
    case 'never_arrived':
      // Asked again under the lock: a word of the channel may have come in since its last "not found".
      return (await hasArrived(db, transaction.id)) ? null : failedOf('network_unavailable');
    case 'decision':
      // What customers paid or did not pay is no matter of opinion.
      if (transaction.bill) return null;
      if (cause.outcome === 'failed') return failedOf('network_error');
      return { status: 'succeeded', fullName: null, channelReference: null };
  }
}

function failedOf(code: FailureCode): Verdict {
  return { status: 'failed', code, channelReference: null };
}

function mayCancel(db: Queryable, transaction: Transaction): Promise<boolean> {
  return transaction.bill ? isUntouched(db, transaction.id) : neverSent(db, transaction);
}

/** No send is recorded, or every one provably left nothing: "not found" is no such proof. Decided under the row lock that `recordSend` takes too. */
async function neverSent(db: Queryable, transaction: Transaction): Promise<boolean> {
  return (await sendHistory(db, transaction.id)).left === 0;
}

/** Returns the transaction as it is then. */
async function apply(
  db: Queryable,
  transaction: Transaction,
  verdict: Verdict,
  cause: Cause,
): Promise<Transaction> {
  if (cause.kind === 'decision') {
    const { actor, outcome, note } = cause;
    const detail = { outcome, note, before: transaction.status };
    await audit(db, { actor, action: 'attention.decide', subject: transaction.id, detail });
  }
  const settled = await updateRow(db, transaction, verdict);
  await insertCallbackEvent(db, settled, eventOf(settled));
  // A success that could not be settled stays a question where something else ended the transaction.
  const answered =
    verdict.status === 'succeeded'
      ? (['unknown_outcome', 'broken'] as const)
      : (['unknown_outcome'] as const);
  await resolveAttention(db, transaction.id, [...answered]);
  // Merchant balances are locked last, so that a busy account waits as briefly as possible.
  await moveMoney(db, settled);
  await applyWaitingReturn(db, settled);
  return settled;
}

/** Its moment is read after the row lock was got, so that the events of a bill are in the order of their times. */
async function updateRow(db: Queryable, transaction: Transaction, verdict: Verdict): Promise<Transaction> {
  const isPayout = transaction.type === 'payout';
  const success = isPayout ? 'paid' : 'completed';
  const status = verdict.status === 'succeeded' ? success : verdict.status;
  const event =
    verdict.status === 'succeeded'
      ? isPayout
        ? 'payout.completed'
        : 'payment.received'
      : isPayout
        ? 'payout.failed'
        : 'payment.failed';
  await db.query(
    `UPDATE transactions SET status = $2, event = $3, failure_code = $4, settled = $5,
       channel_reference = coalesce($6, channel_reference), full_name = coalesce(full_name, $7),
       paid_at = CASE WHEN $2 = 'paid' THEN moment.at END, next_enquiry_at = NULL,
       updated_at = moment.at, status_at = moment.at
     FROM (SELECT clock_timestamp() AS at) moment
     WHERE id = $1`,
    [
      transaction.id,
      status,
      event,
      verdict.status === 'failed' ? verdict.code : null,
      status === 'completed' ? transaction.amount - transaction.fee : null,
      'channelReference' in verdict ? verdict.channelReference : null,
      verdict.status === 'succeeded' ? verdict.fullName : null,
    ],
  );
  const after = await lockTransaction(db, transaction.id);
  if (!after) throw new BrokenInvariant('the row we hold the lock of is gone');
  return after;
}

function eventOf(transaction: Transaction) {
  if (transaction.type === 'payout')
    return transaction.status === 'paid' ? 'payout.completed' : 'payout.failed';
  return transaction.status === 'completed' ? 'payment.received' : 'payment.failed';
}

async function moveMoney(db: Queryable, transaction: Transaction): Promise<void> {
  const subject = {
    transactionId: transaction.id,
    accountId: transaction.accountId,
    currency: transaction.currency,
    channel: transaction.channel,
    value: transaction.amount,
    fee: transaction.fee,
  };
  if (transaction.status === 'completed') await postCollection(db, subject);
  if (transaction.type !== 'payout') return;
  const resolved =
    transaction.status === 'paid' ? await takeHold(db, subject) : await releaseHold(db, subject);
  if (!resolved)
    throw new BrokenInvariant(`the hold of ${transaction.id} was resolved before its payout was final`);
}

async function report(db: Queryable, transactionId: string): Promise<Settled> {
  const { rows } = await db.query(
    `SELECT t.status,
       EXISTS (SELECT 1 FROM attention a WHERE a.transaction_id = t.id AND a.resolved_at IS NULL) AS attention,
       (SELECT coalesce(array_agg(e.id ORDER BY e.sequence), '{}') FROM callback_events e
        WHERE e.transaction_id = t.id AND e.state = 'pending') AS events
     FROM transactions t WHERE t.id = $1`,
    [transactionId],
  );
  return rows[0];
}
