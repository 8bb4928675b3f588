import { workflowInfo } from '@temporalio/workflow';
import type { SettleReport } from '../domain/settle-report.ts';
import { settler } from './proxies.ts';

/** A Schedule starts it for the day. `isAgain`: hourly, for refused accounts only. */
export async function settleDaily(isAgain = false): Promise<SettleReport> {
  const at = workflowInfo().startTime.toISOString();
  try {
    return await settler.settleDaily(at, isAgain);
  } catch (error) {
    await settler.noteGivenUp(at);
    throw error;
  }
}
