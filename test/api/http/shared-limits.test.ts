import assert from 'node:assert/strict';
import { createRateLimits, type RateLimits } from '../../../src/platform/http/rate-limits.ts';
import { createLeases, createPostgresBuckets } from '../../../src/platform/http/shared-buckets.ts';
import { createTokenBuckets } from '../../../src/platform/http/token-bucket.ts';
import { createLog } from '../../../src/platform/process/log.ts';
import { useTestDatabase } from '../../support/database.ts';
import type { Database } from '../../support/queryable.ts';

const size = { ratePerSecond: 50, burst: 100 };

describe('leases of a shared limit', () => {
  /** Processes with the demand given (requests a second each), for 20 s of a clock of their own. */
  async function simulate(demands: number[]) {
    let at = 0;
    let asked = 0;
    const buckets = createTokenBuckets(size, () => at);
    const store = {
      take: async (key: string, wanted: number) => {
        asked += 1;
        return buckets.take(key, wanted);
      },
    };
    const processes = demands.map((perSecond) => ({
      perSecond,
      due: 0,
      leases: createLeases({ store, size, now: () => at }),
    }));
    let admitted = 0;
    let offered = 0;
    for (at = 0; at < 20_000; at += 1) {
      for (const one of processes) {
        one.due += one.perSecond / 1_000;
        for (; one.due >= 1; one.due -= 1) {
          offered += 1;
          admitted += (await one.leases.take('key')).granted;
        }
      }
    }
    return { admitted, offered, asked, limit: 100 + 50 * 20 };
  }

  const overloads: number[][] = [
    [200],
    [100, 100],
    [60, 60, 60],
    [500, 10],
    [300, 5, 5],
    [40, 30, 2],
    [1_000, 1_000, 1_000],
  ];
  for (const demands of overloads) {
    it(`admit the limit within a tenth when processes get ${demands.join(', ')} requests a second`, async () => {
      const { admitted, offered, asked, limit } = await simulate(demands);
      assert.ok(offered > limit, `${offered}`);
      assert.ok(Math.abs(admitted - limit) <= limit / 10, `${admitted} of ${limit}`);
      assert.ok(asked < offered / 2, `asked ${asked} times for ${offered}`);
    });
  }

  it('refuse nothing below the limit', async () => {
    for (const demands of [[45], [20, 20], [15, 15, 10], [1, 1, 1]]) {
      const { admitted, offered } = await simulate(demands);
      assert.equal(admitted, offered, demands.join(', '));
    }
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

  it('admit the limit within a tenth, all processes together, without asking for every request', async () => {
    const { count, database } = counted();
    // The bucket is filled by the database's clock, so slowly that a machine that stops for a while changes little.
    const slow = { ratePerSecond: 1, burst: 300 };
    let at = 0;
    const store = createPostgresBuckets(database, slow);
    const processes = [1, 2, 3].map(() => createLeases({ store, size: slow, now: () => at }));
    const started = performance.now();
    const sent = 900;
    let total = 0;
    for (; at < 10 * (sent / 15); at += 10) {
      const round = Array.from({ length: 5 }, () => processes.map((leases) => leases.take('busy')));
      for (const { granted } of await Promise.all(round.flat())) total += granted;
    }
    const refilled = (slow.ratePerSecond * (performance.now() - started)) / 1_000;
    assert.ok(total >= slow.burst * 0.9, `${total} of ${slow.burst}`);
    assert.ok(total <= slow.burst + refilled + 1, `${total} of ${slow.burst} and ${refilled}`);
    assert.ok(count.queries < total / 2, `${count.queries} queries for ${total} admitted and ${sent} sent`);
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
