import assert from 'node:assert/strict';
import { asRole } from '../support/database.ts';
import { useTestApi } from './support/use-api.ts';

describe('health', () => {
  const { api, test, restart } = useTestApi({ each: true });

  it('answers 200 without a key, and 503 when Postgres or Temporal cannot be reached', async () => {
    let temporal = true;
    await restart({ flows: { isReachable: async () => temporal } });
    const status = () => api.call('GET', '/api/status', { key: 'nonsense' });
    assert.deepEqual((await status()).body, { success: true, message: 'The service is up' });
    temporal = false;
    const down = await status();
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
});
