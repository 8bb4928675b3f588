import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { airtelOpenapiSettings } from '../../src/channels/airtel-openapi/settings.ts';
import { until, withResolvers } from '../support/wait.ts';
import { nextToken, TOKEN, useAirtel } from './airtel-openapi-rig.ts';
import { type Answer, say } from './scripted.ts';

const KEYS = '/v1/rsa/encryption-keys';
const COLLECT = '/merchant/v2/payments/';
const PAYOUT = '/standard/v1/disbursements/';
const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
const key = publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
const keyAnswer = { body: { data: { key_id: 1, key, valid_upto: '12-08-2024 21:29:26' } } };
const taken = {
  body: { status: { result_code: 'ESB000010', response_code: 'DP00800001006', success: true } },
};
const aToken = { body: { access_token: 'a', expires_in: '180' } };
const refusedToken = { status: 401, body: { error: 'invalid_token' } };

describe('the token and the key of the Airtel channel', () => {
  const network = useAirtel();
  let time: number;
  beforeEach(() => {
    time = 1_000;
  });

  const signed = (more: object = {}) => network.channelOf({ collectVersion: 'v2', now: () => time, ...more });
  const push = async (channel = signed(), timeoutMs = 2_000) =>
    (await say(channel, 'push', {}, { timeoutMs })).kind;
  const count = (path: string) => network.sent(path).length;
  function begin(more: Record<string, Answer | Answer[]> = {}): void {
    network.asked.length = 0;
    const laid = { [TOKEN]: nextToken, [KEYS]: keyAnswer, [COLLECT]: taken, [PAYOUT]: taken, ...more };
    for (const [path, answers] of Object.entries(laid)) network.lay(path, ...[answers].flat());
  }

  it('asks for one token and one key, however many callers there are', async () => {
    const slow = withResolvers<void>();
    begin({ [TOKEN]: { waits: slow.promise, ...aToken } });
    const channel = signed();
    const pushes = Array.from({ length: 20 }, () => push(channel));
    await until(() => count(TOKEN) > 0, 'a token is asked for');
    slow.resolve();
    const results = await Promise.all(pushes);
    assert.ok(results.every((kind) => kind === 'accepted'));
    assert.deepEqual([count(TOKEN), count(KEYS), count(COLLECT)], [1, 1, 20]);
    assert.deepEqual(JSON.parse(network.asked[0]?.body ?? ''), {
      client_id: 'client',
      client_secret: 'secret',
      grant_type: 'client_credentials',
    });
  });

  it('renews the token before it ends, whether its life is text, a number or not told', async () => {
    for (const [expires_in, lifeMs] of [
      ['180', 180_000],
      [180, 180_000],
      [undefined, 180_000],
      [10, 35_000],
    ] as const) {
      begin({ [TOKEN]: { body: { access_token: 'a', expires_in } } });
      const channel = signed();
      await push(channel);
      time += lifeMs - 30_001;
      await push(channel);
      assert.equal(count(TOKEN), 1, String(expires_in));
      time += 2;
      await push(channel);
      assert.equal(count(TOKEN), 2, String(expires_in));
    }
  });

  it('does not look at the clock on the wall: ten minutes more or less change nothing', async () => {
    begin();
    const channel = network.channelOf({ collectVersion: 'v2' });
    const real = Date.now;
    try {
      for (const shift of [0, 600_000, -600_000]) {
        Date.now = () => real() + shift;
        assert.equal(await push(channel), 'accepted');
      }
    } finally {
      Date.now = real;
    }
    assert.deepEqual([count(TOKEN), count(KEYS)], [1, 1]);
  });

  it('fetches a new token once when the old one is refused in the middle, and repeats the very same bytes', async () => {
    begin({ [COLLECT]: [refusedToken, taken] });
    const channel = signed();
    assert.equal(await push(channel), 'accepted');
    assert.deepEqual([count(TOKEN), count(KEYS), count(COLLECT)], [2, 1, 2]);
    const [first, second] = network.sent(COLLECT);
    assert.equal(first?.body, second?.body);
    assert.equal(first?.headers['x-signature'], second?.headers['x-signature']);
    assert.notEqual(first?.headers.authorization, second?.headers.authorization);
  });

  it('says not sent when the new token is refused as well, and does not go on', async () => {
    begin({ [COLLECT]: refusedToken });
    assert.equal(await push(), 'not_sent');
    assert.deepEqual([count(TOKEN), count(COLLECT)], [2, 2]);
  });

  it('renews once for all callers whose token was refused', async () => {
    begin({ [COLLECT]: [refusedToken, refusedToken, refusedToken, taken] });
    const channel = signed();
    const results = await Promise.all([push(channel), push(channel), push(channel)]);
    assert.ok(
      results.every((kind) => kind === 'accepted'),
      JSON.stringify(results),
    );
    assert.equal(count(TOKEN), 2);
  });

  it('says not sent when it gets no token, in whatever way', async () => {
    const bad: Answer[] = [
      { status: 401, body: { error: 'invalid_client' } },
      { status: 500, body: '' },
      { body: '<html>' },
      { body: { access_token: 7 } },
      { body: { access_token: 'a', expires_in: 'soon' } },
      { breaks: 'before' },
    ];
    for (const answer of bad) {
      begin({ [TOKEN]: answer });
      const result = await say(signed(), 'push');
      assert.equal(result.kind, 'not_sent', JSON.stringify(answer));
      assert.ok(!JSON.stringify(result).includes('secret'));
      assert.equal(count(COLLECT), 0);
    }
  });

  it('waits for a slow token no longer than its caller may, and the next caller has it', async () => {
    const slow = withResolvers<void>();
    begin({ [TOKEN]: { waits: slow.promise, ...aToken } });
    const channel = network.channelOf({ collectVersion: 'v2' });
    assert.equal(await push(channel, 60), 'not_sent');
    slow.resolve();
    assert.equal(await push(channel), 'accepted');
    assert.deepEqual([count(TOKEN), count(COLLECT)], [1, 1]);
  });

  it('stops before sending when its caller has stopped', async () => {
    begin();
    const stopped = { timeoutMs: 1_000, signal: AbortSignal.abort() };
    assert.equal((await say(signed(), 'push', {}, stopped)).kind, 'not_sent');
    assert.equal(count(COLLECT), 0);
  });

  it('says not sent without a usable key', async () => {
    const short = generateKeyPairSync('rsa', { modulusLength: 512 }).publicKey;
    const tooShort = short.export({ format: 'der', type: 'spki' }).toString('base64');
    for (const answer of [
      { status: 500, body: '' },
      { body: { data: { key: 'x'.repeat(80) } } },
      { body: { data: { key: tooShort } } },
      { breaks: 'before' } as const,
    ]) {
      begin({ [KEYS]: answer });
      assert.equal(await push(), 'not_sent', JSON.stringify(answer));
      assert.equal(count(COLLECT), 0);
    }
  });

  it('asks for the key again when the network cannot read what we encrypted, and not otherwise', async () => {
    const mismatch = { status: 403, body: { status: { response_code: 'DP00800001026', success: false } } };
    begin({ [COLLECT]: [mismatch, taken] });
    const channel = signed();
    assert.equal(await push(channel), 'not_sent');
    assert.equal(await push(channel), 'accepted');
    await push(channel);
    assert.equal(count(KEYS), 2);
    time += 6 * 60 * 60 * 1000 + 1;
    await push(channel);
    assert.equal(count(KEYS), 3, 'and every six hours');
  });

  it('asks nobody for a key that it was given', async () => {
    begin();
    const channel = network.channelOf({ publicKey: key });
    assert.equal((await say(channel, 'payout')).kind, 'unknown', 'a code of collections');
    assert.equal(count(KEYS), 0);
  });
});

describe('the settings of an Airtel account', () => {
  const least = { url: 'https://openapi.airtel.co.tz/', clientId: 'a', clientSecret: 'b' };

  it('need an address and credentials, and have defaults for the rest', () => {
    const settings = airtelOpenapiSettings.parse(least);
    assert.equal(settings.url, 'https://openapi.airtel.co.tz');
    assert.deepEqual(
      [
        settings.collectVersion,
        settings.payoutVersion,
        settings.pinEncryption,
        settings.firstEnquiryAfterSeconds,
      ],
      ['v1', 'v1', 'pkcs1', 180],
    );
  });

  it('refuse what is misspelt, and v3 without a wallet type', () => {
    for (const wrong of [
      { ...least, clientSecrets: 'x' },
      { ...least, url: 'openapi.airtel.co.tz' },
      { ...least, pin: 'abcd' },
      { ...least, payoutVersion: 'v3' },
    ])
      assert.equal(airtelOpenapiSettings.safeParse(wrong).success, false, JSON.stringify(wrong));
    assert.ok(
      airtelOpenapiSettings.safeParse({ ...least, payoutVersion: 'v3', walletType: 'NORMAL' }).success,
    );
  });
});
