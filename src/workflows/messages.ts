import { defineSearchAttributeKey, TypedSearchAttributes } from '@temporalio/common';
import { defineSignal, defineUpdate } from '@temporalio/workflow';
import type { SendReport } from '../activities/channel.ts';
import type { BatchRun, BatchStart } from '../domain/batch.ts';
import type { Round } from '../domain/event.ts';
import { batchWorkflowIdOf, callbackWorkflowIdOf } from '../domain/ids.ts';
import { attributes } from '../domain/names.ts';
import type { NumbersRequest } from '../domain/number.ts';
import type { Accepted, Signed } from '../domain/operation.ts';

/** The names under which the API, the sweep and the workflows meet. */
export const taskQueues = {
  /** workflows and their local activities */
  money: 'money',
  callbacks: 'callbacks',
  /** sends of one channel */
  channel: (channel: string) => channel,
  /** enquiries of one channel: never held up by its sends */
  enquiry: (channel: string) => `${channel}-enquiry`,
};

/** Under which the notification door completes a send that stays open. */
export function sendActivityId(number: number): string {
  return `send-${number}`;
}
/** The door completes a send with this: Postgres has something to read. */
export const NOTIFIED = { kind: 'notified' } as const satisfies SendReport;

/** Workflows beside those of the transactions (`kinds`, `flow`). */
export const workflowTypes = {
  attention: 'attention',
  sweep: 'sweep',
  fetchStatements: 'fetchStatements',
  resendCallback: 'resendCallback',
  reportResult: 'reportResult',
  makeNumbers: 'makeNumbers',
  settleDaily: 'settleDaily',
  batch: 'batch',
} as const;

/**
 * The place of what is no transaction, where work piles up (`kinds` has those): standing numbers that are made, callbacks
 * that are sent again, and the sweep with what it starts.
 */
export const urgencies = { numbers: 3, resend: 4, sweep: 5, batch: 5 } as const;

/** The update that starts a batch's flow, or joins it, and waits until its money is held. */
export const startBatch = defineUpdate<BatchStart>('startBatch');
/** Somebody paused, resumed or cancelled the batch: its flow looks in Postgres at once. */
export const batchNews = defineSignal('batchNews');

/** The update that starts a flow and waits for the answer the merchant gets. Its id is always the same. */
export const submit = defineUpdate<Accepted>('submit');
export const SUBMIT_UPDATE_ID = 'submit';

/** Cancels a transaction that was not handed over; nothing is remembered when it comes too late. */
export const cancel = defineUpdate<CancelOutcome>('cancel');
export type CancelOutcome = { cancelled: boolean };

/**
 * There is news of this transaction; the signal itself carries no verdict. `stored`: a proven notification, or what
 * operators decided, is in Postgres; settle reads it there. `hint`: an unproven sender says that there is news, so the
 * channel is asked at once. `payment`: what a network said of a bill's payment, with the number that it paid where it is a standing one; the workflow does not read it, but
 * `recover` finds it there should Postgres lose it.
 */
export const channelResult = defineSignal<[ChannelNews, payment?: object]>('channelResult');
export type ChannelNews = 'stored' | 'hint';

/** The entry of the attention list that a workflow shows is closed. */
export const entryClosed = defineSignal('entryClosed');

/** How every caller starts a round. Started twice, it is still one workflow. */
export function startOfRound({ eventId, round }: Round) {
  return {
    workflowId: callbackWorkflowIdOf(eventId, round),
    taskQueue: taskQueues.money,
    args: [{ eventId, round }] as [Round],
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowTaskTimeout: '5s',
    priority: { priorityKey: urgencies.resend },
    staticSummary: `Send ${eventId} to the merchant`,
  } as const;
}

/** How every caller starts the report of a result. The network reads our acknowledgement first. */
export function startOfReport(id: string) {
  return {
    workflowId: `result/${id}`,
    taskQueue: taskQueues.money,
    args: [id] as [string],
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    workflowIdConflictPolicy: 'USE_EXISTING',
    startDelay: '1s',
    staticSummary: 'Tell the network what became of a payment',
  } as const;
}

/** The flow that makes standing numbers, under a name of its own. It may be started twice: what is there is found. */
export function startOfNumbers(name: string, wanted: Signed<NumbersRequest>) {
  return {
    workflowId: `numbers/${name}`,
    taskQueue: taskQueues.money,
    args: [wanted] as [Signed<NumbersRequest>],
    workflowTaskTimeout: '5s',
    priority: { priorityKey: urgencies.numbers, fairnessKey: wanted.accountId },
    staticSummary: 'Make standing numbers',
  } as const;
}

/**
 * A run with a `start` had its money held before this run of the flow, and a restore has to bring it back.
 */
export type BatchInput = { run: Signed<BatchRun> };

/** The flow of a batch. Its input brings the batch and its hold back, should a restore lose them. */
export function startOfBatch(run: Signed<BatchRun>) {
  return {
    workflowId: batchWorkflowIdOf(run.batchId),
    taskQueue: taskQueues.money,
    args: [{ run }] as [BatchInput],
    workflowTaskTimeout: '5s',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    priority: { priorityKey: urgencies.batch, fairnessKey: run.accountId },
    staticSummary: `Pay a batch of ${run.items}`,
    typedSearchAttributes: new TypedSearchAttributes([
      { key: searchAttributes.accountId, value: run.accountId },
    ]),
  } as const;
}

/** Operators find workflows by these. */
export const searchAttributes = {
  accountId: defineSearchAttributeKey(attributes.accountId.name, attributes.accountId.type),
  status: defineSearchAttributeKey(attributes.status.name, attributes.status.type),
  channel: defineSearchAttributeKey(attributes.channel.name, attributes.channel.type),
  attention: defineSearchAttributeKey(attributes.attention.name, attributes.attention.type),
};
