import type { Client } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import { environmentOfLocal } from '../../sandbox/local/attach.ts';
import { loadConfig } from '../../src/config/config.ts';
import { isUuid } from '../../src/domain/ids.ts';
import { createTemporalClient, type TemporalClient } from '../../src/platform/temporal/connect.ts';
import { asInProduction, type Gateway, type Json } from '../support/gateway.ts';

/** Temporal as the gateway's own processes see it: what they encrypt it reads. */
export async function temporalOf({ folder }: Gateway): Promise<TemporalClient> {
  return createTemporalClient(loadConfig({ ...(await environmentOfLocal(folder)), ...asInProduction }));
}

/** How an entry is compared: Temporal never sees the subject of one that is about no transaction. */
const nameOf = (subject: string, reason: string) =>
  `${isUuid(subject) ? subject : 'no transaction'} ${reason}`;

/** Everything that `attention list` shows, by transaction and reason. */
export async function attentionList({ local }: Gateway): Promise<string[]> {
  const entries: string[] = [];
  for (let page = 1, last = 1; page <= last; page += 1) {
    const answer = await fetch(`${local.management_url}/operator/v1/attention?page=${page}&per_page=100`, {
      headers: { authorization: `Bearer ${local.operators[0]?.token}` },
    });
    const { data, pagination }: Json = await answer.json();
    for (const { subject, reason } of data) entries.push(nameOf(subject, reason));
    last = pagination.last_page;
  }
  return entries.sort();
}

/** What `Attention = true` finds in the Temporal UI, by transaction and reason. */
export async function flaggedInTemporal(client: Client): Promise<string[]> {
  const entries: string[] = [];
  for await (const { workflowId } of client.workflow.list({ query: 'Attention = true' })) {
    const [, subject = '', reason = ''] = /^attention\/([^/]+)\/([^/]+)$/.exec(workflowId) ?? [];
    entries.push(nameOf(subject, reason));
  }
  return entries.sort();
}

/** All that people read of a workflow in the Temporal UI beside its input and what its steps were given. */
export async function readableOf(client: Client, workflowId: string): Promise<string> {
  const handle = client.workflow.getHandle(workflowId);
  const description = await handle.describe();
  const info = description.raw.workflowExecutionInfo;
  const { events } = await handle.fetchHistory();
  const { currentDetails }: Json = await handle.query('__temporal_workflow_metadata');
  const payloads = [
    ...Object.values(info?.searchAttributes?.indexedFields ?? {}),
    ...Object.values(info?.memo?.fields ?? {}),
    ...(events ?? []).flatMap(({ userMetadata }) => [userMetadata?.summary, userMetadata?.details]),
    ...(events ?? []).flatMap(
      (event) => event.workflowExecutionCompletedEventAttributes?.result?.payloads ?? [],
    ),
  ];
  const opened = await Promise.all(payloads.map((payload) => open(client, payload)));
  return [
    workflowId,
    info?.type?.name,
    await description.staticSummary(),
    await description.staticDetails(),
    currentDetails,
    ...opened.map((payload) => Buffer.from(payload?.data ?? []).toString()),
  ].join('\n');
}

/** As the web UI opens it, with the codec endpoint; a search attribute is never encrypted. */
async function open(
  client: Client,
  payload: Payload | null | undefined,
): Promise<Payload | null | undefined> {
  const [codec] = client.options.loadedDataConverter.payloadCodecs;
  const isEncrypted = Buffer.from(payload?.metadata?.encoding ?? []).toString() === 'binary/encrypted';
  return payload && codec && isEncrypted ? (await codec.decode([payload]))[0] : payload;
}
