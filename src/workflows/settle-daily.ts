import { workflowInfo } from '@temporalio/workflow';
import type { SettleReport } from '../domain/settle-report.ts';
import { settler } from './proxies.ts';

/** Runs on a Temporal Schedule: begins the settlements of the day on which it started, or a person is told. */
export async function settleDaily(): Promise<SettleReport> {
  const at = workflowInfo().startTime.toISOString();
  try {
    return await settler.settleDaily(at);
  } catch (error) {
    await settler.noteGivenUp(at);
    throw error;
  }
}
