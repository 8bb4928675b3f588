import type { FetchReport } from '../domain/fetch-report.ts';
import { fetcher } from './proxies.ts';

/** Runs on a Temporal Schedule: fetches and imports statements from networks that have an API for them. */
export async function fetchStatements(): Promise<FetchReport> {
  return fetcher.fetchStatements();
}
