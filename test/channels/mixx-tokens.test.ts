import assert from 'node:assert/strict';
import { MIXX_PATHS } from '../../sandbox/simulator/mixx/common.ts';
import { mixxSettings } from '../../src/channels/mixx/settings.ts';
import type { ScriptedAnswer } from '../support/scripted-server.ts';
import { mixxAccount, mixxChannelOf, mixxOrder } from './mixx/account.ts';
import { useScriptedMixx } from './mixx/scripted.ts';

const accepted: ScriptedAnswer = {
  body: '{"ResponseCode":"BILLER-18-0000-S","ResponseStatus":true,"ReferenceID":"SIMB0123456789ABCDEF"}',
};

describe('tokens of Mixx', () => {
  const mixx = useScriptedMixx();
  const push = () => mixx.channel.requestPush?.(mixxOrder, { timeoutMs: 2_000 });

  const authorizations = () =>
    mixx.server.asked
      .filter(({ path }) => path === MIXX_PATHS.push)
      .map(({ headers }) => headers.authorization);
  const tokensAsked = () => mixx.server.asked.filter(({ path }) => path === MIXX_PATHS.token).length;

  it('are asked for once by everybody who needs one at the same time, and kept until shortly before their end', async () => {
    mixx.next = accepted;
    const results = await Promise.all(Array.from({ length: 20 }, push));
    assert.ok(results.every((result) => result?.kind === 'accepted'));
    assert.equal(tokensAsked(), 1);
    mixx.clock += (86_399 - 61) * 1000;
    await push();
    assert.equal(tokensAsked(), 1);
    mixx.clock += 2_000;
    await push();
    assert.deepEqual([tokensAsked(), authorizations().at(-1)], [2, 'bearer T2']);
  });

  it('that ended early are renewed once for all, and each push is repeated once', async () => {
    let valid = 'bearer T1';
    mixx.next = accepted;
    await push();
    valid = 'bearer T2';
    mixx.server.asked.length = 0;
    mixx.next = () => {
      const last = mixx.server.asked.findLast(({ path }) => path === MIXX_PATHS.push);
      return last?.headers.authorization === valid ? accepted : { status: 401 };
    };
    const results = await Promise.all(Array.from({ length: 10 }, push));
    assert.ok(results.every((result) => result?.kind === 'accepted'));
    assert.equal(tokensAsked(), 1);
    const refused = authorizations().filter((one) => one === 'bearer T1').length;
    const taken = authorizations().filter((one) => one === 'bearer T2').length;
    assert.deepEqual([refused, taken], [10, 10]);
  });

  it('that are refused again are no reason to go on: nothing was sent', async () => {
    mixx.next = { status: 401, body: '{"error":"invalid_token"}' };
    assert.equal((await push())?.kind, 'not_sent');
    assert.equal(authorizations().length, 2);
  });

  it('may say their life in text', async () => {
    mixx.token = () => ({ body: '{"access_token":"T","expires_in":"3600"}' });
    mixx.next = accepted;
    assert.equal((await push())?.kind, 'accepted');
  });
});

describe('the settings of a Mixx account', () => {
  const problemsOf = (account: object) =>
    mixxSettings.safeParse(account).error?.issues.map(({ path }) => path.join('.')) ?? [];
  const good = mixxAccount('https://gateway.example');

  it('are refused where the biller code leaves no room for a reference', () => {
    const push = { ...good.push, billerCode: 'ABCDE' };
    assert.deepEqual(problemsOf({ ...good, push }), ['push.billerCode']);
    assert.deepEqual(problemsOf({ ...good, push: { ...push, referenceLengthMax: 30 } }), []);
  });

  it('are refused with a secret that can be guessed, an unknown member, or names without an account', () => {
    assert.deepEqual(problemsOf({ ...good, callback: { token: 'short' } }), ['callback.token']);
    assert.deepEqual(problemsOf({ ...good, pin: '1' }), ['']);
    const { payout: _, ...withoutPayout } = good;
    assert.deepEqual(problemsOf(withoutPayout), ['names']);
  });

  it('without payouts make a channel without payouts', () => {
    const { payout: _, names: __, ...rest } = good;
    const channel = mixxChannelOf(mixxSettings.parse(rest));
    assert.deepEqual([channel.requestPayout, channel.lookupName], [undefined, undefined]);
  });
});
