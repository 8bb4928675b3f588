import assert from 'node:assert/strict';
import { scopes } from '../../src/accounts/keys.ts';
import { createAccount } from '../../src/accounts/store.ts';
import { noLimits } from '../../src/domain/limits.ts';
import { type ApiProcess, startApiProcess } from '../support/api-process.ts';
import { useTestDatabase } from '../support/database.ts';
import { ringOf } from '../support/key-rings.ts';
import { createTestKeys, type TestKeys } from '../support/keys.ts';
import { until } from '../support/wait.ts';

const keyHashSecret = Buffer.from('a secret of thirty-two bytes, no').subarray(0, 32);

describe('several API processes', function () {
  this.timeout(90_000);
  const test = useTestDatabase();
  let keys: TestKeys;
  let accountId: string;
  let processes: ApiProcess[];

  before(async () => {
    keys = createTestKeys({ database: test.database, hashSecrets: ringOf(keyHashSecret) });
    ({ id: accountId } = await createAccount(test.database, {
      name: 'Shop',
      limits: noLimits,
      actor: 'test',
    }));
    const installation = { databaseUrl: test.urlOf('api'), keyHashSecret };
    processes = await Promise.all([1, 2, 3].map(() => startApiProcess(installation)));
  });
  after(() => Promise.all(processes.map((one) => one.stop())));

  const createKey = () => keys.createKey({ accountId, actor: 'test', scopes });
  const ask = (one: ApiProcess, apiKey: string) =>
    fetch(`http://127.0.0.1:${one.port}/api/v1/balance`, { headers: { authorization: `Bearer ${apiKey}` } });
  const statuses = (apiKey: string) =>
    Promise.all(processes.map(async (one) => (await ask(one, apiKey)).status));

  it('all refuse a key within 5 s of its revocation', async () => {
    const { id, apiKey } = await createKey();
    assert.deepEqual(await statuses(apiKey), [200, 200, 200]);
    await keys.revokeKey({ keyId: id, actor: 'test' });
    const refused = async () => (await statuses(apiKey)).every((status) => status === 401);
    await until(refused, 'every process refuses the key');
  });
});
