import assert from 'node:assert/strict';
import { nonsense, useAirtel } from './airtel-openapi-rig.ts';
import { type Answer, itHears, itKnowsNothing, PUSH, say } from './scripted.ts';

const state = (status: unknown, response_code = 'DP00800001006', transaction: object = {}): Answer => ({
  body: {
    data: { transaction: { status, ...transaction } },
    status: { code: '200', result_code: 'ESB000010', response_code, success: true },
  },
});
const refusal = (result_code?: string, response_code?: string, status = 404): Answer => ({
  status,
  body: { status: { result_code, response_code } },
});
const paid = { id: PUSH, airtel_money_id: 'MP1', message: 'success' };
const more = { ...paid, message: 'Paid TZS 15,100.50 to MALIPO Charge TZS 5' };

describe('what the Airtel channel makes of the answer to an enquiry', () => {
  const network = useAirtel();

  itKnowsNothing(network, ['push?'], nonsense);

  it('does not know how much was paid where neither the answer nor the order says it', async () => {
    network.lay('push?', state('TS', 'DP00800001001', paid));
    const unordered = await say(network.channelOf(), 'push?', { amount: undefined, currency: undefined });
    assert.deepEqual(unordered, { kind: 'unknown', detail: 'paid, but how much is not said', seen: true });
  });

  itHears(network, [
    ['push?', 'a refused token', { status: 401 }, 'unknown page'],
    ['push?', 'a refused rate', { status: 429 }, 'unknown page'],
    ['push?', 'a success without an amount', state('TS', 'DP00800001006', paid), 'succeeded TZS 15000 MP1'],
    ['push?', 'a success of another amount', state('TS', 'DP00800001001', more), 'succeeded TZS 15100.5 MP1'],
    ['push?', 'a failure and its reason', state('TF', 'DP00800001007'), 'failed insufficient_funds -'],
    ['push?', 'a failure in progress', state('TF'), 'failed network_error -'],
    ['push?', 'a failure that nobody knows', state('TF', 'DP00800009999'), 'failed network_error -'],
    ['push?', 'a failure in time', state('TF', 'DP00800001024'), 'failed customer_timeout -'],
    ['push?', 'an expiry', state('TE', 'ESB000011'), 'failed customer_timeout -'],
    ['payout?', 'an expiry', state('TE', 'DP00900001005'), 'failed network_error -'],
    ['push?', 'a reversal', state('TR'), 'failed reversed -'],
    ['push?', 'progress', state('TIP'), 'accepted -'],
    ['push?', 'the state TA', state('TA', 'DP00800001001'), 'unknown seen'],
    ['push?', 'the state SUCCESS', state('SUCCESS', 'DP00800001001'), 'unknown seen'],
    ['push?', 'the state Transaction Success', state('Transaction Success', 'DP00800001001'), 'unknown seen'],
    ['payout?', 'a failure that may have been done', state('TF', 'DP00900001000'), 'unknown seen'],
    ['payout?', 'a failure that may be done', state('TF', 'DP00900001014'), 'unknown seen'],
    ['push?', 'a success of another one', state('TS', '', { id: 'PY0000000000000002' }), 'unknown'],
    ['push?', 'a failure of another one', state('TF', '', { id: 'PY0000000000000002' }), 'unknown'],
    ...[false, null, '', 17, PUSH].map(
      (id) => ['push?', `a success of ${id}`, state('TS', '', { id }), 'succeeded TZS 15000 -'] as const,
    ),
    ['push?', 'the word for not found', refusal('ESB000045'), 'not_found'],
    ['push?', 'both words for it', refusal('ESB000011', 'DP00800001025', 200), 'not_found'],
    ['push?', 'the word of payouts for it', refusal('ESB000045', 'DP00900001015'), 'not_found'],
    ['push?', 'that word and another', refusal('ESB000045', 'DP00800001000'), 'unknown'],
    ['push?', 'a refusal', refusal('ESB000011'), 'unknown'],
    ['push?', '"Transaction ID is invalid"', refusal(undefined, 'DP00800001005'), 'unknown'],
    ['push?', 'the word for not found with 502', refusal('ESB000045', undefined, 502), 'unknown'],
    ['push?', 'that word beside a state', state('TIP', 'ESB000045'), 'accepted -'],
  ]);
});
