import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import {
  capabilities,
  createAirtelOpenapiChannel,
  notificationDoors,
} from '../../src/channels/airtel-openapi/index.ts';
import { airtelOpenapiSettings } from '../../src/channels/airtel-openapi/settings.ts';
import type { RawNotification } from '../../src/domain/channel.ts';
import { rawOf } from './raw.ts';
import { itIsTold, type Told } from './scripted.ts';

const KEY = 'callback-key';
const INNER =
  '{"id":"BBZMiscxy","message":"Paid TZS 5,000 to ACME","status_code":"TS","airtel_money_id":"MP210603.1234.L06941"}';
/** Vectors: the inner object is what airtelmoney-py 1.0.6 accepts. */
const HASH = {
  inner: 'D8/SN61enNC9cV6rJ2OytxTPyM97gceuqdl5QX/zlug=',
  outer: 'fgC2InH+Rg1mnPjSoZpgFjeDlF4TudW9XYiuhultyXk=',
  spaced: 'XBPtap6ydOU60TOU1tdXE4r7gVXmtFjA0maNELDhOqA=',
};
const SPACED = `{"transaction": ${INNER.replaceAll(/":(?=")/g, '": ').replaceAll('","', '", "')}}`;

function channelOf(more: object = {}) {
  const settings = airtelOpenapiSettings.parse({
    url: 'http://127.0.0.1:9',
    clientId: 'client',
    clientSecret: 'secret',
    callbackKey: KEY,
    ...more,
  });
  return createAirtelOpenapiChannel({ settings });
}

const notification = (body: string, headers: Record<string, string> = {}) => rawOf(body, { headers });

function hashOf(text: string): string {
  return createHmac('sha256', KEY).update(text).digest('base64');
}

function callback(transaction: object): RawNotification {
  const inner = JSON.stringify(transaction);
  return notification(`{"transaction":${inner},"hash":"${hashOf(inner)}"}`);
}

describe('the hash of an Airtel callback', () => {
  const channel = channelOf();
  const proves = (body: string, headers?: Record<string, string>) =>
    channel.verifyNotification(notification(body, headers));

  it('proves the sender over the inner object, as it came', () => {
    assert.ok(proves(`{"transaction":${INNER},"hash":"${HASH.inner}"}`));
    assert.ok(proves(`{"hash":"${HASH.inner}", "transaction" : ${INNER} }`));
  });

  it('proves it over the inner object written anew', () => {
    assert.ok(proves(SPACED.replace(/}$/, `, "hash": "${HASH.inner}"}`)));
  });

  it('proves it over the outer object, as it came and written anew', () => {
    assert.ok(proves(`{"transaction":${INNER},"hash":"${HASH.outer}"}`));
    assert.ok(proves(SPACED.replace(/}$/, `, "hash": "${HASH.outer}"}`)));
    assert.ok(proves(SPACED.replace(/}$/, `, "hash": "${HASH.spaced}"}`)));
    assert.ok(proves(`{"hash": "${HASH.spaced}", ${SPACED.slice(1)}`));
  });

  it('proves it in a header, too', () => {
    for (const hash of [HASH.inner, HASH.outer]) assert.ok(proves(`{"transaction":${INNER}}`, { hash }));
    assert.ok(proves(SPACED, { hash: HASH.spaced }));
    assert.ok(!proves(SPACED, { 'x-signature': HASH.spaced }));
  });

  it('proves nothing without a hash, with a wrong one, with another key, or over other content', () => {
    const bodies = [
      `{"transaction":${INNER}}`,
      `{"transaction":${INNER},"hash":""}`,
      `{"transaction":${INNER},"hash":"${'A'.repeat(43)}="}`,
      `{"transaction":${INNER},"hash":null}`,
      `{"transaction":${INNER.replace('5,000', '9,000')},"hash":"${HASH.inner}"}`,
      `{"transaction":${INNER.replace('BBZMiscxy', 'BBZMiscxz')},"hash":"${HASH.outer}"}`,
    ];
    for (const body of bodies) assert.ok(!proves(body), body);
    const genuine = notification(`{"transaction":${INNER},"hash":"${HASH.inner}"}`);
    assert.ok(!channelOf({ callbackKey: 'another' }).verifyNotification(genuine));
    assert.ok(!channelOf({ callbackKey: undefined }).verifyNotification(genuine));
  });

  it('believes no body that names the transaction twice: what was proven and what is read could differ', () => {
    const forged = INNER.replace('BBZMiscxy', 'PY0000000000000000');
    for (const body of [
      `{"transaction":${INNER},"hash":"${HASH.inner}","transaction":${forged}}`,
      `{"transaction":${forged},"hash":"${HASH.inner}","transaction":${INNER}}`,
      `{"transaction":${INNER},"hash":"${HASH.inner}","tr\\u0061nsaction":${forged}}`,
    ]) {
      assert.ok(!proves(body), body);
      assert.equal(channel.translateNotification(notification(body)), null);
    }
  });

  it('finds the object whatever stands around it and in it', () => {
    const odd = JSON.stringify({
      id: 'PY1',
      message: 'Paid TZS 5,000 to "A}]{[,:\\',
      status_code: 'TS',
      extra: [{ transaction: 1 }, '}', -1.5e3, true, null],
    });
    const body = `\n{ "a":[1,{"hash":"x"}],"b":null , "n":-1, "transaction"\t:\r\n${odd} ,"z":"}","hash":"${hashOf(odd)}"}\n`;
    assert.ok(proves(body));
  });
});

describe('what an Airtel callback says', () => {
  const channel = channelOf();
  const paid = JSON.parse(INNER) as Record<string, string>;

  it('names its transaction', () => {
    assert.deepEqual(channel.translateNotification(callback(paid))?.subject, { reference: 'BBZMiscxy' });
  });

  const failed = (id: string, code?: string) => callback({ id, status_code: 'TF', message: 'no', code });
  const marked = notification(`\uFEFF${callback(paid).body}`);
  const wordless = ['success', 'Paid 5,000 to ACME', 'You paid TZS 5,000', 'Paid TZS 5,000,00.123.4 x', ''];
  itIsTold(channel, [
    ['of a success', callback(paid), 'succeeded TZS 5000 MP210603.1234.L06941', 'proven'],
    ['behind a byte order mark', marked, 'succeeded TZS 5000 MP210603.1234.L06941', 'proven'],
    ...wordless.map(
      (message): Told => [`of no amount: "${message}"`, callback({ ...paid, message }), 'ask', 'proven'],
    ),
    ...['TIP', 'TA', 'XX', ''].map(
      (status_code): Told => [`of "${status_code}"`, callback({ ...paid, status_code }), 'ask', 'proven'],
    ),
    ['of a push that failed', failed('PY1'), 'failed network_error -'],
    ['of a push with DP00800001007', failed('PY1', 'DP00800001007'), 'failed insufficient_funds -'],
    ['of a push with DP00800001024', failed('PY1', 'DP00800001024'), 'failed customer_timeout -'],
    ['of a push with a code that nobody knows', failed('PY1', 'DP00800009999'), 'failed network_error -'],
    ['of a payout with DP00900001007', failed('PO1', 'DP00900001007'), 'failed insufficient_float -'],
    ['of a payout with DP00900001019', failed('PO1', 'DP00900001019'), 'failed network_error -'],
    // Such a payout may have been done.
    ['of a payout with DP00900001000', failed('PO1', 'DP00900001000'), 'ask'],
    ['of a payout with DP00900001014', failed('PO1', 'DP00900001014'), 'ask'],
  ]);

  it('has the same key when it comes again, and another for other news', () => {
    const keyOf = (transaction: object) => channel.translateNotification(callback(transaction))?.eventKey;
    assert.equal(keyOf(paid), keyOf({ airtel_money_id: paid.airtel_money_id, ...paid, extra: 1 }));
    for (const other of [
      { id: 'PY2' },
      { status_code: 'TF' },
      { airtel_money_id: 'MP2' },
      { message: 'Paid TZS 5,100 to ACME' },
    ])
      assert.notEqual(keyOf(paid), keyOf({ ...paid, ...other }));
  });

  const long = JSON.stringify({ ...paid, id: 'x'.repeat(65) });
  for (const body of [
    '',
    'null',
    '[]',
    '{}',
    '<html>',
    '{"transaction":{"id":[],"status_code":"TS"}}',
    '{"transaction":"TS"}',
    `{"transaction":${INNER}`,
    `{"transaction":${long}}`,
    `{"transaction":${INNER},"pad":"${'x'.repeat(17_000)}"}`,
  ])
    itIsTold(channel, [
      [`that is no callback, ${body.slice(0, 60)}`, notification(body), 'nothing', 'unproven'],
    ]);

  it('names its transaction, and nothing more, where the account has no key', () => {
    const open = channelOf({ callbackKey: undefined });
    assert.deepEqual(open.hintOf?.(callback(paid)), { reference: 'BBZMiscxy' });
    for (const body of ['', '{', '[]', '{"transaction":{}}', '{"transaction":{"id":""}}', '{"id":"BBZ1"}'])
      assert.equal(open.hintOf?.(notification(body)), null, body);
    assert.equal(channel.hintOf, undefined);
  });

  it('is answered 200 whatever became of it', () => {
    const [door] = notificationDoors;
    assert.equal(door?.path, '/channels/airtel-openapi');
    for (const outcome of ['stored', 'duplicate', 'noted', 'unknown', 'refused', 'unreadable'] as const)
      assert.deepEqual(door?.answer(outcome, notification('')), { status: 200, body: '' });
    assert.deepEqual(capabilities.payouts, ['wallet']);
  });
});
