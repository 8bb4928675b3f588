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

/** Each is one Postgres transaction that may run twice. Retries for ever, except non-retryable errors. */
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
  tryToEnd: inPostgres('End it: state, money and callback together').tryToEnd,
  endAndNotify: inPostgres('End it: state, money and callback together; notify the merchant').endAndNotify,
  sentSoFar: inPostgres('Read what was sent before').sentSoFar,
  closeSends: inPostgres('Note that nothing arrived').closeSends,
  flagUnknownOutcome: inPostgres('Call a person').flagUnknownOutcome,
};

/** time beyond the channel's own timeout, to read and write Postgres */
const MARGIN_MS = 5_000;

/**
 * A send is tried only once; an enquiry resolves an unclear one. An accepted one stays open until its
 * notification comes or the first enquiry is due.
 */
export function sender(channel: string, timing: FlowTiming, number: number) {
  return proxyActivities<SendActivities>({
    activityId: sendActivityId(number),
    taskQueue: taskQueues.channel(channel),
    scheduleToStartTimeout: timing.sendQueueMs,
    startToCloseTimeout: openSendMs(timing) ?? timing.sendTimeoutMs + MARGIN_MS,
    retry: { maximumAttempts: 1 },
    // A flow that cancels the send does not wait for it, but still gets its completion.
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
    summary: `Hand over to ${channel} and wait for its word`,
  });
}

/** A poll sets the time of the next one. Polls count as attempts: after many, a fault pauses longest. */
const AFTER_A_FAULT = { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '10s' } as const;

/** The retries check whether a channel is still down or closed. */
export function waiter(channel: string) {
  return proxyActivities<WaitActivities>({
    startToCloseTimeout: '10s',
    retry: AFTER_A_FAULT,
    cancellationType: 'TRY_CANCEL',
    summary: `Wait until ${channel} takes requests again`,
  });
}

/** The retries are the polls. They change nothing at the channel, so they may be cancelled. */
export function enquirer(channel: string, timing: FlowTiming) {
  return proxyActivities<EnquiryActivities>({
    taskQueue: taskQueues.enquiry(channel),
    startToCloseTimeout: timing.sendTimeoutMs + MARGIN_MS,
    retry: AFTER_A_FAULT,
    cancellationType: 'TRY_CANCEL',
    summary: `Ask ${channel} what became of it`,
  });
}

/** The task that ends a transaction makes a callback's first attempt, which is nearly always enough. */
export const atOnce = proxyLocalActivities<FirstCallbackActivities>({
  startToCloseTimeout: '3s',
  retry: { maximumAttempts: 1 },
  summary: 'Notify the merchant at once',
});

/** The retries wait for the next attempt of a callback's schedule, for three days. */
export const callbacks = proxyActivities<CallbackActivities>({
  taskQueue: taskQueues.callbacks,
  startToCloseTimeout: '30s',
  // Detects a killed worker even while a receiver is slow.
  heartbeatTimeout: '12s',
  retry: AFTER_A_FAULT,
  summary: 'Notify the merchant',
});

/** The activity gives up after a day. */
export const results = proxyActivities<ResultActivities>({
  taskQueue: taskQueues.callbacks,
  startToCloseTimeout: '60s',
  retry: { initialInterval: '2s', backoffCoefficient: 2, maximumInterval: '30m' },
  summary: 'Tell the network the result',
});

/** A second run finds the flows already started. */
export const batcher = proxyActivities<BatchActivities>({
  startToCloseTimeout: '5m',
  // This activity nearly always runs, so a killed worker must be noticed soon.
  heartbeatTimeout: '10s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' },
  priority: { priorityKey: urgencies.batch },
  summary: 'Start its next items',
});

/** A failed sweep leaves the rest to the next one. */
export const sweeper = proxyActivities<SweepActivities>({
  startToCloseTimeout: '4m',
  // A worker killed during a run must not block the next runs.
  heartbeatTimeout: '15s',
  retry: { maximumAttempts: 3 },
  priority: { priorityKey: urgencies.sweep },
  summary: 'Look for transactions that nobody is working on',
});

/** A failed fetch leaves the rest to the next one, which starts at the same place. */
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
