import type { DataConverter } from '@temporalio/common';
import { Worker } from '@temporalio/worker';
import type { Deployments } from './deployments.ts';
import { workflowCode } from './workflow-code.ts';

export type Drained = {
  /** open flows that only the old version's workers can carry on */
  open: number;
  moved: number;
  /** what this version cannot carry on: workflow ids */
  kept: string[];
};

/**
 * What still needs the workers of an old version. With `moves`, flows that the code of this process replays without a
 * difference are given to the current version; the others stay where they are.
 */
export async function drain(
  deployments: Deployments,
  buildId: string,
  options: { moves: boolean; dataConverter?: DataConverter },
): Promise<Drained> {
  const { moves, dataConverter } = options;
  const drained: Drained = { open: 0, moved: 0, kept: [] };
  if (!moves) {
    for await (const _ of deployments.openPinnedTo(buildId)) drained.open += 1;
    return drained;
  }
  const histories = deployments.openPinnedTo(buildId).intoHistories({ concurrency: 5, bufferLimit: 10 });
  const replayed = Worker.runReplayHistories(
    { ...workflowCode(), ...(dataConverter ? { dataConverter } : {}) },
    histories,
  );
  for await (const { workflowId, error } of replayed) {
    if (error) drained.kept.push(workflowId);
    else {
      await deployments.release(workflowId);
      drained.moved += 1;
    }
  }
  drained.open = drained.kept.length;
  return drained;
}
