import { randomUUID } from 'node:crypto';
import {
  type Client,
  type Connection,
  WithStartWorkflowOperation,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import type { KeyRing } from '../../base/key-ring.ts';
import type { BatchRun, BatchStart } from '../../domain/batch.ts';
import type { FlowResult } from '../../domain/ending.ts';
import type { Round } from '../../domain/event.ts';
import { workflowIdOf } from '../../domain/ids.ts';
import type { MadeNumbers, NumbersRequest } from '../../domain/number.ts';
import type { Accepted, FlowInput, Signed, SignedSubmission, Submission } from '../../domain/operation.ts';
import type { Transaction } from '../../domain/transaction.ts';
import { succeeds } from '../../platform/process/promises.ts';
import {
  signBatch,
  signBillPayment,
  signNumbers,
  signSubmission,
} from '../../transactions/rows/submission-mac.ts';
import type { batch } from '../../workflows/batch.ts';
import {
  batchNews,
  type ChannelNews,
  cancel,
  channelResult,
  NOTIFIED,
  SUBMIT_UPDATE_ID,
  sendActivityId,
  startBatch,
  startOfBatch,
  startOfNumbers,
  startOfReport,
  startOfRound,
  submit,
  taskQueues,
  workflowTypes,
} from '../../workflows/messages.ts';
import { startOfFirst, startOfPayment, startOfSubmission } from '../../workflows/start-flow.ts';
import { isPolled } from './pollers.ts';

/**
 * answered: the flow's answer. not_sent: nothing left us, because Temporal is unreachable or we are too busy
 * (admission.ts). unclear: no answer in time, but it may still happen. closed: the workflow ended without an
 * answer.
 */
export type SubmitOutcome =
  | { kind: 'answered'; accepted: Accepted }
  | { kind: 'not_sent'; busy?: { afterSeconds: number } }
  | { kind: 'unclear' | 'closed' };
export type CancelAnswer =
  | { kind: 'answered'; cancelled: boolean }
  | { kind: 'not_sent' | 'unclear' | 'closed' };

/** `unclear`: the numbers may exist, and the same request again finds them. */
export type NumbersOutcome = 'made' | 'not_sent' | 'unclear';

type SubmitOptions = { again?: boolean; waitedMs?: number };

/** Calls never throw: each failure is an outcome. */
export type Flows = {
  /** `again`: starts anew after a refusal that is not kept. `waitedMs`: part of the wait that is over. */
  submit(submission: Submission, options?: SubmitOptions): Promise<SubmitOutcome>;
  cancel(transactionId: string): Promise<CancelAnswer>;
  /** Returns false if the signal did not arrive; the sweep repeats it. */
  signal(transactionId: string, news: ChannelNews, payment?: object): Promise<boolean>;
  /** Starts the flow of a standing number's payment. False: it failed, and the sweep repeats it. */
  beginPayment(transaction: Transaction, payment: object): Promise<boolean>;
  /** Makes standing numbers, at most as many as one flow takes. */
  makeNumbers(wanted: NumbersRequest): Promise<NumbersOutcome>;
  /** Starts a batch or joins its start. `unclear`: it may have started. */
  startBatch(run: BatchRun): Promise<BatchStart | { kind: 'not_sent' | 'unclear' }>;
  /** Tells a batch's flow that its state changed. Best effort: the flow also looks by itself. */
  tellBatch(run: BatchRun): Promise<void>;
  /**
   * Starts the first workflow of a transaction that Postgres has (a payback). Best effort, because the sweep
   * does it too.
   */
  begin(transaction: Transaction): Promise<void>;
  /** Completes an open send, or signals. Best effort: without it the send times out, and we enquire. */
  completeSend(transactionId: string, number: number): Promise<void>;
  /**
   * Starts a round of a callback's delivery. Returns false if Temporal did not take it; the sweep starts it.
   */
  deliver(round: Round): Promise<boolean>;
  /** Starts the workflow that reports a result to its network. Best effort: the sweep starts missing ones. */
  report(id: string): Promise<void>;
  isReachable(timeoutMs: number): Promise<boolean>;
  isPolled(queue: 'money' | 'callbacks'): Promise<boolean>;
};

/** A merchant waits this long for a submission, or a cancellation (the flow itself takes 8 s). */
const TIMEOUTS = { submitMs: 8_000, cancelMs: 9_000 };
const SIGNAL_TIMEOUT_MS = 3_000;
const CONNECT_TIMEOUT_MS = 1_500;

type FlowsDeps = {
  client: Client;
  connection: Connection;
  /** SUBMISSION_KEY proves that we sent submissions, and payments in signals */
  submissionKeys: KeyRing;
  timeouts?: typeof TIMEOUTS;
};

export function createFlows(deps: FlowsDeps): Flows {
  const { client, connection, submissionKeys, timeouts = TIMEOUTS } = deps;
  const within = <T>(timeoutMs: number, work: () => Promise<T>) =>
    client.withDeadline(Date.now() + timeoutMs, work);
  const arrives = (work: () => Promise<unknown>) => succeeds(within(SIGNAL_TIMEOUT_MS, work));

  async function sendSubmit(submission: Submission, options: SubmitOptions): Promise<SubmitOutcome> {
    const asked = startOf(signSubmission(submissionKeys, submission), options.again ?? false);
    try {
      const accepted = await within(timeouts.submitMs - (options.waitedMs ?? 0), () =>
        client.workflow.executeUpdateWithStart(submit, asked),
      );
      return { kind: 'answered', accepted };
    } catch (error) {
      if (!isClosed(error)) return { kind: 'unclear' };
      if (!(await endedRefused(submission.transactionId))) return { kind: 'closed' };
      // Postgres does not keep this refusal: nothing happened and the key is free. After a second refusal the
      // caller sends again.
      return options.again ? { kind: 'unclear' } : sendSubmit(submission, { ...options, again: true });
    }
  }

  async function endedRefused(transactionId: string): Promise<boolean> {
    const handle = client.workflow.getHandle<() => Promise<FlowResult>>(workflowIdOf(transactionId));
    const { status } = await within(SIGNAL_TIMEOUT_MS, () => handle.result()).catch(() => ({ status: null }));
    return status === 'refused';
  }

  async function signal(transactionId: string, news: ChannelNews, payment?: object): Promise<boolean> {
    const handle = client.workflow.getHandle(workflowIdOf(transactionId));
    const signed = payment && signBillPayment(submissionKeys, transactionId, payment);
    return arrives(() => handle.signal(channelResult, news, signed));
  }

  return {
    async submit(submission, options = {}) {
      if (!(await isConnected(connection))) return { kind: 'not_sent' };
      return sendSubmit(submission, options);
    },
    async cancel(transactionId) {
      if (!(await isConnected(connection))) return { kind: 'not_sent' };
      const handle = client.workflow.getHandle(workflowIdOf(transactionId));
      try {
        const { cancelled } = await within(timeouts.cancelMs, () => handle.executeUpdate(cancel));
        return { kind: 'answered', cancelled };
      } catch (error) {
        return { kind: isClosed(error) ? 'closed' : 'unclear' };
      }
    },
    signal,
    async beginPayment(transaction, payment) {
      const signed = signBillPayment(submissionKeys, transaction.id, payment);
      const { workflowType, ...start } = startOfPayment(transaction, signed);
      return arrives(() => client.workflow.signalWithStart(workflowType, start));
    },
    async makeNumbers(wanted) {
      if (!(await isConnected(connection))) return 'not_sent';
      const start = startOfNumbers(randomUUID(), signNumbers(submissionKeys, wanted));
      const make = () =>
        client.workflow.execute<(input: Signed<NumbersRequest>) => Promise<Signed<MadeNumbers>>>(
          workflowTypes.makeNumbers,
          start,
        );
      return (await succeeds(within(timeouts.submitMs, make))) ? 'made' : 'unclear';
    },
    ...batchFlows(deps, within, timeouts.submitMs),
    async completeSend(transactionId, number) {
      const send = { workflowId: workflowIdOf(transactionId), activityId: sendActivityId(number) };
      const isCompleted = await arrives(() => client.activity.complete(send, NOTIFIED));
      if (!isCompleted) await signal(transactionId, 'stored');
    },
    async begin(transaction) {
      const { workflowType, ...start } = startOfFirst(transaction);
      const policies = {
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        workflowIdConflictPolicy: 'FAIL',
      } as const;
      await arrives(() => client.workflow.start(workflowType, { ...start, ...policies }));
    },
    async deliver(round) {
      return arrives(() => client.workflow.start(workflowTypes.resendCallback, startOfRound(round)));
    },
    async report(id) {
      await arrives(() => client.workflow.start(workflowTypes.reportResult, startOfReport(id)));
    },
    async isReachable(timeoutMs) {
      // This call tests our credentials; others work even with wrong ones.
      return succeeds(within(timeoutMs, () => connection.workflowService.describeNamespace(client.options)));
    },
    async isPolled(queue) {
      const task = queue === 'money' ? 'workflow' : 'activity';
      const asked = within(CONNECT_TIMEOUT_MS, () => isPolled(client, { name: taskQueues[queue], task }));
      return asked.catch(() => false);
    },
  };
}

function batchFlows(
  { client, connection, submissionKeys }: { client: Client; connection: Connection; submissionKeys: KeyRing },
  within: <T>(timeoutMs: number, work: () => Promise<T>) => Promise<T>,
  submitMs: number,
): Pick<Flows, 'startBatch' | 'tellBatch'> {
  return {
    async startBatch(run) {
      if (!(await isConnected(connection))) return { kind: 'not_sent' };
      const startWorkflowOperation = new WithStartWorkflowOperation<typeof batch>(workflowTypes.batch, {
        ...startOfBatch(signBatch(submissionKeys, run)),
        workflowIdConflictPolicy: 'USE_EXISTING',
      });
      const start = () => client.workflow.executeUpdateWithStart(startBatch, { startWorkflowOperation });
      return within(submitMs, start).catch(() => ({ kind: 'unclear' }));
    },
    async tellBatch(run) {
      const start = { ...startOfBatch(signBatch(submissionKeys, run)), signal: batchNews };
      await succeeds(
        within(SIGNAL_TIMEOUT_MS, () => client.workflow.signalWithStart(workflowTypes.batch, start)),
      );
    },
  };
}

function startOf(submission: SignedSubmission, again: boolean) {
  const { workflowType, ...start } = startOfSubmission(submission);
  const startWorkflowOperation = new WithStartWorkflowOperation<(input: FlowInput) => Promise<unknown>>(
    workflowType,
    {
      ...start,
      workflowIdConflictPolicy: 'USE_EXISTING',
      workflowIdReusePolicy: again ? 'ALLOW_DUPLICATE' : 'REJECT_DUPLICATE',
    },
  );
  const updateId = again ? `${SUBMIT_UPDATE_ID}/${submission.submissionId}` : SUBMIT_UPDATE_ID;
  return { updateId, startWorkflowOperation };
}

function isClosed(error: unknown): boolean {
  return (
    error instanceof WorkflowExecutionAlreadyStartedError ||
    error instanceof WorkflowNotFoundError ||
    error instanceof WorkflowUpdateFailedError
  );
}

/** Call it before sending, so that `unavailable` is true. Uses a private channel of the client. */
async function isConnected(connection: Connection): Promise<boolean> {
  const channel = connection as unknown as { untilReady(deadline: number): Promise<void> };
  return succeeds(channel.untilReady(Date.now() + CONNECT_TIMEOUT_MS));
}
