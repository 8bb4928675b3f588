import type { Client } from '@temporalio/client';
import { decodeArrayFromPayloads } from '@temporalio/common/lib/internal-non-workflow/codec-helpers.js';
import type { OwnFees } from '../domain/fees.ts';
import type { StandingNumber } from '../domain/number.ts';
import type { Accepted, FlowInput, Signed } from '../domain/operation.ts';
import type { BillNotification } from '../transactions/ending/bills.ts';
import { channelResult, SUBMIT_UPDATE_ID } from '../workflows/messages.ts';

type Events = NonNullable<
  Awaited<ReturnType<ReturnType<Client['workflow']['getHandle']>['fetchHistory']>>['events']
>;

/** One run of a workflow, as Temporal has it now: nothing here waits for a flow. */
type Run = { workflowId: string; events: Events };

export async function argumentOf(client: Client, { workflowId, events }: Run): Promise<unknown> {
  const started = events[0]?.workflowExecutionStartedEventAttributes;
  return (await decoded(client, workflowId, started?.input?.payloads))[0];
}

export async function inputOf(client: Client, run: Run): Promise<FlowInput | undefined> {
  return (await argumentOf(client, run)) as FlowInput | undefined;
}

/** Returns the run's result, unproven; undefined while it runs, or if it failed. */
export async function resultOf(client: Client, { workflowId, events }: Run): Promise<unknown> {
  const completed = events.at(-1)?.workflowExecutionCompletedEventAttributes;
  return (await decoded(client, workflowId, completed?.result?.payloads))[0] ?? undefined;
}

/**
 * Returns the merchant's answer, even if only the flow's own step has it; undefined if nothing was accepted.
 */
export async function answerOf(client: Client, { workflowId, events }: Run): Promise<Accepted | undefined> {
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
    workflowId,
    answers.find((payloads) => payloads),
  );
  return accepted as Accepted | undefined;
}

/** The update's name ends with the fingerprint if the attempt follows a refusal. */
function isSubmit(updateId: string | null | undefined): boolean {
  return updateId?.split('/')[0] === SUBMIT_UPDATE_ID;
}

type Payloads = Parameters<typeof decodeArrayFromPayloads>[1];

/** Temporal's SDK writes this marker itself, so it is never encrypted. */
function isAccept(payloads: Payloads): boolean {
  const data = payloads?.[0]?.data;
  return data ? JSON.parse(Buffer.from(data).toString('utf8')).activity_type === 'accept' : false;
}

export type PaymentSignal = BillNotification & { number?: StandingNumber; ownFees?: OwnFees };

/** Returns only payments that the API signed, because anyone may send a signal. */
export async function paymentsOf(
  client: Client,
  { workflowId, events }: Run,
): Promise<Signed<PaymentSignal>[]> {
  const signals = events
    .map((event) => event.workflowExecutionSignaledEventAttributes)
    .filter((signal) => signal?.signalName === channelResult.name);
  const payments: Signed<PaymentSignal>[] = [];
  for (const signal of signals) {
    const [, payment] = await decoded(client, workflowId, signal?.input?.payloads);
    if (payment) payments.push(payment as Signed<PaymentSignal>);
  }
  return payments;
}

/** Decodes as the workflow does: fails for a payload of another workflow, or one not encrypted by us. */
function decoded(client: Client, workflowId: string, payloads: Payloads): Promise<unknown[]> {
  const { loadedDataConverter, namespace } = client.options;
  const context = { type: 'workflow', namespace, workflowId } as const;
  return decodeArrayFromPayloads(loadedDataConverter, payloads, context);
}
