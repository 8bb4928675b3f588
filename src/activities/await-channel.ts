import { Context } from '@temporalio/activity';
import { jitter } from '../base/jitter.ts';
import type { Gate } from '../channels/traffic/gate.ts';
import { isBilled } from '../domain/transaction.ts';
import type { Database } from '../platform/db/pool.ts';
import { noteWaiting } from '../transactions/channel/channel-wait.ts';
import { getTransaction } from '../transactions/rows/store.ts';
import { notYet } from './failure.ts';
import { passengerOf } from './order.ts';
import { requireOwnWorkflow } from './own-workflow.ts';

export type AwaitChannelInput = {
  transactionId: string;
  /** end of the wait: milliseconds since 1970, by Temporal's clock */
  untilMs: number;
  looksMs: [first: number, longest: number];
};

/** `open`: try to send now; the send itself checks again. `over`: the time is up. */
export type AwaitChannelReport = { kind: 'open' | 'over' };

/** The next look comes after a quarter of the wait so far: soon at first, seldom in a long outage. */
const SHARE_OF_WAIT = 0.25;

/** The retries are the checks, so a day of waiting adds no history. */
export function createChannelWaits(deps: { database: Database; gate: Gate }) {
  const { database, gate } = deps;
  return {
    async awaitChannel(input: AwaitChannelInput): Promise<AwaitChannelReport> {
      const { transactionId, untilMs } = input;
      requireOwnWorkflow(transactionId);
      const transaction = await getTransaction(database, transactionId);
      if (!transaction || isBilled(transaction))
        throw new Error(`there is no transaction ${transactionId} that could wait for a channel`);
      // If it ended meanwhile, the send notices that and sends nothing.
      if (transaction.status !== 'pending') return { kind: 'open' };
      if (await gate.mayTry(database, await gate.view(), passengerOf(transaction))) return { kind: 'open' };
      const { info } = Context.current();
      const nowMs = info.currentAttemptScheduledTimestampMs;
      if (nowMs >= untilMs) return { kind: 'over' };
      const pauseMs = Math.min(pauseAfter(nowMs - info.scheduledTimestampMs, input.looksMs), untilMs - nowMs);
      await noteWaiting(database, { transactionId, until: new Date(untilMs).toISOString(), pauseMs });
      throw notYet('The channel is not open yet', Math.max(1, pauseMs));
    },
  };
}

function pauseAfter(waitedMs: number, [first, longest]: AwaitChannelInput['looksMs']): number {
  return jitter(Math.min(longest, Math.max(first, waitedMs * SHARE_OF_WAIT)));
}
