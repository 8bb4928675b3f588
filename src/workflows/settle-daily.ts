import { workflowInfo } from '@temporalio/workflow';
import type { SettleReport } from '../domain/settle-report.ts';
import { settler } from './proxies.ts';

/** Schedules run this for the day on which it started. `isAgain`: hourly, for those refused. */
export async function settleDaily(isAgain = false): Promise<SettleReport> {
  const at = workflowInfo().startTime.toISOString();
  try {
    return await settler.settleDaily(at, isAgain);
  } catch (error) {
    await settler.noteGivenUp(at);
    throw error;
  }
}
