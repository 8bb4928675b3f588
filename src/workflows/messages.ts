import { defineSearchAttributeKey, TypedSearchAttributes } from '@temporalio/common';
import { defineSignal, defineUpdate } from '@temporalio/workflow';
import type { SendReport } from '../activities/channel.ts';
import type { BatchRun, BatchStart } from '../domain/batch.ts';
import type { Round } from '../domain/event.ts';
import { batchWorkflowIdOf, callbackWorkflowIdOf } from '../domain/ids.ts';
import { toUnits } from '../domain/money.ts';
import { attributes } from '../domain/names.ts';
import type { NumbersRequest } from '../domain/number.ts';
import type { Accepted, Signed } from '../domain/operation.ts';

/** The API, the sweep and the workflows meet under these names. */
export const taskQueues = {
  /** workflows and their local activities */
  money: 'money',
  callbacks: 'callbacks',
  /** one channel's sends */
  channel: (channel: string) => channel,
  /** one channel's enquiries: its sends never hold them up */
  enquiry: (channel: string) => `${channel}-enquiry`,
};

/** The notification door completes an open send under this id. */
export function sendActivityId(number: number): string {
  return `send-${number}`;
}
/** The door completes a send with this: Postgres has something to read. */
export const NOTIFIED = { kind: 'notified' } as const satisfies SendReport;

/** These workflows are beside those of the transactions (`kinds`, `flow`). */
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

/** This work is no transaction, but queues with them (`kinds` has the others). */
export const urgencies = { numbers: 3, resend: 4, sweep: 5, batch: 5 } as const;

/** The update starts a batch's flow, or joins it, and waits until its money is held. */
export const startBatch = defineUpdate<BatchStart>('startBatch');
/** Somebody paused, resumed or cancelled the batch: its flow looks in Postgres at once. */
export const batchNews = defineSignal('batchNews');

/** The update starts a flow and waits for the answer the merchant gets. Its id is always the same. */
export const submit = defineUpdate<Accepted>('submit');
export const SUBMIT_UPDATE_ID = 'submit';

/** Cancels a transaction that was not handed over; nothing is remembered when it comes too late. */
export const cancel = defineUpdate<CancelOutcome>('cancel');
export type CancelOutcome = { cancelled: boolean };

/**
 * There is news of this transaction; the signal itself carries no verdict. `stored`: a proven notification, or the
 * operators' decision, is in Postgres; `tryToEnd` reads it there. `hint`: an unproven sender says that there is news, so
 * the channel is asked at once. `payment` is a network's word on a bill's payment, with a standing number's number; the
 * workflow does not read it, but `recover` finds it there should Postgres lose it.
 */
export const channelResult = defineSignal<[ChannelNews, payment?: object]>('channelResult');
export type ChannelNews = 'stored' | 'hint';

/** The entry of the attention list that a workflow shows was closed. */
export const entryClosed = defineSignal('entryClosed');

/** Every caller starts a round so. Started twice, it is still one workflow. */
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

/** Every caller starts the report of a result so. The network reads our acknowledgement first. */
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

/** This flow has a name of its own. It may be started twice: it finds standing numbers that are there. */
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

/** A run with a `start` had its money held before this run of the flow, and a restore has to bring it back. */
export type BatchInput = { run: Signed<BatchRun> };

/** The flow's input brings the batch and its hold back, should a restore lose them. */
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
      { key: searchAttributes.amount, value: toUnits(run.amount) },
    ]),
  } as const;
}

/** Operators find workflows by these. */
export const searchAttributes = {
  accountId: defineSearchAttributeKey(attributes.accountId.name, attributes.accountId.type),
  status: defineSearchAttributeKey(attributes.status.name, attributes.status.type),
  channel: defineSearchAttributeKey(attributes.channel.name, attributes.channel.type),
  amount: defineSearchAttributeKey(attributes.amount.name, attributes.amount.type),
  attention: defineSearchAttributeKey(attributes.attention.name, attributes.attention.type),
};

/** Operators compare what the Temporal UI shows with phones and statements. */
export const TIMES = 'Times on this page are UTC: three hours behind Dar es Salaam';
