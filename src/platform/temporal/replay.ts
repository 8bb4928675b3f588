import type { DataConverter } from '@temporalio/common';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { workflowCode } from './workflow-code.ts';

/** This many of the newest flows have run every recent branch of the code. */
const REPLAYED_MAX = 10_000;

type Replayed = AsyncGenerator<{ workflowId: string; error?: Error }>;
export type Histories = Parameters<typeof Worker.runReplayHistories>[1];

/** Silences the SDK's own lines, because a command prints its findings itself. Call once per process. */
export function silenceSdk(): void {
  // Also covers the native core's lines.
  const telemetryOptions = { logging: { forward: {} } };
  Runtime.install({ logger: new DefaultLogger('ERROR', () => {}), telemetryOptions });
}

/** Only compares: runs no activity and sends no message. */
export async function* replay(histories: Histories, dataConverter?: DataConverter): Replayed {
  yield* Worker.runReplayHistories(
    { ...(await workflowCode()), ...(dataConverter ? { dataConverter } : {}) },
    histories,
  );
}

export type ReplayReport = {
  replayed: number;
  failed: { workflowId: string; why: string }[];
  /** false: there were more flows than were replayed */
  isAll: boolean;
};

/** Returns the flows that this code cannot continue. Holds one history in memory at a time. */
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
