import assert from 'node:assert/strict';
import { type ChannelsPlan, readChannelsFile } from '../../src/channels/connections.ts';
import { protocols } from '../../src/channels/protocols.ts';
import { type Channels, createChannels } from '../../src/channels/registry.ts';
import { ringOf } from '../support/key-rings.ts';

const TOKEN = 'f3b1a9c07d5e4f6a8b2c1d0e';
const OTHER = '0a1b2c3d4e5f60718293a4b5';
const debtor = { name: 'MALIPO', account: '0100000000001', bic: 'CORUTZTZ' };
const gsma = { protocol: 'gsma-mm-1.2', settings: { url: 'https://gsma.example.com/' } };
const bank = {
  protocol: 'iso20022',
  settings: { url: 'https://bank.example.com', secrets: [TOKEN], debtor },
};
const bills = (token: unknown) => ({ protocol: 'bill-json', settings: { tokens: [token] } });
const world = { publicUrl: 'https://pay.example.com', notificationSecrets: ringOf(), log: console };

type Extra = { production?: boolean; variables?: Record<string, string>; files?: Record<string, string> };

function read(file: unknown, extra: Extra = {}): ChannelsPlan {
  return readChannelsFile(typeof file === 'string' ? file : JSON.stringify(file), {
    protocols,
    production: extra.production ?? false,
    variable: (name) => extra.variables?.[name],
    file(path) {
      const text = extra.files?.[path];
      if (text === undefined) throw new Error('ENOENT');
      return text;
    },
  });
}

describe('the channels file', () => {
  const networks = { 'm-pesa': { payments: 'a', payouts: 'a' } };
  const wrong: [string, unknown, RegExp, Extra?][] = [
    ['no JSON', '{"connections":', /The channels file is wrong:\n {2}/],
    ['an unknown member', { connections: {}, networks: {}, x: 1 }, /the file: Unrecognized key: "x"/],
    [
      'a network that nobody knows',
      { connections: {}, networks: { pesa: {} } },
      /networks: Unrecognized key: "pesa"/,
    ],
    [
      'a protocol that nobody speaks',
      { connections: { a: { protocol: 'smtp' } }, networks: {} },
      /connections\.a\.protocol: must be one of gsma-mm-1\.2, /,
    ],
    [
      'a setting that is missing',
      { connections: { a: { protocol: 'gsma-mm-1.2' } }, networks: {} },
      /connections\.a\.settings\.url: /,
    ],
    [
      'a connection that is not there',
      { connections: {}, networks },
      /networks\.m-pesa\.payments: there is no connection a/,
    ],
    [
      'receipts of a connection that is not there',
      { connections: { a: { ...bills('t'.repeat(24)), receipts: 'b' } }, networks: {} },
      /connections\.a\.receipts: there is no connection b/,
    ],
    [
      'receipts of a connection that has none of its own',
      {
        connections: {
          a: { ...bills('t'.repeat(24)), receipts: 'b' },
          b: { ...bills('t'.repeat(24)), receipts: 'a' },
        },
        networks: {},
      },
      /connections\.a\.receipts: b takes part in the number space of another one itself/,
    ],
    [
      'a variable that is not set',
      { connections: { a: bills({ env: 'TOKEN' }) }, networks: {} },
      /connections\.a\.settings\.tokens\.0: the variable TOKEN is not set/,
    ],
    [
      'a file that is not there',
      { connections: { a: bills({ file: '/run/token' }) }, networks: {} },
      /tokens\.0: the file \/run\/token cannot be read, or is empty/,
    ],
    [
      'a secret in the file, in production',
      { connections: { a: bills(TOKEN) }, networks: {} },
      /connections\.a\.settings\.tokens\.0: production takes it from/,
      { production: true },
    ],
    [
      'a demo secret, in production',
      { connections: { a: bills({ env: 'TOKEN' }) }, networks: {} },
      /tokens\.0: is a demo secret/,
      { production: true, variables: { TOKEN: 'ab'.repeat(20) } },
    ],
    [
      'an address without TLS, in production',
      { connections: { a: { ...gsma, settings: { url: 'http://gsma.example.com' } } }, networks: {} },
      /connections\.a\.settings\.url: must be https/,
      { production: true },
    ],
  ];
  for (const [what, file, reason, extra] of wrong)
    it(`is refused with ${what}, and says where`, () => assert.throws(() => read(file, extra), reason));

  it('never shows a secret in what it says', () => {
    const short = 'tooshortsecret';
    assert.throws(
      () => read({ connections: { a: bills(short) }, networks: {} }),
      (error: Error) => !error.message.includes(short),
    );
  });

  it('takes secrets from variables and files, in production too', () => {
    const file = {
      connections: { a: bills({ env: 'TOKEN' }), b: bills({ file: '/run/token' }) },
      networks: { 'm-pesa': { bills: ['a'] }, 't-pesa': { bills: ['b'] } },
    };
    const extra = { production: true, variables: { TOKEN }, files: { '/run/token': `${OTHER}\n` } };
    assert.deepEqual(billsOf(createChannels(read(file, extra), world)), [
      ['a', ['m-pesa', null], TOKEN],
      ['b', ['t-pesa', null], OTHER],
    ]);
  });
});

const billsOf = ({ billConnections }: Channels) =>
  billConnections.map(({ id, networks, bills: { secrets } }) => [
    id,
    networks.flatMap((network) => [network.id, network.operator]),
    ...secrets,
  ]);

describe('the channels of a deployment', () => {
  const connections = { a: gsma, b: gsma, bank };

  it('carry payments and payouts over the connections of the file, with the durations of the data', () => {
    const plan = read({ connections, networks: { 'm-pesa': { payments: 'a', payouts: 'b' } } });
    const channels = createChannels(plan, world);
    const { channel: _, ...route } = channels.routeOf('m-pesa', 'collection') ?? assert.fail();
    assert.deepEqual(route, {
      connection: 'a',
      promptTtlMs: 300_000,
      promptEnquiriesMs: [30_000, 60_000, 120_000, 240_000],
      firstEnquiryAfterMs: 60_000,
      settleTimeMs: 60_000,
      sendTimeoutMs: 15_000,
      limits: { minimum: 100_000, maximum: 1_000_000_000 },
      enquires: true,
      deduplicates: true,
    });
    assert.equal(channels.routeOf('m-pesa', 'payout')?.connection, 'b');
    assert.equal(channels.routeOf('t-pesa', 'payout'), undefined);
    assert.equal(channels.routeOf('bank', 'payout'), undefined);
  });

  it('obey what the file says of timing, limits, rate and sending once', () => {
    const service = {
      payments: 'a',
      ratePerSecond: 7,
      limits: { payments: { minimum: 1, maximum: 20_000 } },
      timing: { promptTtlSeconds: 90, settleTimeSeconds: 120, sendTimeoutSeconds: 40 },
    };
    const plan = read({ connections: { a: { ...gsma, sendOnce: true } }, networks: { 'm-pesa': service } });
    const channels = createChannels(plan, world);
    const route = channels.routeOf('m-pesa', 'collection');
    assert.deepEqual(
      [route?.promptTtlMs, route?.settleTimeMs, route?.sendTimeoutMs, route?.deduplicates],
      [90_000, 120_000, 40_000, false],
    );
    assert.deepEqual(route?.limits, { minimum: 100_000, maximum: 2_000_000 }, 'never wider than the data');
    assert.deepEqual([channels.rateOf('m-pesa'), channels.rateOf('bank')], [7, 50]);
  });

  it('ask about a transaction where it was sent to, whatever carries its network now', () => {
    const plan = read({ connections, networks: { 'm-pesa': { payments: 'b' } } });
    const channels = createChannels(plan, world);
    const sentBefore = channels.channelOf({ channel: 'm-pesa', connection: 'a' });
    assert.notEqual(sentBefore, channels.channelOf({ channel: 'm-pesa', connection: 'b' }));
    assert.throws(
      () => channels.channelOf({ channel: 'm-pesa', connection: 'gone' }),
      /the connection gone of m-pesa is not configured/,
    );
  });

  it('share a door where they notify at one address', () => {
    const plan = read({ connections, networks: { 'm-pesa': { payments: 'a' } } });
    const doors = createChannels(plan, world).notificationDoors;
    assert.deepEqual(
      doors.map(({ door, connections: all }) => [door.path, all.map(({ id }) => id)]),
      [
        ['/channels/gsma/:transactionId/:token', ['a', 'b']],
        ['/channels/iso20022', ['bank']],
      ],
    );
  });

  it('are refused where a connection cannot carry what it is to carry', () => {
    const refused = (networks: object, reason: RegExp) =>
      assert.throws(() => createChannels(read({ connections, networks }), world), reason);
    refused({ 'm-pesa': { payments: 'bank' } }, /m-pesa\.payments: iso20022 \(bank\) cannot carry them/);
    refused({ bank: { payouts: 'a' } }, /bank\.payouts: gsma-mm-1\.2 \(a\) cannot carry them/);
    refused(
      { 'm-pesa': { payments: 'a', timing: { settleTimeSeconds: 20 } } },
      /m-pesa\.timing: settleTimeSeconds must be more than 20/,
    );
  });

  it('are refused where two networks would have the same proof', () => {
    const plan = read({
      connections: { x: bills(TOKEN) },
      networks: { 'm-pesa': { bills: ['x'] }, 't-pesa': { bills: ['x'] } },
    });
    assert.throws(() => createChannels(plan, world), /networks\.t-pesa\.bills: has the proof of m-pesa/);
  });

  it('are refused where two connections have the same proof at one address, and both are named', () => {
    const two = (b: string) =>
      read({
        connections: { a: bills(TOKEN), b: bills(b) },
        networks: { 'm-pesa': { bills: ['a', 'b'] } },
      });
    assert.throws(
      () => createChannels(two(TOKEN), world),
      /connections\.b\.settings: a has the same proof at \/channels\/bill\/lookup/,
    );
    assert.equal(createChannels(two(OTHER), world).billConnections.length, 2);
  });

  it('may share an aggregator’s token, which then names an operator for each', () => {
    const networksWith = (operators: object) => {
      const aggregator = { protocol: 'bill-json', settings: { tokens: [TOKEN], operators } };
      const networks = { 'm-pesa': { bills: ['x'] }, 't-pesa': { bills: ['x'] } };
      return billsOf(createChannels(read({ connections: { x: aggregator }, networks }), world));
    };
    assert.deepEqual(networksWith({ 'm-pesa': 'MPESA-TZ', 't-pesa': 'ttclmobile' }), [
      ['x', ['m-pesa', 'MPESA-TZ', 't-pesa', 'TTCLMOBILE'], TOKEN],
    ]);
    assert.throws(() => networksWith({ 'm-pesa': 'MPESA-TZ' }), /t-pesa\.bills: operators names none of it/);
    assert.throws(
      () => networksWith({ 'm-pesa': 'X', 't-pesa': 'x' }),
      /t-pesa\.bills: has the proof of m-pesa/,
    );
  });
});
