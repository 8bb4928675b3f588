import assert from 'node:assert/strict';
import { createRateLimits, type RateLimits } from '../../../src/platform/http/rate-limits.ts';
import { createPostgresBuckets, inGroups } from '../../../src/platform/http/shared-buckets.ts';
import { createTokenBuckets } from '../../../src/platform/http/token-bucket.ts';
import { createLog } from '../../../src/platform/process/log.ts';
import { useTestDatabase } from '../../support/database.ts';
import { pick } from '../../support/pick.ts';
import type { Database } from '../../support/queryable.ts';

describe('requests of one key that come together', () => {
  it('ask the store once while its last statement is on its way', async () => {
    const buckets = createTokenBuckets({ ratePerSecond: 0.01, burst: 5 }, () => 0);
    const asked: number[] = [];
    const take = inGroups({
      take: async (key, wanted) => {
        asked.push(wanted);
        return buckets.take(key, wanted);
      },
    });
    const first = Promise.all(['a', 'a', 'b'].map(take));
    await new Promise(setImmediate);
    const taken = [...(await first), ...(await Promise.all(['a', 'a', 'a', 'a', 'a'].map(take)))];
    assert.deepEqual(asked, [2, 1, 5]);
    assert.deepEqual(pick(taken, 'granted', 'remaining'), [
      [1, 4],
      [1, 3],
      [1, 4],
      [1, 2],
      [1, 1],
      [1, 0],
      [0, 0],
      [0, 0],
    ]);
  });

  it('are heard again after a store that did not answer', async () => {
    let isGone = true;
    const take = inGroups({
      take: async () => {
        if (isGone) throw new Error('gone');
        return { granted: 1, remaining: 1, waitMs: 0 };
      },
    });
    await assert.rejects(Promise.all([take('a'), take('a')]), /gone/);
    isGone = false;
    assert.equal((await take('a')).granted, 1);
  });
});

describe('rate limits shared through Postgres', () => {
  const test = useTestDatabase();
  const log = createLog({ level: 'silent', name: 'test' });

  /** The pool, with its queries counted. */
  function counted() {
    const count = { queries: 0 };
    const query = (...args: unknown[]) => {
      count.queries += 1;
      return Reflect.apply(test.database.query, test.database, args);
    };
    return { count, database: { query } as unknown as Database };
  }

  const admitted = (limits: RateLimits, keyId: string) =>
    limits.admit(keyId).then(
      () => 1,
      () => 0,
    );

  it('count like a bucket in memory, by the clock of the database', async () => {
    // A token in 100 s: none comes back while this runs.
    const store = createPostgresBuckets(test.database, { ratePerSecond: 0.01, burst: 10 });
    assert.deepEqual(await store.take('a', 4).then(({ granted, remaining }) => [granted, remaining]), [4, 6]);
    const rest = await store.take('a', 100);
    assert.deepEqual([rest.granted, rest.remaining], [6, 0]);
    assert.ok(rest.waitMs > 0 && rest.waitMs <= 100_000, `${rest.waitMs}`);
    assert.equal((await store.take('b', 100)).granted, 10);
  });

  it('admit just the limit, all processes together, without a statement for every request', async () => {
    const { count, database } = counted();
    // The bucket is filled by the database's clock, so slowly that a machine that stops for a while changes little.
    const slow = { ratePerSecond: 1, burst: 300 };
    const store = createPostgresBuckets(database, slow);
    const processes = [1, 2, 3].map(() => inGroups(store));
    const started = performance.now();
    const rounds = Array.from({ length: 60 }, () => processes.flatMap((take) => Array(5).fill(take)));
    let total = 0;
    for (const round of rounds)
      for (const { granted } of await Promise.all(round.map((take) => take('busy')))) total += granted;
    const refilled = (slow.ratePerSecond * (performance.now() - started)) / 1_000;
    assert.ok(total >= slow.burst && total <= slow.burst + refilled + 1, `${total} and ${refilled}`);
    assert.ok(count.queries <= rounds.length * processes.length, `${count.queries} queries`);
  });

  it('go on in each process when the store does not answer, and are shared again when it does', async () => {
    let at = 0;
    const now = () => at;
    const [one, other] = [1, 2].map(() =>
      createRateLimits({
        perKey: { ratePerSecond: 1, burst: 2 },
        failuresPerMinute: 1,
        shared: test.database,
        log,
        now,
      }),
    ) as [RateLimits, RateLimits];
    await test.database.query('ALTER TABLE rate_limit_buckets RENAME TO gone');
    await test.database.query('ALTER TABLE failed_authentications RENAME TO gone_too');
    const alone = [];
    for (const limits of [one, one, one, other, other, other]) alone.push(await admitted(limits, 'c'));
    assert.deepEqual(alone, [1, 1, 0, 1, 1, 0]);
    await one.countFailure('10.0.0.9');
    await assert.rejects(one.countFailure('10.0.0.9'), /Too many requests/);
    await test.database.query('ALTER TABLE gone RENAME TO rate_limit_buckets');
    await test.database.query('ALTER TABLE gone_too RENAME TO failed_authentications');
    at += 1_000;
    const together = [];
    for (const limits of [one, one, one, other, other, other]) together.push(await admitted(limits, 'd'));
    assert.ok(together.reduce((sum: number, n) => sum + n, 0) < 4, `${together}`);
  });

  it('count wrong keys of an address in all processes, and refuse the address without the store then', async () => {
    const { count, database } = counted();
    const [one, other] = [1, 2].map(() =>
      createRateLimits({ perKey: null, failuresPerMinute: 3, shared: database, log }),
    ) as [RateLimits, RateLimits];
    await one.countFailure('10.9.9.9');
    await other.countFailure('10.9.9.9');
    await one.countFailure('10.9.9.9');
    await assert.rejects(other.countFailure('10.9.9.9'), /Too many requests/);
    const asked = count.queries;
    for (let i = 0; i < 10; i += 1) await assert.rejects(other.countFailure('10.9.9.9'), /Too many requests/);
    assert.equal(count.queries, asked);
  });
});
