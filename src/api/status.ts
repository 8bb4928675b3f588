import { statusAnswer } from '../contract/answer-schemas.ts';
import { writeJson } from '../contract/json-of.ts';
import type { Endpoint, Handler } from './http/endpoint.ts';
import { unavailable } from './http/middleware/envelope.ts';

export const getStatus = {
  method: 'GET',
  paths: ['status'],
  summary: 'Whether the service is up',
  scopes: null,
  answer: statusAnswer,
  examples: { answer: { up: { success: true, message: 'The service is up' } } },
  refusals: ['unavailable'],
} as const satisfies Endpoint;

export function createStatus(isHealthy: () => Promise<boolean>): Handler {
  return async () => {
    if (!(await isHealthy())) throw unavailable();
    return { body: writeJson<typeof statusAnswer>({ success: true, message: 'The service is up' }) };
  };
}
