import assert from 'node:assert/strict';
import { createHealthCheck } from '../../src/platform/process/health.ts';
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
    assert.deepEqual((await status()).body, { success: true, message: 'The service is up' });
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
