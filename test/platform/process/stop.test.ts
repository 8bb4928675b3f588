// tests: many connections
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { newKey, newKeyId } from '../../../src/accounts/key-format.ts';
import { startApiProcess, startEntry } from '../../support/api-process.ts';
import { startCutProxy } from '../../support/cut-proxy.ts';
import { useTestDatabase } from '../../support/database.ts';
import { untilLockAwaited } from '../../support/lock-wait.ts';
import { until } from '../../support/wait.ts';

describe('a process that is asked to stop', function () {
  this.timeout(90_000);
  const test = useTestDatabase();

  const keyHashSecret = randomBytes(32);

  it('ends at once where it waits for its migrations', async () => {
    await test.sql`DELETE FROM schema_migrations WHERE name = (SELECT max(name) FROM schema_migrations)`;
    const worker = await startEntry('src/worker.ts', { databaseUrl: test.urlOf('worker'), keyHashSecret });
    await until(() => worker.output().includes('waiting for them'), 'it waits for its migrations');
    worker.child.kill('SIGTERM');
    try {
      await until(() => worker.child.exitCode !== null, 'the worker ends');
      assert.equal(worker.child.exitCode, 0);
    } finally {
      worker.child.kill('SIGKILL');
    }
  });

  it('does not wait for a query that Postgres does not end', async () => {
    const databaseUrl = new URL(test.urlOf('api'));
    const proxy = await startCutProxy(`127.0.0.1:${databaseUrl.port}`);
    databaseUrl.host = proxy.address;
    const environment = { SHUTDOWN_NOTICE_MS: '0', SHUTDOWN_GRACE_MS: '1000' };
    const api = await startApiProcess({ databaseUrl: databaseUrl.href, keyHashSecret, environment });
    const locker = await test.database.connect();
    await locker.query('BEGIN; LOCK TABLE api_keys IN ACCESS EXCLUSIVE MODE');
    const headers = { authorization: `Bearer ${newKey('sk_test', newKeyId())}` };
    fetch(`http://127.0.0.1:${api.port}/api/v1/balance`, { headers }).catch(() => {});
    await untilLockAwaited(test.database);
    proxy.silence();
    let ended = false;
    const stopped = api.stop().then(() => {
      ended = true;
    });
    try {
      // Three times as long, that is less than the driver waits for an answer.
      await until(() => ended, { deadlineMs: 3_000, what: 'the API ends' });
    } finally {
      await proxy.close();
      await stopped;
      locker.release(true);
    }
  });
});
