import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type {
  BatchActivities,
  CallbackActivities,
  EnquiryActivities,
  FirstCallbackActivities,
  MoneyActivities,
  ResultActivities,
  SendActivities,
  SettlementActivities,
  StatementActivities,
  SweepActivities,
  WaitActivities,
} from '../activities/index.ts';
import { openSendMs } from '../domain/open-send.ts';
import type { FlowTiming } from '../domain/timing.ts';
import { sendActivityId, taskQueues, urgencies } from './messages.ts';

/**
 * Local activities: single Postgres transactions that may run twice. They retry for ever, because Postgres comes
 * back; what no retry can mend is thrown as non-retryable by the activity itself.
 */
function inPostgres(summary: string) {
  return proxyLocalActivities<MoneyActivities>({
    startToCloseTimeout: '3s',
    localRetryThreshold: '5s',
    retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '60s' },
    summary,
  });
}

export const money = {
  accept: inPostgres('Accept it, hold its money, store the answer').accept,
  makeNumbers: inPostgres('Make the numbers that are not there').makeNumbers,
  startBatch: inPostgres('Hold the money of all its items').startBatch,
  countBatch: inPostgres('Count how its items ended').countBatch,
  settle: inPostgres('Settle it: state, money and callback together').settle,
  settleAndNotify: inPostgres('Settle it: state, money and callback together; notify the merchant')
    .settleAndNotify,
  sentSoFar: inPostgres('Read what was sent before').recover,
  closeSends: inPostgres('Note that nothing arrived').closeSends,
  flagUnknownOutcome: inPostgres('Call a person').flagUnknownOutcome,
};

/** How much longer than the channel's own timeout an activity may take: reading and writing Postgres. */
const MARGIN_MS = 5_000;

/**
 * A send is tried once, ever: whatever is unclear about it is for an enquiry to find out. One that the channel took stays
 * open until its notification comes in, or until the first enquiry is due.
 */
export function sender(channel: string, timing: FlowTiming, number: number) {
  return proxyActivities<SendActivities>({
    activityId: sendActivityId(number),
    taskQueue: taskQueues.channel(channel),
    scheduleToStartTimeout: timing.sendQueueMs,
    startToCloseTimeout: openSendMs(timing) ?? timing.sendTimeoutMs + MARGIN_MS,
    retry: { maximumAttempts: 1 },
    // The flow that cancels it does not wait for it either, and gets its completion all the same.
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
    summary: `Hand over to ${channel} and wait for its word`,
  });
}

/** Polls say themselves when the next one is due; but they count as attempts, so a fault late on waits for the maximum. */
const AFTER_A_FAULT = { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '10s' } as const;

/** Waiting for a channel that is down or closed: retries are the looks. What waits is tried before the sweep runs. */
export function waiter(channel: string) {
  return proxyActivities<WaitActivities>({
    startToCloseTimeout: '10s',
    retry: AFTER_A_FAULT,
    cancellationType: 'TRY_CANCEL',
    summary: `Wait until ${channel} takes requests again`,
  });
}

/** Enquiries: their retries are the polls. They change nothing at the channel, so they may be dropped at any time. */
export function enquirer(channel: string, timing: FlowTiming) {
  return proxyActivities<EnquiryActivities>({
    taskQueue: taskQueues.enquiry(channel),
    startToCloseTimeout: timing.sendTimeoutMs + MARGIN_MS,
    retry: AFTER_A_FAULT,
    cancellationType: 'TRY_CANCEL',
    summary: `Ask ${channel} what became of it`,
  });
}

/** The first attempt of a callback, in the task that settled: nearly all of them need no other. */
export const atOnce = proxyLocalActivities<FirstCallbackActivities>({
  startToCloseTimeout: '3s',
  retry: { maximumAttempts: 1 },
  summary: 'Notify the merchant at once',
});

/** Durable delivery of a callback: its retries wait for the next attempt of the schedule, for three days. */
export const callbacks = proxyActivities<CallbackActivities>({
  taskQueue: taskQueues.callbacks,
  startToCloseTimeout: '30s',
  // A worker that was killed while a receiver took its time is noticed by this, not by the limit above.
  heartbeatTimeout: '12s',
  retry: AFTER_A_FAULT,
  summary: 'Notify the merchant',
});

/** Telling a network a result: the activity itself says when it is over, after a day. */
export const results = proxyActivities<ResultActivities>({
  taskQueue: taskQueues.callbacks,
  startToCloseTimeout: '60s',
  retry: { initialInterval: '2s', backoffCoefficient: 2, maximumInterval: '30m' },
  summary: 'Tell the network the result',
});

/** Starting the flows of a batch's items. Run again it starts the same ones, which are there. */
export const batcher = proxyActivities<BatchActivities>({
  startToCloseTimeout: '5m',
  // Nearly always one runs: a batch goes on soon after its worker was killed.
  heartbeatTimeout: '10s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' },
  priority: { priorityKey: urgencies.batch },
  summary: 'Start its next items',
});

/** One run of the sweep; what a failed one leaves is for the next. */
export const sweeper = proxyActivities<SweepActivities>({
  startToCloseTimeout: '4m',
  // A worker that was killed in the middle of one must not keep the next ones from running.
  heartbeatTimeout: '15s',
  retry: { maximumAttempts: 3 },
  priority: { priorityKey: urgencies.sweep },
  summary: 'Look for transactions that nobody is working on',
});

/** One fetching of statements: what one did not bring is brought by the next, from where the last one ended. */
export const fetcher = proxyActivities<StatementActivities>({
  startToCloseTimeout: '30m',
  heartbeatTimeout: '30s',
  retry: { initialInterval: '1m', maximumAttempts: 3 },
  priority: { priorityKey: urgencies.sweep },
  summary: 'Fetch the statements of networks',
});

export const settler = proxyActivities<SettlementActivities>({
  startToCloseTimeout: '10m',
  heartbeatTimeout: '15s',
  retry: { initialInterval: '10s', maximumInterval: '10m', maximumAttempts: 20 },
  priority: { priorityKey: urgencies.sweep },
  summary: 'Begin the settlements',
});
