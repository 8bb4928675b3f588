import assert from 'node:assert/strict';
import { type Channels, createChannels } from '../../src/channels/kit/registry.ts';
import { bank, bills, gsma, OTHER, readPlan, TOKEN } from '../support/channels-file.ts';
import { ringOf } from '../support/key-rings.ts';

const world = { publicUrl: 'https://pay.example.com', notificationSecrets: ringOf(), log: console };

const billsOf = ({ billConnections }: Channels) =>
  billConnections.map(({ id, networks, bills: { secrets } }) => [
    id,
    networks.flatMap((network) => [network.id, network.operator]),
    ...secrets,
  ]);

describe('the channels of a deployment', () => {
  const connections = { a: gsma, b: gsma, bank };

  it('have their secrets from variables and files, in production too', () => {
    const file = {
      connections: { a: bills({ env: 'TOKEN' }), b: bills({ file: '/run/token' }) },
      networks: { 'm-pesa': { bills: ['a'] }, 't-pesa': { bills: ['b'] } },
    };
    const extra = { production: true, variables: { TOKEN }, files: { '/run/token': `${OTHER}\n` } };
    assert.deepEqual(billsOf(createChannels(readPlan(file, extra), world)), [
      ['a', ['m-pesa', null], TOKEN],
      ['b', ['t-pesa', null], OTHER],
    ]);
  });

  it('carry payments and payouts over the connections of the file, with the durations of the data', () => {
    const plan = readPlan({ connections, networks: { 'm-pesa': { payments: 'a', payouts: 'b' } } });
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
    const plan = readPlan({
      connections: { a: { ...gsma, sendOnce: true } },
      networks: { 'm-pesa': service },
    });
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
    const plan = readPlan({ connections, networks: { 'm-pesa': { payments: 'b' } } });
    const channels = createChannels(plan, world);
    const sentBefore = channels.channelOf({ channel: 'm-pesa', connection: 'a' });
    assert.notEqual(sentBefore, channels.channelOf({ channel: 'm-pesa', connection: 'b' }));
    assert.throws(
      () => channels.channelOf({ channel: 'm-pesa', connection: 'gone' }),
      /the connection gone of m-pesa is not configured/,
    );
  });

  it('share a door where they notify at one address', () => {
    const plan = readPlan({ connections, networks: { 'm-pesa': { payments: 'a' } } });
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
      assert.throws(() => createChannels(readPlan({ connections, networks }), world), reason);
    refused({ 'm-pesa': { payments: 'bank' } }, /m-pesa\.payments: iso20022 \(bank\) cannot carry them/);
    refused({ bank: { payouts: 'a' } }, /bank\.payouts: gsma-mm-1\.2 \(a\) cannot carry them/);
    refused(
      { 'm-pesa': { payments: 'a', timing: { settleTimeSeconds: 20 } } },
      /m-pesa\.timing: settleTimeSeconds must be more than 20/,
    );
  });

  it('are refused where two networks would have the same proof', () => {
    const plan = readPlan({
      connections: { x: bills(TOKEN) },
      networks: { 'm-pesa': { bills: ['x'] }, 't-pesa': { bills: ['x'] } },
    });
    assert.throws(() => createChannels(plan, world), /networks\.t-pesa\.bills: has the proof of m-pesa/);
  });

  it('are refused where two connections have the same proof at one address, and both are named', () => {
    const two = (b: string) =>
      readPlan({
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
      return billsOf(createChannels(readPlan({ connections: { x: aggregator }, networks }), world));
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
