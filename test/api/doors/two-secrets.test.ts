import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { addProviderSecrets, type ProviderSecrets } from '../../../sandbox/local/providers.ts';
import { type Attack, attack, openDoors } from '../support/door-fuzz.ts';
import {
  airtelTransaction,
  bankReport,
  billPayment,
  brokerPayment,
  doorVariables,
  halopesaCallback,
  halopesaPayment,
  mixxCallback,
  provenByBank,
  provenBySelcom,
  selcomCallback,
  vodacomCallback,
} from '../support/door-messages.ts';

/** A secret with which somebody proves himself at a door, and a message that it proves. */
type Case = {
  connection: string;
  /** of the settings; all of them are replaced together */
  members: readonly string[];
  path: string;
  message(secret: string): { body: string } & Partial<Omit<Attack, 'body'>>;
};

const own: ProviderSecrets = {};
addProviderSecrets(own);
const variables = doorVariables(own, (network) => `${network}-${randomBytes(16).toString('hex')}`);

const inAddress = (connection: string, path: string, body: string): Case => ({
  connection,
  members: ['callback.token'],
  path,
  message: (token) => ({ body, params: { token } }),
});

const cases: Record<string, Case> = {
  'callback.token of Vodacom': inAddress('m-pesa', '/channels/vodacom-openapi/:token', vodacomCallback),
  'callback.token of Mixx': inAddress('tigo-pesa', '/channels/mixx/:token', mixxCallback),
  'callback.token of HaloPesa': inAddress('halopesa', '/channels/halopesa/:token', halopesaCallback),
  'callbackKey of Airtel': {
    connection: 'airtel-money',
    members: ['callbackKey'],
    path: '/channels/airtel-openapi',
    message: (key) => ({
      body: `{"transaction":${airtelTransaction},"hash":"${createHmac('sha256', key).update(airtelTransaction).digest('base64')}"}`,
    }),
  },
  'apiKey and apiSecret of Selcom': {
    connection: 'selcom',
    members: ['apiKey', 'apiSecret'],
    path: '/channels/selcom',
    message: (secret) => ({ body: selcomCallback, ...provenBySelcom(secret, secret) }),
  },
  'c2bToken of Selcom': {
    connection: 'selcom',
    members: ['c2bToken'],
    path: '/channels/selcom/c2b/:token',
    message: (token) => ({
      body: billPayment,
      headers: { authorization: `Bearer ${token}` },
      params: { token: 'notification' },
    }),
  },
  'secrets of a bank': {
    connection: 'bank',
    members: ['secrets'],
    path: '/channels/iso20022',
    message: (secret) => ({ body: bankReport, ...provenByBank(Buffer.from(bankReport), secret) }),
  },
  'tokens of a bill door': {
    connection: 'tigo-pesa-bills',
    members: ['tokens'],
    path: '/channels/bill/notification',
    message: (token) => ({ body: billPayment, headers: { authorization: `Bearer ${token}` } }),
  },
  'password of the broker': {
    connection: 'm-pesa-broker',
    members: ['password'],
    path: '/channels/mpesa-broker',
    message: (password) => ({ body: brokerPayment(password) }),
  },
  'secret of HaloPesa’s bills': {
    connection: 'halopesa-own-bills',
    members: ['secret'],
    path: '/channels/halopesa-bill',
    message: (secret) => ({ body: halopesaPayment(own.HALOPESA_BILLS_PASSWORD ?? '', secret) }),
  },
};

/** A process with these values: whether it believes a message, up to the database, which is down. */
function processWith({ connection, members, path }: Case, values: readonly string[]) {
  const file = JSON.parse(readFileSync('deploy/channels/own.json', 'utf8'));
  for (const member of members) {
    const parts = member.split('.');
    const last = parts.pop() ?? '';
    const at = parts.reduce((node, part) => node[part], file.connections[connection].settings);
    const takesLists = last === 'secrets' || last === 'tokens';
    at[last] = takesLists || values.length > 1 ? values : values[0];
  }
  const { doors, queries } = openDoors(file, variables);
  const door = doors.find((one) => one.path === path);
  assert.ok(door, path);
  return async ({ body, headers = {}, params = {} }: ReturnType<Case['message']>): Promise<boolean> => {
    const before = queries();
    await attack(door, { body: Buffer.from(body), headers, params });
    return queries() > before;
  };
}

const MESSAGES = 40;

describe('a secret of a provider, replaced while it goes on sending', () => {
  const [old, next] = ['old', 'new'].map((name) => `${name}-${randomBytes(24).toString('hex')}`) as [
    string,
    string,
  ];
  for (const [name, one] of Object.entries(cases))
    it(`${name}: no message is refused that was proven with the old one or the new one`, async () => {
      const [before, known, used, after] = [[old], [old, next], [next, old], [next]].map((values) =>
        processWith(one, values),
      );
      assert.ok(before && known && used && after);
      // While processes are replaced one by one, and the provider changes over, a message meets any of these.
      const pairs = [
        [before, known, [old]],
        [known, used, [old, next]],
        [used, after, [next]],
      ] as const;
      for (const [left, right, sent] of pairs) {
        const messages = Array.from({ length: MESSAGES }, (_, i) => ({
          by: i % 2 === 0 ? left : right,
          secret: sent[Math.floor(i / 2) % sent.length] ?? old,
        }));
        for (const { by, secret } of messages) assert.ok(await by(one.message(secret)));
      }
      assert.equal(await before(one.message(next)), false, 'nobody knows it yet');
      assert.equal(await after(one.message(old)), false, 'gone is gone');
    });
});
