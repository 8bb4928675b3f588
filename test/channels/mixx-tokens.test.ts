import assert from 'node:assert/strict';
import { mixxSettings } from '../../src/channels/mixx/settings.ts';
import { mixxAccount, mixxChannelOf } from './mixx/account.ts';
import { pushed, TOKEN, useMixx } from './mixx/scripted.ts';
import { type ScriptedAnswer, say } from './scripted.ts';

const accepted = pushed('BILLER-18-0000-S');
const refused: ScriptedAnswer = { status: 401, body: { error: 'invalid_token' } };

describe('tokens of Mixx', () => {
  const network = useMixx();
  const authorizations = () => network.sent('push').map(({ headers }) => headers.authorization);
  const tokensAsked = () => network.sent(TOKEN).length;

  it('are asked for once by everybody who needs one at the same time, and kept until shortly before their end', async () => {
    let clock = 1_700_000_000_000;
    const channel = network.channelOf({ now: () => clock });
    const push = async () => (await say(channel, 'push')).kind;
    network.lay('push', accepted);
    assert.deepEqual(new Set(await Promise.all(Array.from({ length: 20 }, push))), new Set(['accepted']));
    assert.equal(tokensAsked(), 1);
    clock += (86_399 - 61) * 1000;
    await push();
    assert.equal(tokensAsked(), 1);
    clock += 2_000;
    await push();
    assert.deepEqual([tokensAsked(), authorizations().at(-1)], [2, 'bearer T2']);
  });

  it('that ended early are renewed once for all, and each push is repeated once', async () => {
    const channel = network.channelOf();
    const push = async () => (await say(channel, 'push')).kind;
    network.lay('push', accepted);
    await push();
    network.lay('push', ({ headers }) =>
      headers.authorization === 'bearer T2' ? accepted : { status: 401 },
    );
    network.asked.length = 0;
    assert.deepEqual(new Set(await Promise.all(Array.from({ length: 10 }, push))), new Set(['accepted']));
    assert.equal(tokensAsked(), 1);
    const count = (token: string) => authorizations().filter((one) => one === token).length;
    assert.deepEqual([count('bearer T1'), count('bearer T2')], [10, 10]);
  });

  it('that are refused again are no reason to go on: nothing was sent', async () => {
    network.lay('push', refused);
    assert.match(await network.hear('push'), /^not_sent/);
    assert.equal(authorizations().length, 2);
  });

  it('may say their life in text', async () => {
    network.lay(TOKEN, { body: { access_token: 'T', expires_in: '3600' } });
    network.lay('push', accepted);
    assert.equal(await network.hear('push'), 'accepted -');
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
