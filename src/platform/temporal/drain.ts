import type { DataConverter } from '@temporalio/common';
import type { Deployments } from './deployments.ts';
import { replay } from './replay.ts';

export type Drained = {
  /** open flows that only the old version's workers can continue */
  open: number;
  moved: number;
  /** workflows that this version cannot continue */
  kept: string[];
};

/**
 * Reports flows that need an old version's workers; moves flows that `movesTo` replays without a difference.
 */
export async function drain(
  deployments: Deployments,
  buildId: string,
  options: { movesTo: string | null; dataConverter?: DataConverter },
): Promise<Drained> {
  const { movesTo, dataConverter } = options;
  const drained: Drained = { open: 0, moved: 0, kept: [] };
  if (movesTo === null) {
    for await (const _ of deployments.openPinnedTo(buildId)) drained.open += 1;
    return drained;
  }
  const histories = deployments.openPinnedTo(buildId).intoHistories({ concurrency: 5, bufferLimit: 10 });
  for await (const { workflowId, error } of replay(histories, dataConverter)) {
    if (error) drained.kept.push(workflowId);
    else {
      await deployments.moveTo(movesTo, workflowId);
      drained.moved += 1;
    }
  }
  drained.open = drained.kept.length;
  return drained;
}
