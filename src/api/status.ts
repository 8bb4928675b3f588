import { statusAnswer } from '../contract/answer-schemas.ts';
import { GatewayError } from '../domain/errors.ts';
import { say } from '../domain/messages.ts';
import { done } from './kit/call.ts';
import { call } from './kit/gateway-call.ts';

export const getStatus = call(
  {
    method: 'GET',
    paths: ['status'],
    summary: 'Whether payments, payouts and callbacks work at present',
    purpose:
      'Ask this before you open your shop, or from your monitoring: it needs no key. ' +
      'A 503 means that requests would not be carried out now; try again after `Retry-After`.',
    scopes: null,
    answer: statusAnswer,
    refusals: ['unavailable'],
  },
  async (_request, { readOperations }) => {
    const operations = await readOperations();
    if (operations.payments === 'down' || operations.payouts === 'down')
      throw new GatewayError('unavailable', say('service_unavailable'), { operations });
    const isUp = Object.values(operations).every((state) => state === 'up');
    return { ...done(say(isUp ? 'service_up' : 'service_degraded')), operations };
  },
);
