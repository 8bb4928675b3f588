import { type Client, WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import { needOf } from '../domain/attention.ts';
import { attentionWorkflowIdOf, workflowIdOf } from '../domain/ids.ts';
import { CURRENCY, formatMoney, toUnits } from '../domain/money.ts';
import type { Database } from '../platform/db/pool.ts';
import { entriesToShow, type ShownEntry } from '../transactions/care/attention.ts';
import {
  entryClosed,
  searchAttributes,
  TIMES,
  taskQueues,
  urgencies,
  workflowTypes,
} from '../workflows/messages.ts';

/**
 * This many entries are shown at once, oldest first. It is a third of the workflows that a worker caches
 * (workers.ts), so a storm of entries evicts few active payments.
 */
const SHOWN_MAX = 200;
/** workflows that one sweep compares with the list; recently closed ones may still be there */
const COMPARED_MAX = 2 * SHOWN_MAX;
/** After this time the sweep starts no more calls and soon stops waiting; the next sweep continues. */
const SHOW_MS_MAX = 20_000;
const LAST_CALL_MS = 5_000;

/** Searches only our workers' queue: elsewhere no worker takes the signal, and each sweep would add one. */
const RUNNING = `WorkflowType = '${workflowTypes.attention}' AND ExecutionStatus = 'Running'
    AND TaskQueue = '${taskQueues.money}'`;

export type Links = { runbooksUrl?: string | undefined; workflowUrl(workflowId: string): string | null };

type Each = <T>(items: readonly T[], work: (item: T) => Promise<null>) => Promise<void>;

/**
 * Makes the Temporal UI's `Attention = true` match the attention list: an open entry has a running workflow,
 * and any other such workflow is ended. Every sweep compares again, so a loss on either side is repaired.
 */
export function showAttention(
  { database, client, links }: { database: Database; client: Client; links: Links },
  each: Each,
): Promise<void> {
  const until = performance.now() + SHOW_MS_MAX;
  const eachInTime: Each = (items, work) =>
    each(items, async (item) => (performance.now() < until ? work(item) : null));
  return client.withDeadline(Date.now() + SHOW_MS_MAX + LAST_CALL_MS, async () => {
    // Temporal is read first, so an entry that opens meanwhile does not look closed.
    const shown = await shownIn(client);
    const starts = (await entriesToShow(database, SHOWN_MAX)).map((entry) => startOf(entry, links));
    const wanted = new Set(starts.map(({ workflowId }) => workflowId));
    const over = [...shown].filter((id) => !wanted.has(id));
    await eachInTime(over, (id) => end(client, id));
    const missing = starts.filter(({ workflowId }) => !shown.has(workflowId));
    await eachInTime(missing, (one) => start(client, one));
  });
}

async function shownIn(client: Client): Promise<Set<string>> {
  const shown = new Set<string>();
  for await (const { workflowId } of client.workflow.list({ query: RUNNING })) {
    shown.add(workflowId);
    if (shown.size >= COMPARED_MAX) break;
  }
  return shown;
}

/** Contains no name, no number, and no text from outside. */
function startOf(entry: ShownEntry, links: Links) {
  const { reason, accountId, channel, amount } = entry;
  return {
    workflowId: attentionWorkflowIdOf(entry),
    taskQueue: taskQueues.money,
    workflowTaskTimeout: '5s',
    priority: { priorityKey: urgencies.sweep },
    staticSummary: `A person is needed: ${reason}`,
    staticDetails: detailsOf(entry, links),
    typedSearchAttributes: new TypedSearchAttributes([
      { key: searchAttributes.attention, value: true },
      ...(accountId === null ? [] : [{ key: searchAttributes.accountId, value: accountId }]),
      ...(channel === null ? [] : [{ key: searchAttributes.channel, value: channel }]),
      ...(amount === null ? [] : [{ key: searchAttributes.amount, value: toUnits(amount) }]),
    ]),
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    workflowIdConflictPolicy: 'FAIL',
  } as const;
}

/** The web UI shows three lines, so money and links come first. */
function detailsOf({ reason, raisedAt, transactionId, amount }: ShownEntry, links: Links): string {
  const why = [`**A person is needed.** ${needOf(reason, links.runbooksUrl)}`, `Since ${raisedAt}. ${TIMES}`];
  if (transactionId === null) return ['`malipo attention list`', ...why].join('\n\n');
  const flow = workflowIdOf(transactionId);
  const url = links.workflowUrl(flow);
  const shown = url === null ? `\`${flow}\`` : `[${flow}](${url})`;
  const money = amount === null ? [] : [`**${formatMoney(amount)} ${CURRENCY}**`];
  const first = [...money, shown, `\`malipo find ${transactionId}\``].join(' · ');
  return [first, ...why].join('\n\n');
}

/** An existing workflow is no error: Temporal did not list it yet. */
async function start(client: Client, entry: ReturnType<typeof startOf>): Promise<null> {
  try {
    await client.workflow.start(workflowTypes.attention, entry);
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
  return null;
}

/** A missing workflow is no error: Temporal still listed it. */
async function end(client: Client, workflowId: string): Promise<null> {
  try {
    await client.workflow.getHandle(workflowId).signal(entryClosed);
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
  return null;
}
