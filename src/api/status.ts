import { statusAnswer } from '../contract/answer-schemas.ts';
import { writeJson } from '../contract/json-of.ts';
import type { Database } from '../db/pool.ts';
import { inTime, succeeds } from '../process/promises.ts';
import type { Flows } from './flows.ts';
import type { Endpoint, Handler } from './http/endpoint.ts';
import { unavailable } from './http/middleware/envelope.ts';

const CHECK_TIMEOUT_MS = 1_500;

export const getStatus = {
  method: 'GET',
  paths: ['status'],
  summary: 'Whether the service is up',
  scopes: null,
  answer: statusAnswer,
  examples: { answer: { up: { success: true, message: 'The service is up' } } },
  refusals: ['unavailable'],
} as const satisfies Endpoint;

/** How long an answer is repeated: however many ask, the stores are asked once in this time. */
const FRESH_MS = 1_000;

/** Whether Postgres and Temporal answered within the last second, or do now, within 2 s. One asks for everybody. */
export function createHealthCheck(deps: {
  database: Pick<Database, 'query'>;
  flows: Pick<Flows, 'isReachable'>;
  now?: () => number;
}): () => Promise<boolean> {
  const now = deps.now ?? (() => performance.now());
  let asking: Promise<boolean> | null = null;
  let answered = { healthy: false, at: -Infinity };

  async function ask(): Promise<boolean> {
    const parts = [succeeds(deps.database.query('SELECT 1')), deps.flows.isReachable(CHECK_TIMEOUT_MS)];
    const answers = await Promise.all(parts.map((part) => inTime(part, CHECK_TIMEOUT_MS, () => false)));
    answered = { healthy: answers.every(Boolean), at: now() };
    return answered.healthy;
  }

  return async () => {
    if (now() - answered.at < FRESH_MS) return answered.healthy;
    asking ??= ask().finally(() => {
      asking = null;
    });
    return asking;
  };
}

export function createStatus(isHealthy: () => Promise<boolean>): Handler {
  return async () => {
    if (!(await isHealthy())) throw unavailable();
    return { body: writeJson<typeof statusAnswer>({ success: true, message: 'The service is up' }) };
  };
}
