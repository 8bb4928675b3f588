import assert from 'node:assert/strict';
import { createRateLimits } from '../../../src/platform/http/rate-limits.ts';
import { createTokenBuckets } from '../../../src/platform/http/token-bucket.ts';
import { createLog } from '../../../src/platform/process/log.ts';
import { type Answer, assertRefused, type TestApi } from '../support/api.ts';
import { tell } from '../support/bills.ts';
import { useTestApi } from '../support/use-api.ts';

const log = createLog({ level: 'silent', name: 'test' });
const off = { perKey: null, failuresPerMinute: 0, shared: null, log };

/** `"key";r=7;t=1` */
function limitOf(answer: Answer): { remaining: number; seconds: number } {
  const match = /^"key";r=(\d+);t=(\d+)$/.exec(String(answer.headers.ratelimit));
  assert.ok(match, String(answer.headers.ratelimit));
  return { remaining: Number(match[1]), seconds: Number(match[2]) };
}

describe('a token bucket', () => {
  it('never lets more through than its burst and its rate, whatever comes when', () => {
    let at = 0;
    const buckets = createTokenBuckets({ ratePerSecond: 50, burst: 100 }, () => at);
    const admitted: number[] = [];
    for (const step of [0, 7, 1, 400, 0, 0, 13, 2_500, 999, 20, 20, 20]) {
      at += step;
      for (let i = 0; i < 130; i += 1) if (buckets.take('k', 1).granted === 1) admitted.push(at);
    }
    for (const [i, from] of admitted.entries()) {
      for (const [j, to] of admitted.entries())
        if (j >= i) assert.ok(j - i + 1 <= 100 + (50 * (to - from)) / 1_000 + 1e-6, `${from} to ${to}`);
    }
    assert.equal(admitted.length, 100 + 20 + 1 + 100 + 49 + 3, 'and all that it may');
  });

  it('admits as many as it says are left, and one more after the time it says', () => {
    let at = 0;
    const buckets = createTokenBuckets({ ratePerSecond: 3, burst: 7 }, () => at);
    let taken = buckets.take('k', 1);
    for (let i = 0; i < 500; i += 1) {
      at += (i * 37) % 150;
      for (let left = buckets.take('k', 0).remaining; left > 0; left -= 1) {
        taken = buckets.take('k', 1);
        assert.equal(taken.granted, 1);
      }
      taken = buckets.take('k', 1);
      assert.equal(taken.granted, 0);
      at += taken.waitMs - 0.01;
      assert.equal(buckets.take('k', 1).granted, 0);
      at += 0.01;
      assert.equal(buckets.take('k', 1).granted, 1);
    }
  });

  it('keeps keys apart, and forgets those that are full again', () => {
    let at = 0;
    const buckets = createTokenBuckets({ ratePerSecond: 50, burst: 100 }, () => at);
    for (let i = 0; i < 50_000; i += 1) {
      at += 1;
      assert.equal(buckets.take(`key ${i}`, 1).remaining, 99);
    }
    assert.ok(buckets.size < 1_100, `${buckets.size}`);
  });
});

describe('rate limits', () => {
  const { api, restart } = useTestApi();
  let at = 0;

  beforeEach(() => {
    at = 0;
  });

  const start = (limits: Partial<Parameters<typeof createRateLimits>[0]>) =>
    restart({ limits: createRateLimits({ ...off, now: () => at, ...limits }) });
  const get = (sent: Parameters<TestApi['call']>[2] = {}) => api.call('GET', 'balance', sent);

  it('tell on every answer what is left, and admit exactly that', async () => {
    await start({ perKey: { ratePerSecond: 5, burst: 10 } });
    const first = await get();
    assert.equal(first.headers['ratelimit-policy'], '"key";q=10;w=2');
    assert.deepEqual(limitOf(first), { remaining: 9, seconds: 1 });
    const rest = await Promise.all(Array.from({ length: 9 }, () => get()));
    assert.deepEqual(rest.map((answer) => limitOf(answer).remaining).sort(), [0, 1, 2, 3, 4, 5, 6, 7, 8]);
    const refused = await get();
    assertRefused(refused, 429, 'rate_limited');
    assert.equal(refused.body.message, 'Too many requests; try again in 1 second');
    assert.equal(refused.headers['retry-after'], '1');
    assert.deepEqual(limitOf(refused), { remaining: 0, seconds: 1 });
    at += Number(refused.headers['retry-after']) * 1_000;
    assert.deepEqual(limitOf(await get()), { remaining: 4, seconds: 1 });
  });

  it('count each key for itself, also two of one account, and never what needs no key', async () => {
    await start({ perKey: { ratePerSecond: 1, burst: 1 } });
    const { apiKey: second } = await api.createKey();
    assert.equal((await get()).status, 200);
    assertRefused(await get(), 429, 'rate_limited');
    assert.equal((await get({ key: second })).status, 200);
    for (const path of ['status', 'openapi.json']) {
      for (let i = 0; i < 5; i += 1) {
        const answer = await api.call('GET', path);
        assert.equal(answer.status, 200);
        assert.equal(answer.headers.ratelimit, undefined);
      }
    }
  });

  it('come after the route, the key and the scope, and before the body is looked at', async () => {
    await start({ perKey: { ratePerSecond: 1, burst: 1 } });
    const { apiKey: reader } = await api.createKey({ scopes: ['payments:read'] });
    assert.equal((await get()).status, 200);
    const push = { raw: 'x', headers: { 'content-type': 'text/plain' } };
    assertRefused(await api.call('POST', 'nowhere', push), 404, 'not_found');
    assertRefused(await api.call('PUT', 'payments/ussd', push), 405, 'method_not_allowed');
    assertRefused(await api.call('POST', 'payments/ussd', { ...push, key: null }), 401, 'unauthorized');
    assertRefused(await api.call('POST', 'payments/ussd', { ...push, key: reader }), 403, 'forbidden');
    assertRefused(await api.call('POST', 'payments/ussd', push), 429, 'rate_limited');
    const bad = await api.call('POST', 'payments/ussd', { ...push, key: (await api.createKey()).apiKey });
    assertRefused(bad, 415, 'unsupported_media_type');
    assert.deepEqual(limitOf(bad), { remaining: 0, seconds: 1 });
  });

  it('are not there when they are switched off', async () => {
    await start({});
    const answers = await Promise.all(Array.from({ length: 200 }, () => get()));
    for (const answer of answers) {
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.ratelimit, undefined);
    }
  });

  it('refuse an address that keeps sending wrong keys, but never a valid key nor a missing one', async () => {
    await start({ failuresPerMinute: 5 });
    const wrong = (i: number) => get({ key: `wrong-${i}` });
    for (let i = 0; i < 20; i += 1) {
      assertRefused(await get({ key: null }), 401, 'unauthorized');
      assertRefused(await get({ key: null, headers: { authorization: '' } }), 401, 'unauthorized');
      assert.equal((await get()).status, 200);
    }
    for (let i = 0; i < 5; i += 1) assertRefused(await wrong(i), 401, 'unauthorized');
    const refused = await wrong(6);
    assertRefused(refused, 429, 'rate_limited');
    const seconds = Number(refused.headers['retry-after']);
    assert.ok(seconds > 0 && seconds <= 60, `${seconds}`);
    assert.equal(
      refused.headers.ratelimit,
      `"failed-authentication";r=0;t=${refused.headers['retry-after']}`,
    );
    assert.equal(refused.headers['ratelimit-policy'], '"failed-authentication";q=5;w=60');
    assert.equal((await get()).status, 200);
    assertRefused(await get({ key: null }), 401, 'unauthorized');
  });
});

describe('the limit of wrong keys at the bill doors', () => {
  const { api, restart } = useTestApi();

  const doors = [
    { method: 'POST', path: 'bill/lookup' },
    { method: 'GET', path: 'gsma/accounts/accountid/770000000049/bills' },
    { method: 'POST', path: 'gsma/bills/770000000049/payments' },
  ];

  it('counts wrong tokens as wrong keys, but never a valid token nor a missing one', async () => {
    await restart({ limits: createRateLimits({ ...off, failuresPerMinute: doors.length }) });
    const without = (door: (typeof doors)[number]) =>
      api.call(door.method, `/channels/${door.path}`, { key: null });
    for (let i = 0; i < 3; i += 1)
      for (const door of doors) assert.equal((await without(door)).status, 401, door.path);
    for (const door of doors) assert.equal((await tell(api, { ...door, token: 'wrong' })).status, 401);
    for (const door of doors) {
      const { status, headers } = await tell(api, { ...door, token: 'wrong' });
      assert.equal(status, 429, door.path);
      assert.ok(Number(headers['retry-after']) > 0, door.path);
      assert.equal(headers['ratelimit-policy'], `"failed-authentication";q=${doors.length};w=60`);
      assert.notEqual((await tell(api, door)).status, 429, door.path);
    }
    assertRefused(await api.call('GET', 'balance', { key: 'wrong' }), 429, 'rate_limited');
  });
});

describe('counters of wrong keys', () => {
  const refusedAfter = async (addresses: string[]) => {
    const limits = createRateLimits({ ...off, failuresPerMinute: 3 });
    for (const [i, address] of addresses.entries()) {
      const refused = await limits.countFailure(address).then(
        () => false,
        () => true,
      );
      if (refused) return i;
    }
    return null;
  };

  it('take the addresses of one IPv6 network for one, and other addresses for others', async () => {
    const one = ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9', '2001:0DB8:1:2:1:2:3:4', '2001:db8:1:2::'];
    assert.equal(await refusedAfter(one), 3);
    assert.equal(
      await refusedAfter(['2001:db8:1:1::', '2001:db8:1:2::', '2001:db8:1:3::', '10.0.0.1']),
      null,
    );
    assert.equal(await refusedAfter(['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.4']), null);
    assert.equal(await refusedAfter(['10.0.0.1', '10.0.0.1', '10.0.0.1', '10.0.0.1']), 3);
  });
});
