import assert from 'node:assert/strict';
import { readChannelsFile } from '../../src/channels/kit/connections.ts';
import type { DoorCall } from '../../src/channels/kit/door.ts';
import { fingerprintsOf } from '../../src/channels/kit/fingerprints.ts';
import { createChannels } from '../../src/channels/kit/registry.ts';
import { protocols } from '../../src/channels/protocols.ts';
import { ringOf } from '../support/key-rings.ts';

const SHOP = '0198c0de-0000-7000-8000-000000000001';
const OTHER = '0198c0de-0000-7000-8000-000000000002';
const gsma = { protocol: 'gsma-mm-1.2', settings: { url: 'https://gsma.example.com/' } };
const credentials = { username: 'airtel', password: 'a password of Airtel’s own' };
const paybill = (more: object = {}, own: object = {}) => ({
  protocol: 'airtel-paybill',
  settings: { ...credentials, ...more },
  ...own,
});
const world = { publicUrl: 'https://pay.example.com', notificationSecrets: ringOf(), log: console };

function planOf(file: object) {
  return readChannelsFile(JSON.stringify({ networks: {}, ...file }), {
    protocols,
    production: false,
    variable: () => undefined,
    file: () => '',
  });
}
const open = (file: object) => createChannels(planOf(file), world);

describe('routes of an account', () => {
  const connections = { a: gsma, b: gsma, c: paybill(), d: paybill({}, { path: 'second' }) };
  const networks = {
    'm-pesa': { payments: 'a', payouts: 'a' },
    'airtel-money': { payments: 'a', bills: ['c'] },
  };

  it('carry what they name, and the network’s own carry the rest', () => {
    const { routeOf } = open({ connections, networks, routes: { [SHOP]: { 'm-pesa': { payments: 'b' } } } });
    const over = (accountId?: string) =>
      (['collection', 'payout'] as const).map((way) => routeOf('m-pesa', way, accountId)?.connection);
    assert.deepEqual(over(SHOP), ['b', 'a']);
    assert.deepEqual(over(OTHER), ['a', 'a']);
    assert.deepEqual(over(), ['a', 'a']);
    assert.equal(routeOf('airtel-money', 'collection', SHOP)?.connection, 'a');
    assert.equal(routeOf('airtel-money', 'payout', SHOP), undefined);
  });

  it('say over which doors its bills are to be paid', () => {
    const { billConnections } = open({
      connections,
      networks,
      routes: { [SHOP.toUpperCase()]: { 'airtel-money': { bills: ['d'] } } },
    });
    const offers = billConnections.map(({ id, offers: of }) => [id, of(SHOP), of(OTHER)]);
    assert.deepEqual(offers, [
      ['c', false, true],
      ['d', true, false],
    ]);
  });

  it('are part of what the audit log notices', () => {
    const key = Buffer.alloc(32, 1);
    const before = fingerprintsOf(planOf({ connections, networks }), key);
    const after = fingerprintsOf(
      planOf({ connections, networks, routes: { [SHOP]: { 'm-pesa': { payouts: 'b' } } } }),
      key,
    );
    assert.deepEqual(
      Object.keys(after).filter((id) => after[id] !== before[id]),
      ['routes'],
    );
  });

  const wrong: [string, object, RegExp][] = [
    [
      'an unknown connection',
      { 'm-pesa': { payments: 'x' } },
      new RegExp(`routes\\.${SHOP}\\.m-pesa\\.payments: there is no connection x`),
    ],
    [
      'a connection that cannot carry it',
      { 'm-pesa': { payouts: 'c' } },
      new RegExp(`routes\\.${SHOP}\\.m-pesa\\.payouts: airtel-paybill \\(c\\) cannot carry them`),
    ],
    [
      'bills over a connection without a door for them',
      { 'm-pesa': { bills: ['a'] } },
      new RegExp(`routes\\.${SHOP}\\.m-pesa\\.bills: gsma-mm-1\\.2 \\(a\\) cannot carry them`),
    ],
    [
      'a network that is not offered',
      { halopesa: { payments: 'a' } },
      new RegExp(`routes\\.${SHOP}\\.halopesa: networks has no halopesa`),
    ],
  ];
  for (const [what, rows, reason] of wrong)
    it(`stop the start where they name ${what}`, () => {
      assert.throws(() => open({ connections, networks, routes: { [SHOP]: rows } }), reason);
    });
});

describe('two bill connections with one proof', () => {
  const networks = { 'airtel-money': { bills: ['one', 'two'] } };
  const withBoth = (one: object, two: object) => open({ connections: { one, two }, networks });
  const pathsOf = ({ billConnections }: ReturnType<typeof open>) =>
    billConnections.map(({ bills }) => bills.doors[0]?.path);

  it('stop the start where nobody could tell their messages apart', () => {
    const reason =
      /connections\.two\.settings: one has the same proof at \/channels\/airtel-paybill\/validate: .*Give each its own shortCode/;
    assert.throws(() => withBoth(paybill(), paybill()), reason);
    assert.throws(() => withBoth(paybill({ shortCode: '1' }), paybill({ shortCode: '1' })), reason);
    assert.throws(() => withBoth(paybill({ shortCode: '1' }), paybill()), reason, 'the second takes any');
    assert.throws(
      () => withBoth(paybill({}, { path: 'x' }), paybill({}, { path: 'x' })),
      /at \/channels\/at\/x\//,
    );
  });

  it('are told apart by a path of their own', () => {
    assert.deepEqual(pathsOf(withBoth(paybill(), paybill({}, { path: 'second' }))), [
      '/channels/airtel-paybill/validate',
      '/channels/at/second/channels/airtel-paybill/validate',
    ]);
  });

  it('are told apart by the short code in the message, which no other one may name', async () => {
    const { billConnections } = withBoth(
      paybill({ shortCode: '780000001' }),
      paybill({ shortCode: '780000002' }),
    );
    const { username, password } = credentials;
    const proofsOf = async (shortCode: string) => {
      const body = Buffer.from(
        `<COMMAND><USERNAME>${username}</USERNAME><PASSWORD>${password}</PASSWORD><MERCHANTMSISDN>${shortCode}</MERCHANTMSISDN></COMMAND>`,
      );
      const call = {
        body: async () => body,
        path: '/channels/airtel-paybill/process',
      } as unknown as DoorCall;
      return Promise.all(billConnections.map(async ({ bills }) => (await bills.prove(call)) === 'proven'));
    };
    assert.deepEqual(await proofsOf('780000001'), [true, false]);
    assert.deepEqual(await proofsOf('780000002'), [false, true]);
    assert.deepEqual(await proofsOf('780000003'), [false, false]);
  });
});

describe('a connection with a path of its own', () => {
  it('is notified below it, and tells the network so', () => {
    const { notificationDoors } = open({
      connections: { a: gsma, b: { ...gsma, path: 'second' } },
      networks: { 'm-pesa': { payments: 'a', payouts: 'b' } },
    });
    assert.deepEqual(
      notificationDoors.map(({ door, connections }) => [door.path, connections.map(({ id }) => id)]),
      [
        ['/channels/gsma/:transactionId/:token', ['a']],
        ['/channels/at/second/channels/gsma/:transactionId/:token', ['b']],
      ],
    );
  });
});
