import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { neverSent } from '../../src/channels/kit/about.ts';
import { readChannelsFile } from '../../src/channels/kit/connections.ts';
import { createChannels } from '../../src/channels/kit/registry.ts';
import { protocols } from '../../src/channels/protocols.ts';
import type { Channel, SendResult } from '../../src/domain/channel.ts';
import { minor } from '../../src/domain/money.ts';
import { ringOf } from '../support/key-rings.ts';
import { type Served, serve } from '../support/served.ts';

const publicKey = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  .publicKey.export({ format: 'der', type: 'spki' })
  .toString('base64');
const secret = 'a secret that is long enough for everybody';

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
    payout: {
      url: `${url}/pay`,
      msisdn: '255650000001',
      pin: '1234',
      senderName: 'MALIPO',
      brandId: '1',
    },
    status: { url: `${url}/status`, msisdn: '255650000001', pin: '1234' },
  }),
  halopesa: (url) => ({
    url,
    username: 'a',
    password: secret,
    secret,
    accountId: '1',
    businessNumber: '2',
  }),
  selcom: (url) => ({
    url,
    apiKey: 'key',
    apiSecret: secret,
    vendor: '1',
    floatPin: '1234',
    collect: 'push-ussd',
  }),
  clickpesa: (url) => ({ url, clientId: 'a', apiKey: 'key' }),
  iso20022: (url) => ({
    url,
    secrets: [secret],
    debtor: { name: 'MALIPO', account: '01', bic: 'CORUTZTZ' },
  }),
};

const login = JSON.stringify({
  access_token: 'a-token',
  token: 'Bearer a-token-of-clickpesa',
  expires_in: '3600',
  token_type: 'Bearer',
  output_ResponseCode: 'INS-0',
  output_SessionID: 'a-session',
});
const isLogin = (url: string) => /token|getSession|auth/i.test(url);

type Page = { status: number; body?: string };
const html = (sentence: string) => `<html><head><title>${sentence}</title></head></html>`;

/** Nothing behind such a server has seen the request. */
const proofs: Page[] = [
  { status: 400, body: html('400 The SSL certificate error') },
  { status: 400, body: html('400 No required SSL certificate was sent') },
  { status: 495 },
  { status: 496, body: html('496 SSL Certificate Required') },
  { status: 403, body: html('IIS 403.7 - Forbidden: Client certificate required') },
  { status: 403, body: html('HTTP Error 403.16') },
  { status: 407 },
];
const turnedAway: Page[] = [
  { status: 401 },
  { status: 401, body: html('Authorization Required') },
  { status: 403, body: html('Forbidden') },
  { status: 403, body: '{"error_page":"Forbidden"}' },
  { status: 429 },
  { status: 302 },
];
const unclear: Page[] = [
  { status: 404, body: html('Not Found') },
  { status: 500, body: html('403.7') },
  { status: 502, body: html('Bad Gateway') },
  { status: 200, body: html('Log in') },
  { status: 400, body: html('Bad Request') },
];

describe('a page instead of an answer', () => {
  let server: Served;
  let page: Page = { status: 500 };
  before(async () => {
    server = await serve((request, response) => {
      if (isLogin(request.url ?? '')) return response.end(login);
      const { status, body = '' } = page;
      response.writeHead(status, status === 302 ? { location: '/login' } : {}).end(body);
    });
  });
  after(() => server.close());

  const world = { publicUrl: 'https://pay.example.com', notificationSecrets: ringOf(), log: console };
  function channelOf(protocol: string, channel: string, gate: object = {}): Channel {
    const settings = accounts[protocol]?.(server.url);
    assert.ok(settings, `${protocol} sends: it needs an account above`);
    const file = { connections: { one: { protocol, settings, ...gate } }, networks: {} };
    const plan = readChannelsFile(JSON.stringify(file), {
      protocols,
      production: false,
      variable: () => undefined,
      file: () => '',
    });
    const quiet = { ...console, info() {}, warn() {} };
    return createChannels(plan, { ...world, log: quiet }).channelOf({ channel, connection: 'one' });
  }

  const order = {
    transactionId: '00000000-0000-4000-8000-000000000001',
    reference: 'PO00000000000000A1',
    amount: minor(150_000),
    currency: 'TZS',
    description: 'Payment',
    sendNumber: 1,
  };
  const wallet = { kind: 'wallet', msisdn: '255754000001' } as const;
  const bank = {
    kind: 'bank',
    bic: 'NMIBTZTZ',
    accountNumber: '0150000000000',
    fullName: 'Asha Juma',
  } as const;
  const call = { timeoutMs: 5_000 };
  const kindOf = (result: SendResult | undefined) =>
    result && `${result.kind} ${'refused' in result ? result.refused : ''}`.trim();

  const sending = protocols.filter(
    ({ answersAbout }) => answersAbout.push !== neverSent || answersAbout.payout !== neverSent,
  );
  for (const { name, answersAbout } of sending) {
    const push = async (one: Page) => {
      page = one;
      return kindOf(await channelOf(name, 'm-pesa').requestPush?.({ ...order, party: wallet }, call));
    };
    const payOut = async (one: Page, gate: object = {}) => {
      page = one;
      const isBank = name === 'iso20022';
      const channel = channelOf(name, isBank ? 'bank' : 'm-pesa', gate);
      return kindOf(await channel.requestPayout?.({ ...order, party: isBank ? bank : wallet }, call));
    };

    if (answersAbout.push !== neverSent)
      it(`is read as every other protocol reads it by a push of ${name}`, async () => {
        for (const one of [...proofs, ...turnedAway])
          assert.equal(await push(one), 'not_sent page', JSON.stringify(one));
        for (const one of unclear) assert.equal(await push(one), 'unknown', JSON.stringify(one));
        const named = { status: 403, body: html(order.reference) };
        assert.notEqual(await push(named), 'not_sent page', 'it has our reference');
      });

    if (answersAbout.payout !== neverSent)
      it(`is read as every other protocol reads it by a payout of ${name}`, async () => {
        for (const one of proofs) assert.equal(await payOut(one), 'not_sent page', JSON.stringify(one));
        for (const one of [...turnedAway, ...unclear])
          assert.equal(await payOut(one), 'unknown', JSON.stringify(one));
        for (const one of turnedAway)
          assert.equal(await payOut(one, { gate: 'front' }), 'not_sent page', JSON.stringify(one));
        for (const one of unclear)
          assert.equal(await payOut(one, { gate: 'front' }), 'unknown', JSON.stringify(one));
      });
  }

  it('has a mark in every protocol that sends', () => {
    for (const protocol of protocols)
      assert.equal((protocol.marks?.length ?? 0) > 0, sending.includes(protocol), protocol.name);
  });
});
