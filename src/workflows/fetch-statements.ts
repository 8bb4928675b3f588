import type { FetchReport } from '../domain/fetch-report.ts';
import { fetcher } from './proxies.ts';

/** Runs on a Temporal Schedule: fetches and imports the statements of networks with an API for them. */
export async function fetchStatements(): Promise<FetchReport> {
  return fetcher.fetchStatements();
}
