import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createGsmaClient } from '../../src/channels/gsma/client.ts';
import { createGsmaChannel, notificationToken } from '../../src/channels/gsma/index.ts';
import { failureOf, refusalOf } from '../../src/channels/gsma/translate.ts';
import { createHttpClient } from '../../src/channels/kit/http.ts';
import { channelReferenceOf } from '../../src/domain/ids.ts';
import type { Direction } from '../../src/domain/kinds.ts';
import { ringOf } from '../support/key-rings.ts';

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

function notification(body: unknown, direction: Direction = 'collection') {
  return {
    method: 'PUT',
    transactionId: ID,
    token: notificationToken(SECRET, ID, direction),
    headers: {},
    body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
  };
}

const success = (direction: Direction) => ({
  transactionReference: '1648021',
  transactionStatus: 'completed',
  type: direction === 'collection' ? 'merchantpay' : 'disbursement',
  amount: '15000',
  currency: 'TZS',
  requestingOrganisationTransactionReference: channelReferenceOf(direction, ID),
});

describe('notifications of the GSMA channel', () => {
  it('proves the sender by the secret of this transaction, and by no other', () => {
    const genuine = notification({});
    assert.equal(channel.verifyNotification(genuine), true);
    assert.equal(channel.verifyNotification(notification({}, 'payout')), true);
    for (const token of [
      null,
      '',
      'x',
      notificationToken(Buffer.from('another secret'), ID),
      `${genuine.token}x`,
    ]) {
      assert.equal(channel.verifyNotification({ ...genuine, token }), false, String(token));
    }
    const other = '7b1f5c9e-1111-5222-8333-123456789abd';
    assert.equal(channel.verifyNotification({ ...genuine, transactionId: other }), false);
    assert.equal(notificationToken(SECRET, ID).length, 32);
  });

  for (const direction of ['collection', 'payout'] as const) {
    it(`reads a whole resource as a success (${direction})`, () => {
      const read = channel.translateNotification(notification(success(direction), direction));
      assert.deepEqual(read?.subject, { transactionId: ID });
      assert.deepEqual(read?.content, {
        kind: 'succeeded',
        amount: 1_500_000,
        currency: 'TZS',
        channelReference: '1648021',
        fullName: null,
      });
    });
  }

  it('reads an error object by the direction that the secret carries', () => {
    const error = { errorCategory: 'businessRule', errorCode: 'insufficientFunds' };
    const codeOf = (direction: Direction) => {
      const content = channel.translateNotification(notification(error, direction))?.content;
      return content?.kind === 'failed' ? content.code : content?.kind;
    };
    assert.equal(codeOf('collection'), 'insufficient_funds');
    assert.equal(codeOf('payout'), 'insufficient_float');
  });

  it('leaves to the enquiry whatever proves nothing', () => {
    const undecided = [
      { ...success('collection'), transactionStatus: 'parked' },
      { ...success('collection'), requestingOrganisationTransactionReference: 'PYSOMEBODYELSE' },
      success('payout'),
      { errorCategory: 'businessRule', errorCode: 'duplicateRequest' },
      { serverCorrelationId: ID, status: 'completed', notificationMethod: 'callback' },
    ];
    for (const body of undecided) {
      const read = channel.translateNotification(notification(body));
      assert.deepEqual(read?.content, { kind: 'pending' }, JSON.stringify(body));
    }
  });

  it('is not interested in what is no message of this protocol', () => {
    for (const body of ['', 'null', '[]', '"text"', '{}', '{"amount":"1"}', '\u0000', '<xml/>']) {
      assert.equal(channel.translateNotification(notification(body)), null, body);
    }
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
