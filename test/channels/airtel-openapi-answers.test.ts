import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import table from '../../src/channels/airtel-openapi/codes.json' with { type: 'json' };
import { nonsense, useAirtel } from './airtel-openapi-rig.ts';
import {
  type Answer,
  type Call,
  itHears,
  itKnowsNothing,
  itReadsCodes,
  PAYOUT,
  PUSH,
  say,
} from './scripted.ts';

const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
const KEY = { publicKey: publicKey.export({ format: 'der', type: 'spki' }).toString('base64') };
const coded = (code: string, transaction?: object, success?: boolean): Answer => ({
  body: {
    ...(transaction && { data: { transaction } }),
    status: { code: '200', result_code: 'ESB000010', response_code: code, success },
  },
});

describe('what the Airtel channel makes of the answer to a payment', () => {
  const network = useAirtel();

  it('sends what the document shows, and the number without its country code', async () => {
    network.lay('push', coded('DP00800001006'));
    await network.hear('push');
    const [pushed] = network.sent('push');
    assert.deepEqual(JSON.parse(pushed?.body ?? ''), {
      reference: 'Payment',
      subscriber: { country: 'TZ', currency: 'TZS', msisdn: '754000001' },
      transaction: { amount: 15000, country: 'TZ', currency: 'TZS', id: PUSH },
    });
    const { 'x-country': country, 'x-currency': currency, authorization, accept } = pushed?.headers ?? {};
    assert.deepEqual([country, currency, accept], ['TZ', 'TZS', '*/*']);
    assert.match(authorization ?? '', /^Bearer token-\d+$/);
    network.lay('payout', coded('DP00900001006'));
    await network.hear('payout', KEY);
    const { pin, ...payout } = JSON.parse(network.sent('payout')[0]?.body ?? '');
    assert.match(pin, /^[A-Za-z0-9+/]{171}=$/);
    assert.deepEqual(payout, {
      payee: { msisdn: '754000001', currency: 'TZS' },
      reference: 'Payment',
      transaction: { amount: 15000, id: PAYOUT, type: 'B2C' },
    });
  });

  itKnowsNothing(network, ['push', 'payout'], nonsense, KEY);

  it('calls an answer that comes too late unknown', async () => {
    network.lay('push', { waits: new Promise(() => {}) });
    const { kind } = await say(network.channelOf(), 'push', {}, { timeoutMs: 150 });
    assert.equal(kind, 'unknown');
  });

  for (const code of ['DP00800001006', 'DP00800001001'])
    for (const status of ['SUCCESS', 'TS', 'Success.'])
      for (const id of [PUSH, false, 17])
        itHears(network, [
          ['push', `${code} and ${status} of ${id}`, coded(code, { id, status }, true), 'accepted -'],
        ]);
  const older = { status: { code: '200', result_code: 'ESB000010', success: true } };

  const mine = { id: PAYOUT, airtel_money_id: 'MP1' };
  const named = { ...mine, status: 'TS', message: 'Paid TZS 15,100 to' };
  const refused = (result_code: string, response_code: string): Answer => ({
    status: 400,
    body: { status: { result_code, response_code, success: false } },
  });
  const router = {
    status: 400,
    body: { status_code: 'ROUTER116', status_message: 'Incorrect Encrypted Pin' },
  };
  itHears(network, [
    ['push', 'a success of the older form', { body: older }, 'accepted -'],
    ['payout', 'with TS', coded('DP00900001001', { ...mine, status: 'TS' }), 'succeeded TZS 15000 MP1', KEY],
    ['payout', 'a success of another amount', coded('DP00900001001', named), 'succeeded TZS 15100 MP1', KEY],
    ['payout', 'with TIP', coded('DP00900001001', { id: PAYOUT, status: 'TIP' }), 'accepted -', KEY],
    ['payout', 'SUCCESS alone', coded('DP00900001001', { id: PAYOUT, status: 'SUCCESS' }), 'accepted -', KEY],
    ['payout', 'one in progress', coded('DP00900001006', { id: PAYOUT, status: 'TS' }), 'accepted -', KEY],
    ['payout', 'progress', coded('DP00900001006', { id: PAYOUT, status: 'TIP' }), 'accepted -', KEY],
    ['payout', 'a success that failed', coded('DP00900001001', { status: 'TF' }), 'unknown seen', KEY],
    ['payout', 'a failure that succeeded', coded('DP00900001005', { status: 'TS' }), 'unknown seen', KEY],
    ['payout', 'a code of the router in front', router, 'not_sent login', KEY],
    ['push', 'two codes that agree', refused('ESB000011', 'DP00800001007'), 'failed insufficient_funds -'],
    ['push', 'a failure that is a duplicate', refused('ESB000041', 'DP00800001009'), 'unknown seen'],
    ['push', 'a failure in progress', refused('ESB000011', 'DP00800001006'), 'unknown'],
    ['push', 'a failure with a code that nobody knows', refused('ESB000011', 'DP00800009999'), 'unknown'],
    ['push', 'a refused token', { status: 401, body: { error: 'x' } }, 'not_sent login'],
    ['push', 'a refused token without a word', { status: 401 }, 'not_sent page'],
    ['push', 'a refused rate', { status: 429, body: { error: 'x' } }, 'not_sent login'],
    ['push', 'a refused rate without a word', { status: 429 }, 'not_sent page'],
    ['push', 'its own code with 401', { status: 401, ...coded('DP00800001002') }, 'failed wrong_pin -'],
  ]);

  assert.ok(table.codes.length > 60);
  for (const call of ['push', 'payout'] as const) {
    const isOther = (code: string) =>
      code.startsWith('DP') && !code.startsWith(call === 'push' ? 'DP008' : 'DP009');
    const answerOf = (code: string) => coded(code.split('/')[0] ?? '');
    for (const variant of [false, true]) {
      const rows = table.codes.filter(({ code }) => code.includes('/') === variant && !isOther(code));
      const choices = { payoutBarred: variant ? 'recipient' : 'sender', fieldErrorIsFinal: !variant };
      itReadsCodes(network, call, rows, { answerOf, settings: { ...KEY, ...choices } });
    }
    const others = table.codes.filter(({ code }) => isOther(code));
    itHears(
      network,
      others.map(({ code }) => [call, `${code}, of other calls`, answerOf(code), 'unknown', KEY] as const),
    );
  }

  const bank = { kind: 'bank', bic: 'NMIBTZTZ', accountNumber: '1', fullName: 'A' };
  for (const [call, what, changes, kind, settings] of [
    ['push', 'cents', { amount: 1_500_050 }, 'failed'],
    ['push', 'another currency', { currency: 'USD' }, 'failed'],
    ['payout', 'an account without a PIN', {}, 'not_sent', { pin: undefined }],
    ['payout', 'a bank account', { party: bank }, 'not_sent'],
  ] as [Call, string, object, string, object?][])
    it(`sends nothing that the network cannot carry: ${what}`, async () => {
      assert.equal((await say(network.channelOf({ ...KEY, ...settings }), call, changes)).kind, kind);
      assert.deepEqual(network.asked, []);
    });
});
