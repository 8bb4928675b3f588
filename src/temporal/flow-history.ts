import type { Client } from '@temporalio/client';
import { decodeArrayFromPayloads } from '@temporalio/common/lib/internal-non-workflow/codec-helpers.js';
import { workflowIdOf } from '../domain/ids.ts';
import type { Accepted, FlowInput } from '../domain/operation.ts';
import type { FlowResult } from '../domain/settlement.ts';
import type { BillNotification } from '../transactions/ending/bills.ts';
import type { Signed } from '../transactions/rows/submission-mac.ts';
import { channelResult, SUBMIT_UPDATE_ID } from '../workflows/messages.ts';

type Events = NonNullable<
  Awaited<ReturnType<ReturnType<Client['workflow']['getHandle']>['fetchHistory']>>['events']
>;

/** One run of a transaction's workflow, as Temporal remembers it. It is read as it is: nothing here waits for a flow. */
export type FlowHistory = { id: string; events: Events };

/** The input of the run; undefined where its history has none. Nothing proves it. */
export async function inputOf(client: Client, { id, events }: FlowHistory): Promise<FlowInput | undefined> {
  const started = events[0]?.workflowExecutionStartedEventAttributes;
  const [input] = await decoded(client, id, started?.input?.payloads);
  return input as FlowInput | undefined;
}

/**
 * What was answered to the merchant; undefined where nothing was accepted. A flow whose `submit` was lost on its way (the
 * API gave up before a worker came) accepted all the same: the result of its own step says so.
 */
export async function answerOf(client: Client, { id, events }: FlowHistory): Promise<Accepted | undefined> {
  const answers = events.map(
    ({ workflowExecutionUpdateCompletedEventAttributes: update, markerRecordedEventAttributes: marker }) =>
      isSubmit(update?.meta?.updateId)
        ? update?.outcome?.success?.payloads
        : isAccept(marker?.details?.data?.payloads)
          ? marker?.details?.result?.payloads
          : null,
  );
  const [accepted] = await decoded(
    client,
    id,
    answers.find((payloads) => payloads),
  );
  return accepted as Accepted | undefined;
}

/** An attempt after a refusal has the fingerprint behind its name. */
function isSubmit(updateId: string | null | undefined): boolean {
  return updateId?.split('/')[0] === SUBMIT_UPDATE_ID;
}

type Payloads = Parameters<typeof decodeArrayFromPayloads>[1];

/** Temporal writes itself which local activity a marker is of, so that is never encrypted. */
function isAccept(payloads: Payloads): boolean {
  const data = payloads?.[0]?.data;
  return data ? JSON.parse(Buffer.from(data).toString('utf8')).activity_type === 'accept' : false;
}

/** Payments that the doors accepted, each with the proof of the API: anyone may send a signal. */
export async function paymentsOf(
  client: Client,
  { id, events }: FlowHistory,
): Promise<Signed<BillNotification>[]> {
  const signals = events
    .map((event) => event.workflowExecutionSignaledEventAttributes)
    .filter((signal) => signal?.signalName === channelResult.name);
  const payments: Signed<BillNotification>[] = [];
  for (const signal of signals) {
    const [, payment] = await decoded(client, id, signal?.input?.payloads);
    if (payment) payments.push(payment as Signed<BillNotification>);
  }
  return payments;
}

/**
 * What the run resulted in; undefined while it goes on, and where it failed or was terminated. Anyone who may write to
 * Temporal can end a run of his own with anything.
 */
export async function endOf(
  client: Client,
  { id, events }: FlowHistory,
): Promise<Partial<FlowResult> | undefined> {
  const completed = events.at(-1)?.workflowExecutionCompletedEventAttributes;
  const [result] = await decoded(client, id, completed?.result?.payloads);
  return (result ?? undefined) as Partial<FlowResult> | undefined;
}

/** As the workflow itself read them: what was written for another one, or by nobody of ours, does not open. */
function decoded(client: Client, id: string, payloads: Payloads): Promise<unknown[]> {
  const { loadedDataConverter, namespace } = client.options;
  const context = { type: 'workflow', namespace, workflowId: workflowIdOf(id) } as const;
  return decodeArrayFromPayloads(loadedDataConverter, payloads, context);
}
