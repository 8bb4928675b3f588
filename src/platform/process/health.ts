import { readOnce } from '../../base/read-once.ts';
import { inTime, succeeds } from './promises.ts';

const CHECK_TIMEOUT_MS = 1_500;

/** How long an answer is repeated: however many ask, the stores are asked once in this time. */
const FRESH_MS = 1_000;

/** Our own role asks this: a server that answers anybody, or a role without grants, is of no use. */
const ASK_POSTGRES = 'SELECT FROM transactions LIMIT 1';

/** `isReachable` shows Temporal our credentials. */
type Temporal = { isReachable(timeoutMs: number): Promise<boolean> };

/** Returns true if Postgres and Temporal took our credentials in the last second, or do within 2 s. */
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
 * Counts Temporal as reachable once it was reached. If it is away later, lookups and the doors of channels
 * still answer, so every API stays behind its load balancer; calls that need Temporal answer 503. An API with
 * wrong credentials is never ready.
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
