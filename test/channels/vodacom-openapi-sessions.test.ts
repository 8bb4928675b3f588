import assert from 'node:assert/strict';
import { until } from '../support/wait.ts';
import { call, order, paid, type Reply, scriptedVodacom } from './vodacom-openapi/scripted.ts';

describe('sessions of the vodacom openapi', () => {
  const vodacom = scriptedVodacom();

  it('repeats once with a new session when the session is refused, and gives up then', async () => {
    const refused: Reply = { status: 401, json: { output_error: 'Session expired' } };
    assert.equal((await vodacom.push(vodacom.channelOf('synchronous'), refused, paid))?.kind, 'succeeded');
    assert.deepEqual([vodacom.asked.length, vodacom.sessions], [2, 2]);
    const result = await vodacom.push(vodacom.channelOf('synchronous'), refused, refused, paid);
    assert.ok(result?.kind === 'not_sent' && result.detail.includes('session is refused'));
    assert.equal(vodacom.asked.length, 4);
    const page: Reply = { status: 401, text: '' };
    assert.equal((await vodacom.push(vodacom.channelOf('synchronous'), page, paid))?.kind, 'succeeded');
    assert.equal(vodacom.asked.length, 6);
  });

  it('opens one session for all who wait, and one for all whose session was refused', async () => {
    const channel = vodacom.channelOf('synchronous');
    vodacom.replies = Array.from({ length: 20 }, () => paid);
    await Promise.all(Array.from({ length: 20 }, () => channel.requestPush?.(order, call)));
    assert.equal(vodacom.sessions, 1);
    const [{ bearer: old } = { bearer: '' }] = vodacom.asked;
    vodacom.replyTo = (bearer) =>
      bearer === old ? { status: 401, json: { output_error: 'Session expired' } } : paid;
    const results = await Promise.all(Array.from({ length: 20 }, () => channel.requestPush?.(order, call)));
    assert.deepEqual([...new Set(results.map((result) => result?.kind))], ['succeeded']);
    assert.equal(vodacom.sessions, 2);
  });

  it('says not_sent when there is no session, whatever the reason', async () => {
    for (const answer of [
      { status: 400, json: { output_ResponseCode: 'INS-989' } },
      { status: 400, json: { output_error: 'Origin header is missing' } },
      { status: 500, text: 'down' },
      { json: { output_ResponseCode: 'INS-0' } },
      { break: true },
    ] satisfies Reply[]) {
      vodacom.openSession = () => answer;
      assert.equal((await vodacom.push(vodacom.channelOf('synchronous'), paid))?.kind, 'not_sent');
    }
    assert.equal(vodacom.asked.length, 0);
  });

  it('does not use a session in its first seconds: it waits, or says at once that there is no time', async () => {
    const late = await vodacom.push(vodacom.channelOf('synchronous', { sessionSettleMs: 60_000 }), paid);
    assert.ok(late?.kind === 'not_sent' && late.detail.includes('may be used in'), JSON.stringify(late));
    assert.equal(vodacom.asked.length, 0);
    const begun = performance.now();
    assert.equal(
      (await vodacom.push(vodacom.channelOf('synchronous', { sessionSettleMs: 300 }), paid))?.kind,
      'succeeded',
    );
    assert.ok(performance.now() - begun >= 290);
  });

  it('opens a new session before the old one ends, and uses the old one until the new one may be used', async () => {
    let at = 0;
    // A session may be used when it is 50 ms old; a new one is opened 150 ms after the old one.
    const channel = vodacom.channelOf('synchronous', {
      sessionLifetimeMs: 1_000_000,
      sessionRenewBeforeMs: 999_800,
      sessionSettleMs: 50,
      now: () => at,
    });
    vodacom.replyTo = () => paid;
    const push = async () => {
      assert.equal((await channel.requestPush?.(order, call))?.kind, 'succeeded');
      return vodacom.asked.at(-1)?.bearer;
    };
    const old = await push();
    at = 150;
    assert.equal(await push(), old, 'it is used while the next one is opened');
    await until(() => vodacom.sessions === 2, { deadlineMs: 2_000, what: 'a second session is opened' });
    assert.equal(await push(), old, 'the second one is too young');
    await until(
      async () => {
        at += 10;
        return (await push()) !== old;
      },
      { deadlineMs: 2_000, what: 'the second session is used' },
    );
    assert.equal(vodacom.sessions, 2);
  });
});
