import assert from 'node:assert/strict';
import { createTestDatabase } from '../support/database.ts';
import { flowsThatAccept, startTestApi } from './support/api.ts';

describe('health', () => {
  it('answers 200 without a key, and 503 when Postgres or Temporal cannot be reached', async () => {
    const test = await createTestDatabase();
    let temporal = true;
    const flows = flowsThatAccept(test.database, { isReachable: async () => temporal });
    const api = await startTestApi({ database: test.database, flows });
    const status = () => api.call('GET', '/api/status', { key: 'nonsense' });
    assert.deepEqual((await status()).body, { success: true, message: 'The service is up' });
    temporal = false;
    const down = await status();
    assert.equal(down.status, 503);
    assert.equal(down.body.code, 'unavailable');
    assert.equal(down.headers['retry-after'], '5');
    temporal = true;
    await test.database.end();
    assert.equal((await status()).status, 503);
    await api.stop();
    await test.drop();
  });

  it('answers 503 when Temporal says nothing at all, instead of waiting for it', async () => {
    const test = await createTestDatabase();
    const flows = flowsThatAccept(test.database, { isReachable: () => new Promise(() => {}) });
    const api = await startTestApi({ database: test.database, flows });
    assert.equal((await api.call('GET', 'status', { key: null })).status, 503);
    await api.stop();
    await test.drop();
  });
});
