import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { minor } from '../../../src/domain/money.ts';
import { vodacomChannel, vodacomSimulator } from '../../channels/vodacom-openapi/rig.ts';
import { openSimulator } from '../../support/simulator.ts';

describe('calls that the simulator lacks', () => {
  const lacking = [
    ['GET', '/openapi/ipg/v2/vodacomTZN/nothing/'],
    ['POST', '/v1/checkout/cancel-everything'],
    ['GET', '/third-parties/nothing'],
    ['PUT', '/merchant/v1/nothing'],
    ['GET', '/transactions/nothing/at/all'],
  ];
  for (const [method = '', path] of lacking)
    it(`are refused as JSON: ${method} ${path}`, async () => {
      const simulator = await openSimulator(vodacomSimulator({ mode: 'synchronous' }));
      try {
        const answer = await fetch(`${simulator.url}${path}`, { method });
        assert.equal(answer.ok, false);
        assert.equal(typeof (await answer.json()), 'object');
      } finally {
        await simulator.close();
      }
    });

  it('take a transaction reference again under another conversation id, and no conversation id twice', async () => {
    const timing = { customerMs: 30, promptMs: 300, slowAnswerMs: 600 };
    const simulator = await openSimulator({ timing, ...vodacomSimulator({ mode: 'synchronous' }) });
    try {
      const channel = vodacomChannel(simulator.url, { mode: 'synchronous' });
      const push = (transactionId: string) =>
        channel.requestPush?.(
          {
            transactionId,
            reference: 'PYSAMEREFERENCE000',
            amount: minor(150_000),
            currency: 'TZS',
            description: 'Payment',
            party: { kind: 'wallet', msisdn: '255754000001' },
          },
          { timeoutMs: 5_000 },
        );
      const one = randomUUID();
      assert.equal((await push(one))?.kind, 'succeeded');
      assert.equal((await push(randomUUID()))?.kind, 'succeeded');
      const repeated = await push(one);
      assert.ok(repeated?.kind === 'unknown' && repeated.seen);
    } finally {
      await simulator.close();
    }
  });
});
