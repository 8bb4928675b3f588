import type { Mark } from '../domain/mark.ts';
import type { SweepReport } from '../domain/sweep-report.ts';
import { sweeper } from './proxies.ts';

/**
 * Runs on a Temporal Schedule: repeats lost signals, starts lost workflows again, answers abandoned keys. The schedule
 * keeps how far Postgres had come (`known`), so that a Postgres that was restored from a copy is noticed.
 */
export async function sweep(known?: Mark): Promise<SweepReport> {
  return sweeper.sweep(known ?? null);
}
