import { readOnce } from '../../base/read-once.ts';
import { inTime, succeeds } from './promises.ts';

const CHECK_TIMEOUT_MS = 1_500;

/** An answer is reused for this long, so that many callers ask the stores once. */
const FRESH_MS = 1_000;

/** Runs as the process's role, so it also finds a server without authentication or a role without grants. */
const ASK_POSTGRES = 'SELECT FROM transactions LIMIT 1';

type Temporal = { isReachable(timeoutMs: number): Promise<boolean> };

/** Returns true if Postgres and Temporal accept our credentials within 2 s, or did in the last second. */
export function createHealthCheck({
  database,
  temporal,
  ...clock
}: {
  database: { query(text: string): Promise<unknown> };
  temporal: Temporal;
  now?: () => number;
}): () => Promise<boolean> {
  const ask = async () => {
    const parts = [succeeds(database.query(ASK_POSTGRES)), temporal.isReachable(CHECK_TIMEOUT_MS)];
    const answers = await Promise.all(parts.map((part) => inTime(part, CHECK_TIMEOUT_MS, () => false)));
    return answers.every(Boolean);
  };
  return readOnce(ask, { freshMs: FRESH_MS, ...clock });
}

/**
 * Counts Temporal as reachable after the first success. Lookups and channels' doors work without Temporal, so
 * its outage must not take APIs out of the load balancer. An API with wrong credentials is never ready.
 */
export function onceReachable(temporal: Temporal): Temporal {
  let wasReached = false;
  return {
    async isReachable(timeoutMs) {
      wasReached ||= await temporal.isReachable(timeoutMs);
      return wasReached;
    },
  };
}
