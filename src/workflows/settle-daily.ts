import { workflowInfo } from '@temporalio/workflow';
import type { SettleReport } from '../domain/settle-report.ts';
import { settler } from './proxies.ts';

/**
 * Runs on Temporal Schedules: begins the settlements of the day on which it started, or a person is told. `isAgain`: each hour
 * of it, those that were refused.
 */
export async function settleDaily(isAgain = false): Promise<SettleReport> {
  const at = workflowInfo().startTime.toISOString();
  try {
    return await settler.settleDaily(at, isAgain);
  } catch (error) {
    await settler.noteGivenUp(at);
    throw error;
  }
}
