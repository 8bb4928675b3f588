import type { Mark } from '../domain/mark.ts';
import type { SweepReport } from '../domain/sweep-report.ts';
import { sweeper } from './proxies.ts';

/** Runs on a Schedule. `known`: how far Postgres had come, so an older copy is noticed. */
export async function sweep(known?: Mark): Promise<SweepReport> {
  return sweeper.sweep(known ?? null);
}
