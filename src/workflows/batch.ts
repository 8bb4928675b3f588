import {
  allHandlersFinished,
  condition,
  continueAsNew,
  setCurrentDetails,
  setHandler,
} from '@temporalio/workflow';
import type { BatchProgress, BatchRun, BatchStart } from '../domain/batch.ts';
import { formatMoney } from '../domain/money.ts';
import { type BatchInput, batchNews, startBatch } from './messages.ts';
import { batcher, money } from './proxies.ts';

export type BatchResult = { status: BatchProgress['status'] | 'refused' };

/** A run of the flow ends after so many items, or steps: its history stays short, however long the batch takes. */
const ITEMS_OF_A_RUN = 500;
const STEPS_OF_A_RUN = 120;
/** Between two slices, and between two looks where nothing could be started: longer and longer while nothing changes. */
const PAUSE_MS = { slice: 250, least: 1_000, most: 30_000 };

/**
 * A batch of payouts: hold all of its money, start its items slice by slice as ordinary payouts, count how they end, give the
 * rest back and tell the merchant. It sends nothing itself. What it does next is read from Postgres; news only wakes it.
 */
export async function batch({ run, isHeld }: BatchInput): Promise<BatchResult> {
  let started: BatchStart | undefined = isHeld && { kind: 'running' };
  const news: News = { isThere: false };
  setHandler(startBatch, async () => {
    // A restore may have made it a draft again: it is looked at before this is answered.
    if (started?.kind === 'scheduled') [started, news.isThere] = [undefined, true];
    await condition(() => started !== undefined);
    return started as BatchStart;
  });
  setHandler(batchNews, () => {
    news.isThere = true;
  });
  if (!isHeld) {
    show(run, 'Holds the money of all its items');
    started = await money.startBatch(run);
    while (started.kind === 'scheduled') {
      show(run, `Starts at ${started.startAt}`);
      news.isThere = false;
      await condition(() => news.isThere, Math.max(1_000, Date.parse(started.startAt) - Date.now()));
      started = await money.startBatch(run, true);
    }
    if (started.kind === 'refused' || started.kind === 'closed') {
      await condition(allHandlersFinished);
      return { status: started.kind === 'refused' ? 'refused' : 'finished' };
    }
    if (started.isUnheld) return payItems(run, news);
    // From here on a restore finds in the input that the money was held.
    return again(run);
  }
  return payItems(run, news);
}

type News = { isThere: boolean };

/** Slice by slice, until all have ended, or this run of the flow has done enough. */
async function payItems(run: BatchInput['run'], news: News): Promise<BatchResult> {
  let [begun, pauseMs, seen] = [0, PAUSE_MS.least, ''];
  for (let step = 0; step < STEPS_OF_A_RUN && begun < ITEMS_OF_A_RUN; step += 1) {
    news.isThere = false;
    const slice = await batcher.startItems(run);
    const progress = await money.countBatch(run);
    show(run, wordsOf(progress));
    if (progress.isOver) {
      if (progress.event !== null) await batcher.tellOfBatch(progress.event);
      await condition(allHandlersFinished);
      return { status: progress.status };
    }
    begun += slice;
    const now = JSON.stringify(progress);
    pauseMs = now === seen ? Math.min(PAUSE_MS.most, pauseMs * 1.5) : PAUSE_MS.least;
    seen = now;
    await condition(() => news.isThere, slice > 0 ? PAUSE_MS.slice : pauseMs);
  }
  return again(run);
}

async function again(run: BatchInput['run']): Promise<never> {
  await condition(allHandlersFinished);
  return continueAsNew<typeof batch>({ run, isHeld: true });
}

/** What an operator reads above the workflow in the Temporal UI. */
function show({ batchId, batchNumber, items, amount, currency }: BatchRun, state: string): void {
  setCurrentDetails(
    [
      `**${items} items**, ${formatMoney(amount)} ${currency}, batch \`${batchNumber.replaceAll('`', "'")}\``,
      state,
      `All of it: \`malipo find ${batchId}\``,
    ].join('\n\n'),
  );
}

function wordsOf({ status, waiting, pending, paid, failed, cancelled }: BatchProgress): string {
  return `It is ${status}: ${waiting} wait, ${pending} on their way, ${paid} paid, ${failed} failed, ${cancelled} cancelled`;
}
