import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { scopes } from '../../src/accounts/keys.ts';
import { createAccount } from '../../src/accounts/store.ts';
import { noLimits } from '../../src/domain/limits.ts';
import { type ApiProcess, startApiProcess } from '../support/api-process.ts';
import { useTestDatabase } from '../support/database.ts';
import { ringOf } from '../support/key-rings.ts';
import { createTestKeys, type TestKeys } from '../support/keys.ts';
import { until } from '../support/wait.ts';

const keyHashSecret = Buffer.from('a secret of thirty-two bytes, no').subarray(0, 32);
const RATE = 20;
const BURST = 40;

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
    const environment = {
      RATE_LIMIT_STORE: 'postgres',
      RATE_LIMIT_PER_SECOND: String(RATE),
      RATE_LIMIT_BURST: String(BURST),
    };
    const installation = { databaseUrl: test.urlOf('api'), keyHashSecret, environment };
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

  it('all take both secrets of a rotated key, and the third not with the first', async () => {
    const first = await createKey();
    const second = await keys.rotateKey({ keyId: first.id, actor: 'test' });
    assert.deepEqual(await statuses(first.apiKey), [200, 200, 200]);
    assert.deepEqual(await statuses(second.apiKey), [200, 200, 200]);
    const third = await keys.rotateKey({ keyId: first.id, actor: 'test' });
    assert.deepEqual(await statuses(third.apiKey), [200, 200, 200]);
    assert.deepEqual(await statuses(first.apiKey), [401, 401, 401]);
  });

  it('admit the limit of a key together, within a tenth', async () => {
    const { apiKey } = await createKey();
    let admitted = 0;
    let refused = 0;
    const started = performance.now();
    const hammer = async (one: ApiProcess) => {
      while (performance.now() - started < 5_000) {
        const { status } = await ask(one, apiKey);
        assert.ok(status === 200 || status === 429, `${status}`);
        if (status === 200) admitted += 1;
        else refused += 1;
      }
    };
    await Promise.all(processes.flatMap((one) => [hammer(one), hammer(one)]));
    const limit = BURST + (RATE * (performance.now() - started)) / 1_000;
    assert.ok(refused > limit, `${refused} were refused`);
    assert.ok(Math.abs(admitted - limit) <= limit / 10, `${admitted} of ${limit}`);
  });

  it('admit a client that waits as long as it was told, whichever of them it asks then', async () => {
    const { apiKey } = await createKey();
    for (let i = 0; i < 6; i += 1) {
      const [one, other] = [processes[i % 3], processes[(i + 1) % 3]] as [ApiProcess, ApiProcess];
      let answer = await ask(one, apiKey);
      while (answer.status !== 429) answer = await ask(one, apiKey);
      await pause(Number(answer.headers.get('retry-after')) * 1_000);
      assert.equal((await ask(other, apiKey)).status, 200);
    }
  });

  it('write no key and no secret to their logs', async () => {
    const { apiKey } = await createKey();
    const wrong = `${apiKey.slice(0, -8)}zzzzzzzz`;
    for (const key of [apiKey, wrong]) await statuses(key);
    for (const one of processes) {
      const output = one.output();
      assert.match(output, /"route":"getBalance"/);
      for (const key of [apiKey, wrong]) assert.ok(!output.includes(key.slice(20, -8)), output);
      assert.ok(!output.includes(keyHashSecret.toString('base64')));
    }
  });
});
