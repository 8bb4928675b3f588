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

/** Whether Postgres and Temporal answer now, within 2 s. */
export function createHealthCheck(deps: { database: Database; flows: Flows }): () => Promise<boolean> {
  return async () => {
    const parts = [succeeds(deps.database.query('SELECT 1')), deps.flows.isReachable(CHECK_TIMEOUT_MS)];
    const answers = await Promise.all(parts.map((part) => inTime(part, CHECK_TIMEOUT_MS, () => false)));
    return answers.every(Boolean);
  };
}

export function createStatus(isHealthy: () => Promise<boolean>): Handler {
  return async () => {
    if (!(await isHealthy())) throw unavailable();
    return { body: writeJson<typeof statusAnswer>({ success: true, message: 'The service is up' }) };
  };
}
