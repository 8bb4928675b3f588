import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createGsmaClient } from '../../src/channels/gsma/client.ts';
import { createGsmaChannel, notificationToken } from '../../src/channels/gsma/index.ts';
import { failureOf, refusalOf } from '../../src/channels/gsma/translate.ts';
import { createHttpClient } from '../../src/channels/kit/http.ts';
import { channelReferenceOf } from '../../src/domain/ids.ts';
import type { Direction } from '../../src/domain/kinds.ts';
import { ringOf } from '../support/key-rings.ts';
import { rawOf } from './raw.ts';
import { itIsTold, type Told } from './scripted.ts';

const SECRET = Buffer.from('a secret of this test');
const ID = '7b1f5c9e-1111-5222-8333-123456789abc';

const channel = createGsmaChannel({
  client: createGsmaClient(
    { url: 'http://127.0.0.1:9', username: '', password: '', authorisation: 'basic' },
    createHttpClient(),
  ),
  network: 'm-pesa',
  organisationId: 'malipo',
  publicUrl: 'http://127.0.0.1:9',
  notificationSecrets: ringOf(SECRET),
});

const notification = (body: unknown, direction: Direction = 'collection') =>
  rawOf(body, { method: 'PUT', transactionId: ID, token: notificationToken(SECRET, ID, direction) });

const success = (direction: Direction) => ({
  transactionReference: '1648021',
  transactionStatus: 'completed',
  type: direction === 'collection' ? 'merchantpay' : 'disbursement',
  amount: '15000',
  currency: 'TZS',
  requestingOrganisationTransactionReference: channelReferenceOf(direction, ID),
});

describe('notifications of the GSMA channel', () => {
  const genuine = notification({});
  const ofOther = { ...genuine, transactionId: '7b1f5c9e-1111-5222-8333-123456789abd' };
  const foreign = notificationToken(Buffer.from('another secret'), ID);
  const funds = { errorCategory: 'businessRule', errorCode: 'insufficientFunds' };
  const of = (more: object) => notification({ ...success('collection'), ...more });
  const completed = { serverCorrelationId: ID, status: 'completed', notificationMethod: 'callback' };
  itIsTold(channel, [
    ['of nothing', genuine, 'nothing', 'proven'],
    ['of nothing, of a payout', notification({}, 'payout'), 'nothing', 'proven'],
    ...[null, '', 'x', foreign, `${genuine.token}x`].map(
      (token): Told => [`with the secret ${token}`, { ...genuine, token }, 'nothing', 'unproven'],
    ),
    ['with the secret of another transaction', ofOther, 'nothing', 'unproven'],
    ['of a push that succeeded', notification(success('collection')), 'succeeded TZS 15000 1648021'],
    ['of a payout that succeeded', notification(success('payout'), 'payout'), 'succeeded TZS 15000 1648021'],
    // The secret carries the direction.
    ['of a push that failed', notification(funds), 'failed insufficient_funds -'],
    ['of a payout that failed', notification(funds, 'payout'), 'failed insufficient_float -'],
    ['of a status that nobody knows', of({ transactionStatus: 'parked' }), 'pending'],
    ['of another reference', of({ requestingOrganisationTransactionReference: 'PYSOMEBODYELSE' }), 'pending'],
    ['of a payout, of a push', notification(success('payout')), 'pending'],
    ['of a duplicate', notification({ ...funds, errorCode: 'duplicateRequest' }), 'pending'],
    ['of a state that is completed', notification(completed), 'pending'],
    ...['', 'null', '[]', '"text"', '{}', '{"amount":"1"}', '\u0000', '<xml/>'].map(
      (body): Told => [`that is none, ${JSON.stringify(body)}`, notification(body), 'nothing'],
    ),
  ]);

  it('names its transaction, and has a short secret', () => {
    const read = channel.translateNotification(notification(success('collection')));
    assert.deepEqual(read?.subject, { transactionId: ID });
    assert.equal(notificationToken(SECRET, ID).length, 32);
  });

  it('gives the same key to the same event however it is written, and another to another', () => {
    const keyOf = (body: unknown) => channel.translateNotification(notification(body))?.eventKey;
    const first = success('collection');
    assert.equal(keyOf({ ...first, modificationDate: '2025-01-01T10:00:00Z' }), keyOf(first));
    assert.equal(keyOf({ ...first, amount: '15000.00' }), keyOf(first));
    assert.notEqual(keyOf({ ...first, amount: '15100' }), keyOf(first));
    const named = { ...first, transactionReceipt: 'M1' };
    assert.notEqual(keyOf({ ...named, transactionReceipt: 'M2' }), keyOf(named));
    assert.notEqual(keyOf({ ...named, transactionReference: '1648022' }), keyOf(named));
    assert.notEqual(keyOf({ errorCategory: 'internal', errorCode: 'genericError' }), keyOf(first));
  });
});

describe('the table of GSMA codes', () => {
  const table = JSON.parse(readFileSync('src/channels/gsma/codes.json', 'utf8')) as {
    codes: { code: string; outcome: string }[];
  };

  it('decides every code that it lists, in both directions', () => {
    const expected: Record<string, [string, string]> = {
      final: ['failed', 'failed'],
      setup: ['not_sent', 'failed'],
      duplicate: ['unknown', 'unknown'],
    };
    assert.ok(table.codes.length > 30);
    for (const { code, outcome } of table.codes) {
      const error = { errorCategory: 'businessRule', errorCode: code };
      for (const direction of ['collection', 'payout'] as const) {
        const kinds = [refusalOf(error, direction).kind, failureOf(error, { direction }).kind];
        assert.deepEqual(kinds, expected[outcome], `${code} ${direction}`);
      }
    }
  });
});
