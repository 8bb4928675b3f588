import assert from 'node:assert/strict';
import { createTally } from '../../src/api/kit/operations.ts';
import { close } from '../../src/channels/traffic/closures.ts';
import { createHealthCheck } from '../../src/platform/process/health.ts';
import { closeFence } from '../../src/transactions/care/fence.ts';
import { asRole } from '../support/database.ts';
import type { Database } from '../support/queryable.ts';
import { until } from '../support/wait.ts';
import { useTestApi } from './support/use-api.ts';

describe('health', () => {
  const { api, test, restart } = useTestApi({ each: true });

  it('answers 200 without a key, and 503 when Postgres or Temporal cannot be reached', async () => {
    let temporal = true;
    await restart({ flows: { isReachable: async () => temporal } });
    const status = () => api.call('GET', '/api/status', { key: 'nonsense' });
    const up = { payments: 'up', payouts: 'up', callbacks: 'up' };
    assert.deepEqual((await status()).body, { success: true, message: 'The service is up', operations: up });
    temporal = false;
    // What was said within the last second is said again.
    const down = await until(
      async () => ((await status()).status === 503 ? await status() : null),
      'the answer is 503',
    );
    assert.equal(down.status, 503);
    assert.equal(down.body.code, 'unavailable');
    assert.equal(down.headers['retry-after'], '5');
    temporal = true;
    await asRole(test.database, 'api').end();
    assert.equal((await status()).status, 503);
  });

  it('answers 503 when Temporal says nothing at all, instead of waiting for it', async () => {
    await restart({ flows: { isReachable: () => new Promise(() => {}) } });
    assert.equal((await api.call('GET', 'status', { key: null })).status, 503);
  });

  const readStatus = () => api.call('GET', 'status', { key: null });

  it('says down while no worker polls the queue of money, and never because of callbacks', async () => {
    await restart({ flows: { isPolled: async (queue) => queue !== 'money' } });
    const down = await readStatus();
    assert.deepEqual([down.status, down.body.code], [503, 'unavailable']);
    assert.deepEqual(down.body.operations, { payments: 'down', payouts: 'down', callbacks: 'up' });
    await restart({ flows: { isPolled: async (queue) => queue !== 'callbacks' } });
    const { status, body } = await readStatus();
    assert.deepEqual([status, body.operations.payments, body.operations.callbacks], [200, 'up', 'down']);
  });

  it('waits for no queue that nobody tells about', async () => {
    await restart({ flows: { isPolled: () => new Promise(() => {}) } });
    assert.equal((await readStatus()).status, 503);
  });

  it('says down when three submissions came and none was answered, of their kind only', async () => {
    await restart({ flows: { submit: async () => ({ kind: 'unclear' }) } });
    for (let n = 0; n < 3; n += 1) {
      const headers = { 'idempotency-key': `order-${n}` };
      const body = { amount: 5_000, currency: 'TZS', phone_number: '0754000001' };
      assert.equal((await api.call('POST', 'payments/ussd', { body, headers })).body.code, 'outcome_unknown');
    }
    const { status, body } = await readStatus();
    assert.equal(status, 503);
    assert.deepEqual(body.operations, { payments: 'down', payouts: 'up', callbacks: 'up' });
  });

  it('says degraded for more than one unanswered submission in ten, and forgets them after 30 s', () => {
    let clock = 0;
    const tally = createTally(() => clock);
    for (let n = 0; n < 9; n += 1) tally.note('payouts', true);
    tally.note('payouts', false);
    assert.deepEqual([tally.stateOf('payouts'), tally.stateOf('payments')], ['up', 'up']);
    tally.note('payouts', false);
    assert.equal(tally.stateOf('payouts'), 'degraded');
    clock = 30_001;
    assert.equal(tally.stateOf('payouts'), 'up');
  });

  it('says degraded while a network is down, and down behind the fence', async () => {
    const reason = 'a test';
    await close(test.database, { channel: 'm-pesa', services: ['payouts'], reason, actor: 'test' });
    await restart();
    const { status, body } = await readStatus();
    assert.equal(status, 200);
    assert.deepEqual(body.operations, { payments: 'up', payouts: 'degraded', callbacks: 'up' });
    await closeFence(test.database, 'a standby took over');
    await restart();
    assert.deepEqual((await readStatus()).status, 503);
  });

  it('asks the stores once a second, however many ask us', async () => {
    let [asked, clock, healthy] = [0, 0, true];
    const check = createHealthCheck({
      database: { query: async () => ({}) } as unknown as Database,
      temporal: {
        isReachable: async () => {
          asked += 1;
          return healthy;
        },
      },
      now: () => clock,
    });
    const all = await Promise.all(Array.from({ length: 50 }, () => check()));
    assert.deepEqual([new Set(all), asked], [new Set([true]), 1]);
    healthy = false;
    clock = 999;
    assert.deepEqual([await check(), asked], [true, 1]);
    clock = 1_000;
    assert.deepEqual([await check(), asked], [false, 2]);
  });
});
