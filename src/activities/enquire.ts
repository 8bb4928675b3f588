import { Context } from '@temporalio/activity';
import { jitter } from '../base/jitter.ts';
import type { Channels } from '../channels/kit/registry.ts';
import type { Gate } from '../channels/traffic/gate.ts';
import { isAnswerToEnquiry, isTurnedAway } from '../channels/traffic/results.ts';
import type { EnquiryResult, Failed, Succeeded } from '../domain/channel.ts';
import { isBilled, kindOf, type Transaction } from '../domain/transaction.ts';
import type { Database } from '../platform/db/pool.ts';
import { keepAnswer, noteEnquiry } from '../transactions/channel/enquiries.ts';
import { sendHistory } from '../transactions/channel/sends.ts';
import { endReported } from '../transactions/ending/end.ts';
import { isOurs } from '../transactions/odd-money/suspense.ts';
import { getTransaction } from '../transactions/rows/store.ts';
import { notYet } from './failure.ts';
import { callWithin, passengerOf } from './order.ts';

export type EnquireInput = {
  transactionId: string;
  /** milliseconds between polls; the last one repeats */
  delaysMs: number[];
  /** time without an answer; null: never overdue */
  overdueAfterMs: number | null;
  /** return `not_found` once the channel has said so for this long */
  notFoundHoldMs: number;
  /** true: a success with another amount was flagged before and is not reported again */
  mismatchFlagged: boolean;
  timeoutMs: number;
};

export type EnquireReport = Succeeded | Failed | { kind: 'not_found' | 'overdue' };

export function createEnquiryActivities(deps: {
  database: Database;
  channels: Pick<Channels, 'channelOf'>;
  gate: Gate;
}) {
  const { database, channels, gate } = deps;
  return {
    /** Asks until the channel answers explicitly. Temporal's retries are the polls: they add no history. */
    async enquire(input: EnquireInput): Promise<EnquireReport> {
      const transaction = await getTransaction(database, input.transactionId);
      if (!transaction || isBilled(transaction))
        throw new Error(`there is no transaction ${input.transactionId} to ask a channel about`);
      const result = await channels.channelOf(transaction).enquire(
        {
          transactionId: transaction.id,
          reference: transaction.reference,
          direction: kindOf(transaction).direction,
          channelReference: transaction.channelReference,
          amount: transaction.amount,
          currency: transaction.currency,
          sends: (await sendHistory(database, transaction.id)).sends,
        },
        callWithin(input.timeoutMs),
      );
      // A cancelled enquiry says nothing about the channel.
      if (!Context.current().cancellationSignal.aborted)
        gate.note(passengerOf(transaction), isAnswerToEnquiry(result), isTurnedAway(result));
      await keepAnswer(database, transaction.id, result);
      // A success ends the transaction or goes to suspense, even if the flow no longer listens. After an
      // earlier success with another amount, this one may be another movement.
      if (result.kind === 'succeeded') await endReported(database, transaction.id, result);
      const report = explicit(result, transaction, input);
      if (report) return report;
      return waitOn(input, result);
    },
  };

  async function waitOn(input: EnquireInput, result: EnquiryResult): Promise<EnquireReport> {
    const { info } = Context.current();
    const now = info.currentAttemptScheduledTimestampMs;
    // "Not found" holds from this time on. The task may have waited in the queue: the scheduled time alone
    // would be too early.
    const askedAt = Math.max(now, Date.now());
    const pause = jitter(input.delaysMs[Math.min(info.attempt, input.delaysMs.length) - 1] ?? 60_000);
    const since = await noteEnquiry(database, {
      transactionId: input.transactionId,
      said: saidBy(result),
      at: new Date(askedAt).toISOString(),
      nextAt: new Date(askedAt + pause).toISOString(),
    });
    if (since !== null && now - Date.parse(since) >= input.notFoundHoldMs) return { kind: 'not_found' };
    if (input.overdueAfterMs !== null && now - info.scheduledTimestampMs >= input.overdueAfterMs)
      return { kind: 'overdue' };
    throw notYet('The channel has no answer yet', pause);
  }
}

/** A success that comes here has another amount and was flagged, so the channel has the transaction. */
function saidBy(result: EnquiryResult): 'accepted' | 'not_found' | 'unclear' {
  if (result.kind === 'unknown') return result.seen ? 'accepted' : 'unclear';
  return result.kind === 'not_found' ? 'not_found' : 'accepted';
}

function explicit(
  result: EnquiryResult,
  transaction: Transaction,
  input: EnquireInput,
): EnquireReport | null {
  if (result.kind === 'failed') return result;
  if (result.kind !== 'succeeded') return null;
  return isOurs(transaction, result) || !input.mismatchFlagged ? result : null;
}
