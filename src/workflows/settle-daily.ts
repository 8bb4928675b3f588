import { workflowInfo } from '@temporalio/workflow';
import { dayOf } from '../domain/day.ts';
import type { SettleReport } from '../domain/settle-report.ts';
import { settler } from './proxies.ts';

/**
 * Runs on a Temporal Schedule: begins the settlements of the day on which it started. However often it tries, it is that
 * day's.
 */
export async function settleDaily(): Promise<SettleReport> {
  return settler.settleDaily(dayOf(workflowInfo().startTime));
}
