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
 * Entries that are shown at once, the oldest first: a person who has more of them reads the list. A third of the workflows
 * that a worker keeps in memory (workers.ts): as many as are flagged in one storm put few payments under way out of it.
 */
const SHOWN_MAX = 200;
/** One sweep compares this many workflows with the list: those that closed lately may still be there. */
const COMPARED_MAX = 2 * SHOWN_MAX;
/** Nothing more is begun after this long, and no call is waited for much longer: the rest is for the next sweep. */
const SHOW_MS_MAX = 20_000;
const LAST_CALL_MS = 5_000;

/** Only on our workers' queue: elsewhere nobody would take the signal, and each sweep would add one more. */
const RUNNING = `WorkflowType = '${workflowTypes.attention}' AND ExecutionStatus = 'Running' AND TaskQueue = '${taskQueues.money}'`;

/** If an address is not configured, the page is named instead. */
export type Links = { runbooksUrl?: string | undefined; workflowUrl(workflowId: string): string | null };

type Each = <T>(items: readonly T[], work: (item: T) => Promise<null>) => Promise<void>;

/**
 * Makes `Attention = true` in the Temporal UI what the attention list is: an open entry has a running workflow, and a
 * workflow whose entry is closed, or that a stranger started, is ended. Compared anew by every sweep, so nothing has to
 * be remembered, and whatever is lost on either side comes back with the next one.
 */
export function showAttention(
  { database, client, links }: { database: Database; client: Client; links: Links },
  each: Each,
): Promise<void> {
  const until = performance.now() + SHOW_MS_MAX;
  const eachInTime: Each = (items, work) =>
    each(items, async (item) => (performance.now() < until ? work(item) : null));
  return client.withDeadline(Date.now() + SHOW_MS_MAX + LAST_CALL_MS, async () => {
    // Read before the list, so that an entry that is opened meanwhile is not taken for one that was closed.
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

/** Operators read no name, no number, and no words that others chose. */
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

/** The web UI cuts it after three lines: money and ways to it come first. */
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

/** An entry that is there already was only not listed yet. */
async function start(client: Client, entry: ReturnType<typeof startOf>): Promise<null> {
  try {
    await client.workflow.start(workflowTypes.attention, entry);
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
  return null;
}

/** An entry that is gone was only listed still. */
async function end(client: Client, workflowId: string): Promise<null> {
  try {
    await client.workflow.getHandle(workflowId).signal(entryClosed);
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
  return null;
}
