import { generateKeyPairSync } from 'node:crypto';
import { readChannelsFile } from '../../src/channels/kit/connections.ts';
import { type Channels, createChannels } from '../../src/channels/kit/registry.ts';
import { protocols } from '../../src/channels/protocols.ts';
import type { Channel } from '../../src/domain/channel.ts';
import { minor } from '../../src/domain/money.ts';
import { ringOf } from '../support/key-rings.ts';

const publicKey = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  .publicKey.export({ format: 'der', type: 'spki' })
  .toString('base64');
export const secret = 'a secret that is long enough for everybody';

/** One account of each protocol that sends, at one server. */
const accounts: Record<string, (url: string) => object> = {
  'gsma-mm-1.2': (url) => ({ url }),
  'vodacom-openapi': (address) => ({
    address,
    environment: 'sandbox',
    apiKey: 'key',
    publicKey,
    serviceProviderCode: '000000',
    mode: 'asynchronous',
    sessionSettleMs: 0,
  }),
  'airtel-openapi': (url) => ({ url, clientId: 'a', clientSecret: secret, pin: '1234', publicKey }),
  mixx: (url) => ({
    push: {
      tokenUrl: `${url}/token`,
      url: `${url}/push`,
      username: 'a',
      password: secret,
      billerCode: 'MAL',
      billerMsisdn: '255650000001',
    },
    payout: { url: `${url}/pay`, msisdn: '255650000001', pin: '1234', senderName: 'MALIPO', brandId: '1' },
    status: { url: `${url}/status`, msisdn: '255650000001', pin: '1234' },
  }),
  halopesa: (url) => ({ url, username: 'a', password: secret, secret, accountId: '1', businessNumber: '2' }),
  selcom: (url) => ({
    url,
    apiKey: 'key',
    apiSecret: secret,
    vendor: '1',
    floatPin: '1234',
    collect: 'push-ussd',
  }),
  clickpesa: (url) => ({ url, clientId: 'a', apiKey: 'key' }),
  iso20022: (url) => ({ url, secrets: [secret], debtor: { name: 'MALIPO', account: '01', bic: 'CORUTZTZ' } }),
};

export const login = JSON.stringify({
  access_token: 'a-token',
  token: 'Bearer a-token-of-clickpesa',
  expires_in: '3600',
  token_type: 'Bearer',
  output_ResponseCode: 'INS-0',
  output_SessionID: 'a-session',
});
export const isLogin = (url: string) => /token|getSession|auth/i.test(url);

const quiet = { info() {}, warn() {}, error() {} };
const world = { publicUrl: 'https://pay.example.com', notificationSecrets: ringOf(), log: quiet };

/** A channels file with one connection, `one`, of a protocol; `more`: of its settings. */
export function channelsOf(
  url: string,
  protocol: string,
  { more = {}, ...connection }: { more?: object; gate?: 'front'; reach?: object } = {},
): Channels {
  const settings = accounts[protocol]?.(url);
  if (!settings) throw new Error(`${protocol} sends: it needs an account above`);
  const one = { protocol, settings: { ...settings, ...more }, ...connection };
  const plan = readChannelsFile(JSON.stringify({ connections: { one }, networks: {} }), {
    protocols,
    production: false,
    variable: () => undefined,
    file: () => '',
  });
  return createChannels(plan, world);
}

/** What a protocol pays: the bank rail accounts, every other one wallets. */
export function channelOf(url: string, protocol: string, how?: Parameters<typeof channelsOf>[2]): Channel {
  const channel = protocol === 'iso20022' ? 'bank' : 'm-pesa';
  return channelsOf(url, protocol, how).channelOf({ channel, connection: 'one' });
}

export const order = {
  transactionId: '00000000-0000-4000-8000-000000000001',
  reference: 'PO00000000000000A1',
  amount: minor(150_000),
  currency: 'TZS',
  description: 'Payment',
  sendNumber: 1,
};
export const wallet = { kind: 'wallet', msisdn: '255754000001' } as const;
export const bank = {
  kind: 'bank',
  bic: 'NMIBTZTZ',
  accountNumber: '0150000000000',
  fullName: 'Asha Juma',
} as const;
