import { workflowInfo } from '@temporalio/workflow';
import type { SettleReport } from '../domain/settle-report.ts';
import { settler } from './proxies.ts';

/** Runs on a Temporal Schedule: begins the settlements of the day on which it started. */
export async function settleDaily(): Promise<SettleReport> {
  return settler.settleDaily(workflowInfo().startTime.toISOString());
}
