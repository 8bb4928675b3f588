import {
  allHandlersFinished,
  condition,
  continueAsNew,
  setCurrentDetails,
  setHandler,
} from '@temporalio/workflow';
import type { BatchProgress, BatchRun, BatchStart } from '../domain/batch.ts';
import { countOf } from '../domain/count-of.ts';
import { formatMoney } from '../domain/money.ts';
import type { Signed } from '../domain/operation.ts';
import { type BatchInput, batchNews, startBatch, TIMES } from './messages.ts';
import { batcher, money } from './proxies.ts';

export type BatchResult = { status: BatchProgress['status'] | 'refused' };

/** items and steps per run of the workflow, to keep its history short */
const ITEMS_OF_A_RUN = 500;
const STEPS_OF_A_RUN = 120;
/** Pauses between slices, and between attempts that started nothing, grow while nothing changes. */
const PAUSE_MS = { slice: 250, least: 1_000, most: 30_000 };

/**
 * Holds all of a batch's money, starts its items in slices as ordinary payouts, counts how they end, releases
 * the rest and tells the merchant. It reads each next step from Postgres; news only wakes it.
 */
export async function batch({ run }: BatchInput): Promise<BatchResult> {
  const flow: Flow = { answer: null, isNews: false, isEnding: false };
  setHandler(startBatch, async () => {
    // Ask Postgres first: a restore may have made it a draft again.
    if (!flow.isEnding) [flow.answer, flow.isNews] = [null, true];
    await condition(() => flow.answer !== null);
    return flow.answer as Started;
  });
  setHandler(batchNews, () => {
    flow.isNews = true;
  });
  if (run.start) return payItems(run, flow);
  show(run, 'Holds the money of all its items');
  flow.answer = await money.startBatch(run);
  while (flow.answer.kind === 'scheduled') {
    const { startAt } = flow.answer;
    show(run, `Starts at ${startAt}`);
    flow.isNews = false;
    await condition(() => flow.isNews, Math.max(1_000, Date.parse(startAt) - Date.now()));
    flow.answer = await money.startBatch(run, true);
  }
  if (flow.answer.kind !== 'running')
    return end(flow, { status: flow.answer.kind === 'refused' ? 'refused' : 'finished' });
  // The input of the new run tells a restore what was held.
  return flow.answer.run ? again(flow.answer.run, flow) : payItems(run, flow);
}

type Started = BatchStart<Signed<BatchRun>>;
/** `answer`: for the caller of `startBatch`; null while Postgres is asked, final once the run ends. */
type Flow = { answer: Started | null; isNews: boolean; isEnding: boolean };

async function payItems(run: BatchInput['run'], flow: Flow): Promise<BatchResult> {
  let [begun, pauseMs, seen] = [0, PAUSE_MS.least, ''];
  for (let step = 0; step < STEPS_OF_A_RUN && begun < ITEMS_OF_A_RUN; step += 1) {
    flow.isNews = false;
    const slice = await batcher.startItems(run);
    const progress = await money.countBatch(run);
    show(run, wordsOf(progress));
    const { status, isOver, event } = progress;
    // A restore may have made it a draft again; then a new request starts a new workflow.
    if (isOver || status === 'draft' || status === 'scheduled') {
      flow.answer = { kind: 'closed' };
      if (event !== null) await batcher.tellOfBatch(event);
      return end(flow, { status });
    }
    flow.answer = { kind: 'running', run };
    begun += slice;
    const now = JSON.stringify(progress);
    pauseMs = now === seen ? Math.min(PAUSE_MS.most, pauseMs * 1.5) : PAUSE_MS.least;
    seen = now;
    await condition(() => flow.isNews, slice > 0 ? PAUSE_MS.slice : pauseMs);
  }
  return again(run, flow);
}

async function again(run: BatchInput['run'], flow: Flow): Promise<never> {
  await end(flow, null);
  return continueAsNew<typeof batch>({ run });
}

async function end<R>(flow: Flow, result: R): Promise<R> {
  flow.isEnding = true;
  await condition(allHandlersFinished);
  return result;
}

/** The Temporal UI shows this above the workflow. */
function show({ batchId, batchNumber, items, amount, currency }: BatchRun, state: string): void {
  setCurrentDetails(
    [
      `**${formatMoney(amount)} ${currency}** · ${countOf(items, 'item')} · \`malipo find ${batchId}\``,
      state,
      `Batch \`${batchNumber.replaceAll('`', "'")}\``,
      TIMES,
    ].join('\n\n'),
  );
}

function wordsOf({ status, waiting, pending, paid, failed, cancelled }: BatchProgress): string {
  return (
    `It is ${status}: ${waiting} wait, ${pending} on their way, ${paid} paid, ${failed} failed, ` +
    `${cancelled} cancelled`
  );
}
