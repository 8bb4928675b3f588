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

/** API, sweep and workflows share these names. */
export const taskQueues = {
  /** workflows and their local activities */
  money: 'money',
  callbacks: 'callbacks',
  channel: (channel: string) => channel,
  /** one channel's enquiries, so its sends never delay them */
  enquiry: (channel: string) => `${channel}-enquiry`,
};

/** A notification completes an open send under this id. */
export function sendActivityId(number: number): string {
  return `send-${number}`;
}
/** A notification completes an open send with this value, so the flow reads Postgres. */
export const NOTIFIED = { kind: 'notified' } as const satisfies SendReport;

/** Workflows that do not run one transaction (for the others see `flow` in `kinds`). */
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

/** Priorities of other work in the same queues (those of transactions are in `kinds`). */
export const urgencies = { numbers: 3, resend: 4, sweep: 5, batch: 5 } as const;

/** Starts a batch's workflow, or joins it, and waits until its money is held. */
export const startBatch = defineUpdate<BatchStart>('startBatch');
/** A batch was paused, resumed or cancelled: its workflow reads Postgres at once. */
export const batchNews = defineSignal('batchNews');

/** Starts a flow and waits for the merchant's answer. The update's id is always the same. */
export const submit = defineUpdate<Accepted>('submit');
export const SUBMIT_UPDATE_ID = 'submit';

/** Cancels a transaction before its hand-over. A late cancel changes nothing. */
export const cancel = defineUpdate<CancelOutcome>('cancel');
export type CancelOutcome = { cancelled: boolean };

/**
 * News of this transaction, without a verdict. `stored`: Postgres has a proven notification or a decision,
 * which `tryToEnd` reads. `hint`: an unproven sender says that there is news, so the channel is asked at
 * once. `payment`: the network's report, if a bill or standing number was paid. Only `recover` reads it, if
 * Postgres lost the payment.
 */
export const channelResult = defineSignal<[ChannelNews, payment?: object]>('channelResult');
export type ChannelNews = 'stored' | 'hint';

export const entryClosed = defineSignal('entryClosed');

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

/** Starts late, because the network must read our acknowledgement first. */
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

/** A flow that is started twice under one name finds the existing numbers. */
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

/** `run.start` is set if the money was held before this run, so a restore restores the hold. */
export type BatchInput = { run: Signed<BatchRun> };

/** The workflow's input restores the batch and its hold if Postgres loses them. */
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

export const searchAttributes = {
  accountId: defineSearchAttributeKey(attributes.accountId.name, attributes.accountId.type),
  status: defineSearchAttributeKey(attributes.status.name, attributes.status.type),
  channel: defineSearchAttributeKey(attributes.channel.name, attributes.channel.type),
  amount: defineSearchAttributeKey(attributes.amount.name, attributes.amount.type),
  attention: defineSearchAttributeKey(attributes.attention.name, attributes.attention.type),
};

/** Operators compare times in the Temporal UI with phones and statements. */
export const TIMES = 'Times on this page are UTC: three hours behind Dar es Salaam';
