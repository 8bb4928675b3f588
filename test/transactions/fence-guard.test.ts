// tests: one connection
import assert from 'node:assert/strict';
import { createDatabase } from '../../src/platform/db/pool.ts';
import { createFenceGuard, fenceOf, liftFence } from '../../src/transactions/care/fence.ts';
import { asRole, useTestDatabase } from '../support/database.ts';
import type { Queryable } from '../support/queryable.ts';
import { attentionOf } from '../support/unexplained.ts';

/** What other processes write meanwhile, on disk when this returns. */
const write = (database: Queryable) =>
  database.query('BEGIN; SET LOCAL synchronous_commit = on; UPDATE fence SET swept_at = now(); COMMIT');

describe('the guard before each connection of a process', () => {
  const test = useTestDatabase({ each: true });

  it('closes the fence of another timeline before the first query, once for all connections at once', async () => {
    await test.sql`UPDATE fence SET timeline = timeline + 1`;
    for (const role of ['api', 'worker'] as const) {
      const onConnect = createFenceGuard();
      const pool = createDatabase({ url: test.urlOf(role), poolMax: 3, applicationName: role, onConnect });
      try {
        const found = await Promise.all([fenceOf(pool), fenceOf(pool), fenceOf(pool)]);
        assert.deepEqual(found, Array(3).fill('a standby took over'));
      } finally {
        await pool.end();
      }
    }
    assert.equal((await attentionOf(test.database, 'postgres')).length, 1);
    await liftFence(test.database, null);
    assert.equal(await createFenceGuard()(asRole(test.database, 'api')), null, 'lifted for this timeline');
  });

  it('does not take an answer that another one overtook for an older copy', async () => {
    const guard = createFenceGuard();
    let release: (value?: unknown) => void = () => {};
    const overtaken = new Promise((resolve) => {
      release = resolve;
    });
    let read: (value?: unknown) => void = () => {};
    const hasRead = new Promise((resolve) => {
      read = resolve;
    });
    const slow = {
      async query(...asked: Parameters<typeof test.database.query>) {
        const answer = await test.database.query(...asked);
        read();
        await overtaken;
        return answer;
      },
    } as unknown as Queryable;
    const early = guard(slow);
    await hasRead;
    await write(test.database);
    assert.equal(await guard(test.database), null);
    release();
    assert.equal(await early, null);
    assert.equal(await fenceOf(test.database), null);
  });

  it('lets a process wait for the first migration, and refuses a connection on which it may not look', async () => {
    await test.sql`REVOKE SELECT ON fence FROM malipo_api`;
    const pool = createDatabase({
      url: test.urlOf('api'),
      poolMax: 1,
      applicationName: 'api',
      onConnect: createFenceGuard(),
    });
    try {
      await assert.rejects(pool.query('SELECT 1'), /permission denied for table fence/);
      await test.sql`DROP TABLE fence`;
      assert.equal((await pool.query('SELECT 1')).rowCount, 1);
    } finally {
      await pool.end();
    }
  });
});
