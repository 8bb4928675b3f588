import assert from 'node:assert/strict';
import type { Simulator } from '../../../sandbox/simulator/app.ts';
import { createAirtelClient } from '../../../src/channels/airtel-openapi/client.ts';
import { encryptPin, readPublicKey, sign } from '../../../src/channels/airtel-openapi/crypto.ts';
import { createAirtelOpenapiChannel } from '../../../src/channels/airtel-openapi/index.ts';
import { airtelOpenapiSettings } from '../../../src/channels/airtel-openapi/settings.ts';
import { createHttpClient } from '../../../src/channels/kit/http.ts';
import { minor } from '../../../src/domain/money.ts';
import { openSimulator } from '../../support/simulator.ts';
import { until } from '../../support/wait.ts';

type Said = {
  access_token: string;
  data: { key: string };
  error?: string;
  status?: { response_code?: string; result_code?: string };
  status_code?: string;
};

describe('the simulator’s Airtel', () => {
  let simulator: Simulator;
  let token: string;
  let key: string;

  before(async () => {
    const airtelOpenapi = {
      clientId: 'cid',
      clientSecret: 'cs',
      pin: '1234',
      enquiryMessage: 'word',
    } as const;
    simulator = await openSimulator({ timing: { customerMs: 10 }, airtelOpenapi });
    token = (await call('POST', '/auth/oauth2/token', credentials('cs'))).access_token;
    key = (await call('GET', '/v1/rsa/encryption-keys')).data.key;
  });
  after(() => simulator.close());

  const credentials = (secret: string) =>
    JSON.stringify({ client_id: 'cid', client_secret: secret, grant_type: 'client_credentials' });

  async function call(method: string, path: string, body?: string, headers: Record<string, string> = {}) {
    const answer = await fetch(`${simulator.url}${path}`, {
      method,
      headers: {
        'X-Country': 'TZ',
        'X-Currency': 'TZS',
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
    });
    return { http: answer.status, ...((await answer.json()) as Said) };
  }

  const collect = (id: string, amount: unknown = 1500, msisdn: unknown = '784000001') =>
    JSON.stringify({ reference: 'R', subscriber: { msisdn }, transaction: { amount, id } });
  const codeOf = (answer: {
    status?: { response_code?: string; result_code?: string };
    status_code?: string;
  }) => answer.status?.response_code ?? answer.status_code ?? answer.status?.result_code;

  it('gives no token for wrong credentials, and lets nobody in without one', async () => {
    assert.equal((await call('POST', '/auth/oauth2/token', credentials('no'))).http, 401);
    assert.equal((await call('POST', '/auth/oauth2/token', '{')).http, 401);
    const wrong = await call('POST', '/merchant/v1/payments/', collect('S0'), { Authorization: 'Bearer x' });
    assert.deepEqual([wrong.http, wrong.error], [401, 'invalid_token']);
  });

  it('asks for country and currency', async () => {
    const path = '/merchant/v1/payments/';
    assert.equal(codeOf(await call('POST', path, collect('S1'), { 'X-Country': 'UG' })), 'ROUTER006');
    assert.equal(codeOf(await call('POST', path, collect('S1'), { 'X-Currency': '' })), 'ROUTER112');
  });

  it('compares a signature with the very bytes', async () => {
    const body = collect('S2');
    const { signature, key: xKey } = sign(readPublicKey(key), body);
    const headers = { 'x-signature': signature, 'x-key': xKey };
    const path = '/merchant/v2/payments/';
    for (const [text, sent] of [
      [body.replace('1500', '1501'), headers],
      [`${body} `, headers],
      [body, {}],
      [body, { ...headers, 'x-key': signature }],
    ] as const) {
      const refused = await call('POST', path, text, sent);
      assert.deepEqual([refused.http, codeOf(refused)], [403, 'DP00800001026']);
    }
    assert.equal(codeOf(await call('POST', path, body, headers)), 'DP00800001006');
    assert.equal(codeOf(await call('POST', path, body, headers)), 'ESB000041');
  });

  it('refuses amounts and numbers that the network refuses, and takes numbers in every known form', async () => {
    const path = '/merchant/v1/payments/';
    for (const amount of [0, -5, 10.5])
      assert.equal(codeOf(await call('POST', path, collect('S3', amount))), 'DP00800001004', String(amount));
    assert.equal(codeOf(await call('POST', path, collect('S3', 1500, '12'))), 'ESB000033');
    assert.equal(codeOf(await call('POST', path, '{}')), 'ESB000008');
    for (const [index, msisdn] of ['784000001', '0784000001', 255784000001, 784000001].entries())
      assert.equal(codeOf(await call('POST', path, collect(`S4${index}`, '1500', msisdn))), 'DP00800001006');
  });

  it('decrypts the PIN of a payout, and asks v3 for the wallet type', async () => {
    const payout = (id: string, pin: string, payee: object = {}) =>
      JSON.stringify({
        payee: { msisdn: '784000001', ...payee },
        reference: 'R',
        pin,
        transaction: { amount: 5, id },
      });
    const pin = (text: string, mode: 'pkcs1' | 'oaep' = 'pkcs1') =>
      encryptPin(readPublicKey(key), text, mode);
    const path = '/standard/v2/disbursements/';
    assert.equal(codeOf(await call('POST', path, payout('S5', '1234'))), 'ROUTER116');
    assert.equal(codeOf(await call('POST', path, payout('S5', pin('1234', 'oaep')))), 'ROUTER116');
    assert.equal(codeOf(await call('POST', path, payout('S5', pin('4321')))), 'ROUTER115');
    assert.equal(codeOf(await call('POST', path, payout('S5', pin('1234')))), 'DP00900001006');
    const v3 = '/standard/v3/disbursements';
    assert.equal(codeOf(await call('POST', v3, payout('S6', pin('1234')))), 'ESB000008');
    assert.equal(
      codeOf(await call('POST', v3, payout('S6', pin('1234'), { wallet_type: 'NORMAL' }))),
      'DP00900001006',
    );
  });

  it('keeps balance and list by its book, and an enquiry that says only "success" confirms the order', async () => {
    const settings = airtelOpenapiSettings.parse({ url: simulator.url, clientId: 'cid', clientSecret: 'cs' });
    const client = createAirtelClient(settings, createHttpClient());
    const channel = createAirtelOpenapiChannel({ settings, client });
    const balance = async () => (await client.balance('COLL', { timeoutMs: 3_000 }))?.amount ?? 0;
    const settled = () => simulator.orders.all().every(({ steps }) => steps.length === 0);
    await until(settled, 'earlier payments are over');
    const earlier = await balance();
    const ordered = { amount: minor(700_000), currency: 'TZS' };
    const party = { kind: 'wallet', msisdn: '255784000001' } as const;
    const order = { transactionId: '', reference: 'PYS7', description: '', party, ...ordered };
    await channel.requestPush?.(order, { timeoutMs: 3_000 });
    await until(settled, 'the payment is over');
    const asked = {
      transactionId: '',
      reference: 'PYS7',
      direction: 'collection',
      channelReference: null,
    } as const;
    const found = await channel.enquire({ ...asked, ...ordered }, { timeoutMs: 3_000 });
    assert.ok(found.kind === 'succeeded' && found.amount === 700_000 && found.channelReference);
    assert.equal((await channel.enquire(asked, { timeoutMs: 3_000 })).kind, 'unknown');
    assert.equal(await balance(), earlier + 700_000);
    const page = { from: 0, to: 9_999_999_999, limit: 1_000, offset: 0 };
    const listed = await client.listTransactions(page, { timeoutMs: 3_000 });
    const one = listed?.find(({ transaction }) => transaction.id === 'PYS7');
    assert.deepEqual(
      [one?.transaction.amount, one?.transaction.airtel_money_id],
      ['7000', found.channelReference],
    );
    const rest = await client.listTransactions({ ...page, offset: 1 }, { timeoutMs: 3_000 });
    assert.equal(rest?.length, (listed?.length ?? 0) - 1);
  });
});
