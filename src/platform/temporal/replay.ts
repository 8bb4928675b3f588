import type { DataConverter } from '@temporalio/common';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { workflowCode } from './workflow-code.ts';

/** So many say enough: the newest have met every branch of the code lately. */
const REPLAYED_MAX = 10_000;

type Replayed = AsyncGenerator<{ workflowId: string; error?: Error }>;
export type Histories = Parameters<typeof Worker.runReplayHistories>[1];

/** A command prints what it found itself: of the SDK's lines a person reads none. Once in a process. */
export function silenceSdk(): void {
  // The native core's lines go to the same place.
  const telemetryOptions = { logging: { forward: {} } };
  Runtime.install({ logger: new DefaultLogger('ERROR', () => {}), telemetryOptions });
}

/** Runs histories through the code of this process, which does nothing but compare: no activity, no message leaves. */
export async function* replay(histories: Histories, dataConverter?: DataConverter): Replayed {
  yield* Worker.runReplayHistories(
    { ...(await workflowCode()), ...(dataConverter ? { dataConverter } : {}) },
    histories,
  );
}

export type ReplayReport = {
  replayed: number;
  failed: { workflowId: string; why: string }[];
  /** false: there were more than are replayed */
  isAll: boolean;
};

/** Which of these this code cannot carry on. Histories stay in memory, one by one. */
export async function replayAll(
  histories: Histories,
  dataConverter?: DataConverter,
  { max = REPLAYED_MAX } = {},
): Promise<ReplayReport> {
  const report: ReplayReport = { replayed: 0, failed: [], isAll: true };
  async function* first() {
    let read = 0;
    for await (const history of histories) {
      read += 1;
      if (read > max) {
        report.isAll = false;
        return;
      }
      yield history;
    }
  }
  for await (const { workflowId, error } of replay(first() as Histories, dataConverter)) {
    report.replayed += 1;
    if (error) report.failed.push({ workflowId, why: error.message.split('\n')[0] ?? '' });
  }
  return report;
}
