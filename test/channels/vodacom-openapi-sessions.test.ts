import assert from 'node:assert/strict';
import { until } from '../support/wait.ts';
import { type Answer, say } from './scripted.ts';
import { expired, paid, SESSION, useVodacom } from './vodacom-openapi/scripted.ts';

describe('sessions of the vodacom openapi', () => {
  const network = useVodacom();
  const push = (settings: object, ...answers: Answer[]) => {
    network.lay('push', ...answers);
    return say(network.channelOf(settings), 'push');
  };
  const count = () => [network.sent('push').length, network.sent(SESSION).length];

  it('repeats once with a new session when the session is refused, and gives up then', async () => {
    assert.equal((await push({}, expired, paid)).kind, 'succeeded');
    assert.deepEqual(count(), [2, 2]);
    const result = await push({}, expired, expired, paid);
    assert.ok(result.kind === 'not_sent' && result.detail.includes('session is refused'));
    assert.equal(count()[0], 4);
    assert.equal((await push({}, { status: 401 }, paid)).kind, 'succeeded');
    assert.equal(count()[0], 6);
  });

  it('opens one session for all who wait, and one for all whose session was refused', async () => {
    const channel = network.channelOf();
    const all = async () => {
      const results = await Promise.all(Array.from({ length: 20 }, () => say(channel, 'push')));
      return [...new Set(results.map(({ kind }) => kind)), count()[1]];
    };
    network.lay('push', paid);
    assert.deepEqual(await all(), ['succeeded', 1]);
    const old = network.sent('push')[0]?.headers.authorization;
    network.lay('push', ({ headers }) => (headers.authorization === old ? expired : paid));
    assert.deepEqual(await all(), ['succeeded', 2]);
  });

  it('says not_sent when there is no session, whatever the reason', async () => {
    for (const answer of [
      { status: 400, body: { output_ResponseCode: 'INS-989' } },
      { status: 400, body: { output_error: 'Origin header is missing' } },
      { status: 500, body: 'down' },
      { body: { output_ResponseCode: 'INS-0' } },
      { breaks: 'before' },
    ] satisfies Answer[]) {
      network.lay(SESSION, answer);
      assert.equal((await push({}, paid)).kind, 'not_sent');
    }
    assert.equal(count()[0], 0);
  });

  it('does not use a session in its first seconds: it waits, or says at once that there is no time', async () => {
    const late = await push({ sessionSettleMs: 60_000 }, paid);
    assert.ok(late.kind === 'not_sent' && late.detail.includes('may be used in'), JSON.stringify(late));
    assert.equal(count()[0], 0);
    const begun = performance.now();
    assert.equal((await push({ sessionSettleMs: 300 }, paid)).kind, 'succeeded');
    assert.ok(performance.now() - begun >= 290);
  });

  it('opens a new session before the old one ends, and uses the old one until the new one may be used', async () => {
    let at = 0;
    // A session may be used when it is 50 ms old; a new one is opened 150 ms after the old one.
    const channel = network.channelOf({
      sessionLifetimeMs: 1_000_000,
      sessionRenewBeforeMs: 999_800,
      sessionSettleMs: 50,
      now: () => at,
    });
    network.lay('push', paid);
    const pushed = async () => {
      assert.equal((await say(channel, 'push')).kind, 'succeeded');
      return network.sent('push').at(-1)?.headers.authorization;
    };
    const old = await pushed();
    at = 150;
    assert.equal(await pushed(), old, 'it is used while the next one is opened');
    await until(() => count()[1] === 2, { deadlineMs: 2_000, what: 'a second session is opened' });
    assert.equal(await pushed(), old, 'the second one is too young');
    await until(
      async () => {
        at += 10;
        return (await pushed()) !== old;
      },
      { deadlineMs: 2_000, what: 'the second session is used' },
    );
    assert.equal(count()[1], 2);
  });
});
