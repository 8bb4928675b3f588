import { workflowInfo } from '@temporalio/workflow';
import type { SettleReport } from '../domain/settle-report.ts';
import { settler } from './proxies.ts';

/**
 * Temporal Schedules run this: it begins the settlements of the day on which it started, or tells a person. `isAgain`:
 * it begins again each hour those that were refused.
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
