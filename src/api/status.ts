import { statusAnswer } from '../contract/answer-schemas.ts';
import { say } from '../domain/messages.ts';
import { unavailable } from '../platform/http/envelope.ts';
import { done } from './kit/call.ts';
import { call } from './kit/gateway-call.ts';

export const getStatus = call(
  {
    method: 'GET',
    paths: ['status'],
    summary: 'Whether the service is up',
    scopes: null,
    answer: statusAnswer,
    examples: { answer: { up: { success: true, message: 'The service is up' } } },
    refusals: ['unavailable'],
  },
  async (_request, { isHealthy }) => {
    if (!(await isHealthy())) throw unavailable();
    return done(say('service_up'));
  },
);
