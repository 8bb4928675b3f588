import assert from 'node:assert/strict';
import { createHttpClient } from '../../src/channels/kit/http.ts';
import { createSelcomClient } from '../../src/channels/selcom/client.ts';
import { createSelcomChannel, notificationDoors } from '../../src/channels/selcom/index.ts';
import { selcomSettings } from '../../src/channels/selcom/settings.ts';
import { signedHeaders } from '../../src/channels/selcom/wire.ts';
import type { RawNotification } from '../../src/domain/channel.ts';
import { pick } from '../support/pick.ts';
import { rawOf } from './raw.ts';
import { itIsTold, type Told } from './scripted.ts';

const keys = { apiKey: 'test-key', apiSecret: 'test-secret' };
const C2B_TOKEN = 'a-token-that-Selcom-was-given';
const REFERENCE = 'PY0000000000000001';
const NOW = '2026-11-22T10:00:00+03:00';

function channelOf(changes: object = {}) {
  const settings = selcomSettings.parse({
    url: 'http://127.0.0.1:1/v1',
    ...keys,
    vendor: 'TILL1',
    c2bToken: C2B_TOKEN,
    ...changes,
  });
  const client = createSelcomClient(settings, createHttpClient());
  const now = () => Date.parse(NOW);
  return createSelcomChannel({
    client,
    settings,
    network: 'tigo-pesa',
    publicUrl: 'https://pay.example',
    now,
  });
}

const paid: Record<string, string> = {
  transid: '7945454515',
  order_id: REFERENCE,
  reference: '856266164161',
  result: 'SUCCESS',
  resultcode: '000',
  payment_status: 'COMPLETED',
  channel: 'TIGOPESATZ',
  amount: '15000',
  phone: '255654000001',
};
const SUCCESS = 'succeeded TZS 15000 856266164161 7945454515';
const PRINTED = ['transid', 'order_id', 'reference', 'result', 'resultcode', 'payment_status'];

function webhook(message: unknown, names = Object.keys(message as object), timestamp = NOW) {
  const values = message as Record<string, string>;
  const fields = Object.fromEntries(names.map((name) => [name, values[name] ?? '']));
  const headers = { 'content-type': 'application/json', ...signedHeaders(keys, fields, timestamp) };
  return rawOf(message, { headers });
}

function c2b(step: string, message: unknown, token = C2B_TOKEN): RawNotification {
  return rawOf(message, { token: step, headers: { authorization: `Bearer ${token}` } });
}

describe('a notification of a paid Selcom order', () => {
  const channel = channelOf();

  it('names its order', () => {
    assert.deepEqual(channel.translateNotification(webhook(paid))?.subject, { reference: REFERENCE });
  });

  const numbers = {
    ...paid,
    transid: 7945454515,
    reference: 856266164161,
    phone: 255654000001,
    channel: null,
  };
  const at = (timestamp: string) => webhook(paid, undefined, timestamp);
  const without = (name: string) => Object.keys(paid).filter((each) => each !== name);
  const recent = [
    '2026-11-22T07:00:00+0000',
    '2026-11-22T07:00:00+00:00',
    '2026-11-21T10:01:00+03:00',
    '2026-11-22 10:14:00',
  ];
  const old = ['2026-11-21T09:59:00+03:00', '2026-11-22T10:16:00+03:00', '2026-22-11 10:00:00', 'T'];
  itIsTold(channel, [
    ['signed in everything', webhook(paid), SUCCESS, 'proven'],
    ['whose numbers are numbers, and what nothing reads is of another type', webhook(numbers), SUCCESS],
    // It is verified with its time as it was sent.
    ...recent.map((time): Told => [`of ${time}`, at(time), SUCCESS, 'proven']),
    ...old.map(
      (time): Told => [`whose time is old, ahead, or cannot be read, ${time}`, at(time), 'ask', 'proven'],
    ),
    // The fields whose signature is printed prove no amount.
    ['signed in the printed fields', webhook(paid, PRINTED), 'ask', 'proven'],
    ...['order_id', 'payment_status', 'amount'].map(
      (name): Told => [`not signed in ${name}`, webhook(paid, without(name)), 'ask'],
    ),
    ...[
      { payment_status: 'PENDING' },
      { payment_status: 'USERCANCELLED' },
      { payment_status: 'REJECTED', result: 'FAIL', resultcode: '403' },
      { payment_status: 'PARKED' },
      { result: 'FAIL' },
      { resultcode: '999' },
      { amount: '' },
      { amount: '-5' },
    ].map(
      (change): Told => [`of ${JSON.stringify(change)}`, webhook({ ...paid, ...change }), 'ask', 'proven'],
    ),
  ]);

  it('is verified though one printed sample misspells resultcode', () => {
    const { resultcode: _, ...rest } = paid;
    const raw = webhook({ ...rest, resulcode: '000' });
    const headers = webhook({ ...rest, resultcode: '000' }).headers;
    assert.equal(channel.verifyNotification({ ...raw, headers }), true);
    assert.equal(channel.translateNotification({ ...raw, headers })?.content.kind, 'succeeded');
  });

  it('is not believed when a value, a header or the keys are others', () => {
    const raw = webhook(paid);
    const changed = (headers: object) => ({ ...raw, headers: { ...raw.headers, ...headers } });
    const body = Buffer.from(raw.body.toString('utf8').replace('15000', '95000'));
    assert.equal(channel.verifyNotification({ ...raw, body }), false);
    for (const name of ['authorization', 'digest-method', 'digest', 'timestamp', 'signed-fields'])
      assert.equal(channel.verifyNotification(changed({ [name]: undefined })), false, name);
    assert.equal(channel.verifyNotification(changed({ digest: 'f'.repeat(64) })), false);
    assert.equal(channelOf({ apiSecret: 'another' }).verifyNotification(raw), false);
    assert.equal(channelOf({ apiKey: 'another' }).verifyNotification(raw), false);
  });

  it('cannot be made of a request that we signed ourselves', () => {
    const order = { vendor: 'TILL1', order_id: REFERENCE, amount: '15000', currency: 'TZS' };
    const request = webhook(order);
    const body = Buffer.from(
      JSON.stringify({ ...order, payment_status: 'COMPLETED', resultcode: '000', result: 'SUCCESS' }),
    );
    assert.deepEqual(channel.translateNotification({ ...request, body })?.content, { kind: 'ask' });
  });

  it('has the same key when it is replayed or signed anew, and another for other news', () => {
    const keyOf = (raw: RawNotification) => channel.translateNotification(raw)?.eventKey;
    const first = keyOf(webhook(paid));
    assert.equal(keyOf(webhook(paid)), first);
    assert.equal(keyOf(webhook(paid, undefined, '2026-11-22T09:00:00+03:00')), first);
    assert.notEqual(keyOf(webhook({ ...paid, amount: '15100' })), first);
    assert.notEqual(keyOf(webhook(paid, PRINTED)), first);
    assert.notEqual(keyOf(webhook({ ...paid, payment_status: 'PENDING' })), first);
  });

  for (const body of [
    '',
    'null',
    '[]',
    '"text"',
    '{}',
    '{"order_id":1}',
    '\u0000',
    '<xml/>',
    '{"order_id":"x"}',
    JSON.stringify({ ...paid, phone: '2'.repeat(40_000) }),
    `{"__proto__":{"order_id":"${REFERENCE}"}}`,
  ]) {
    const raw = { ...webhook(paid), body: Buffer.from(body) };
    itIsTold(channel, [
      [`that is no message of this protocol, ${body.slice(0, 60)}`, raw, 'nothing', 'unproven'],
    ]);
  }
});

describe('what Selcom asks and tells of a push-ussd', () => {
  const channel = channelOf({ collect: 'push-ussd' });
  const message = {
    operator: 'TIGOPESATZ',
    transid: 'XYZ123444',
    reference: '0331211',
    utilityref: REFERENCE,
    amount: 15_000,
    msisdn: '255654000001',
  };

  const told = 'succeeded TZS 15000 0331211 XYZ123444';

  it('names its push', () => {
    const read = channel.translateNotification(c2b('lookup', message));
    assert.deepEqual(read?.subject, { reference: REFERENCE });
  });

  itIsTold(channel, [
    ['of a payment', c2b('notification', message), told, 'proven'],
    ['that asks whose it is', c2b('lookup', message), 'pending'],
    ['that asks whether it may be paid', c2b('validation', message), 'pending'],
    ['of no amount', c2b('notification', { ...message, amount: undefined }), 'ask'],
    ['with another token', c2b('notification', message, 'another'), told, 'unproven'],
  ]);

  it('is proven by the token that we gave, and by nothing where we gave none', () => {
    assert.equal(channel.verifyNotification({ ...c2b('notification', message), headers: {} }), false);
    const tokenless = channelOf({ c2bToken: undefined });
    for (const token of ['', 'undefined', C2B_TOKEN])
      assert.equal(tokenless.verifyNotification(c2b('notification', message, token)), false, token);
  });

  it('is one event however often it comes, and another in another step', () => {
    const keyOf = (step: string, change: object = {}) =>
      channel.translateNotification(c2b(step, { ...message, ...change }))?.eventKey;
    assert.equal(keyOf('notification'), keyOf('notification'));
    assert.notEqual(keyOf('notification'), keyOf('validation'));
    assert.notEqual(keyOf('notification'), keyOf('notification', { amount: 15_001 }));
  });

  it('is not proven by a signature at an address with another last part', () => {
    assert.equal(channel.verifyNotification(c2b('refund', message)), false);
  });
});

describe('the doors of the Selcom channel', () => {
  const [orders, pushes] = notificationDoors;
  const raw = webhook(paid);

  it('are two fixed addresses', () => {
    assert.deepEqual(pick(notificationDoors, 'method', 'path'), [
      ['POST', '/channels/selcom'],
      ['POST', '/channels/selcom/c2b/:token'],
    ]);
  });

  it('acknowledge what is stored, and a paid order that is none of ours', () => {
    for (const outcome of ['stored', 'duplicate', 'unknown'] as const) {
      const answer = orders?.answer(outcome, raw);
      const body = JSON.parse(answer?.body ?? '');
      assert.deepEqual([answer?.status, body.resultcode, body.result], [200, '000', 'SUCCESS']);
      assert.equal(body.reference, paid.reference);
    }
  });

  it('refuse a push that nobody knows, so that no money is taken for it', () => {
    const answer = pushes?.answer('unknown', raw);
    assert.deepEqual([answer?.status, JSON.parse(answer?.body ?? '').resultcode], [200, '010']);
  });

  it('tell an unproven sender and an unreadable body so', () => {
    for (const door of notificationDoors) {
      assert.equal(door.answer('refused', raw).status, 401);
      const answer = door.answer('unreadable', { ...raw, body: Buffer.from('<xml/>') });
      assert.deepEqual([answer.status, JSON.parse(answer.body).reference], [400, null]);
    }
  });
});
