import type { SweepReport } from '../domain/sweep-report.ts';
import { sweeper } from './proxies.ts';

/** Runs on a Temporal Schedule: repeats lost signals, starts lost workflows again, answers abandoned keys. */
export async function sweep(): Promise<SweepReport> {
  return sweeper.sweep();
}
