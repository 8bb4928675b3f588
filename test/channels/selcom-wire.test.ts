import assert from 'node:assert/strict';
import bankData from '../../data/banks.json' with { type: 'json' };
import { bankCodeOf } from '../../src/channels/selcom/banks.ts';
import { selcomSettings } from '../../src/channels/selcom/settings.ts';
import {
  authorizationOf,
  digestOf,
  isSignedBy,
  signedHeaders,
  signedTextOf,
  timestampOf,
} from '../../src/channels/selcom/wire.ts';

const keys = { apiKey: 'test-key', apiSecret: 'test-secret' };

describe('the signature of the Selcom gateway', () => {
  for (const [timestamp, fields, digest] of [
    [
      '2026-09-13T10:00:00+03:00',
      { transid: 'TX-1', amount: 1000, msisdn: '255712345678' },
      'wIKjqQ46eYfStZIvMqKZqHi8fHpGP5R/f66irjbwhXY=',
    ],
    ['2026-11-21T22:53:47+0000', { transid: 'T2' }, '24Erno4oDmNd8KZXtpbyZ/UOwkZgWTMKr1nWaOQTSFw='],
    ['2026-11-21T22:53:49+00:00', { transid: 'T3' }, 'zzsdJ5nJggz3DX+eNvnXYjn/gwEtbcaI8ACmZB4OB8s='],
  ] as const) {
    it(`is the one that was recorded at ${timestamp}`, () => {
      const headers = signedHeaders(keys, fields, timestamp);
      assert.equal(headers.digest, digest);
      assert.equal(headers.authorization, 'SELCOM dGVzdC1rZXk=');
      assert.equal(headers['signed-fields'], Object.keys(fields).join(','));
      const values: Record<string, string | number> = fields;
      assert.equal(
        isSignedBy(keys, headers, (name) => String(values[name])),
        true,
      );
    });
  }

  it('agrees with a vector of the documented samples: key and secret printed, timestamp of 2019', () => {
    const pairs = [
      ['utilityref', '12345'],
      ['transid', 'transid'],
      ['amount', '5000'],
    ] as const;
    const text = signedTextOf('2019-02-26T09:30:46+03:00', pairs);
    assert.equal(
      digestOf('81dc9bdb52d04dc20036dbd8313ed055', text),
      'TFHAyQ1k1d601bVfimp+GJsgiBPzMmmV0QJl0bX1c1Q=',
    );
    assert.equal(
      authorizationOf('202cb962ac59075b964b07152d234b70'),
      'SELCOM MjAyY2I5NjJhYzU5MDc1Yjk2NGIwNzE1MmQyMzRiNzA=',
    );
  });

  it('proves nothing where a value reads as further fields', () => {
    const given = (fields: Record<string, string>, timestamp = 'T') =>
      isSignedBy(keys, signedHeaders(keys, fields, timestamp), (name) => fields[name]);
    assert.equal(given({ order_id: 'PY1', amount: '1000' }), true);
    assert.equal(given({ order_id: 'PY1&amount=1000' }), false);
    assert.equal(given({ amount: '1000' }, 'T&order_id=PY1'), false);
  });

  it('signs values as they are, never encoded', () => {
    const text = signedTextOf('T', [['message', 'Jo & Co = 5/2 %20 ñ']]);
    assert.equal(text, 'timestamp=T&message=Jo & Co = 5/2 %20 ñ');
  });

  it('does not accept what was changed, left out, or signed by somebody else', () => {
    const fields = { order_id: 'PY1', amount: '15000' };
    const headers = signedHeaders(keys, fields, '2026-09-13T10:00:00+03:00');
    const values: Record<string, string> = fields;
    const accepted = (changed: object, textOfField = (name: string) => values[name]) =>
      isSignedBy(keys, { ...headers, ...changed }, textOfField);
    assert.equal(accepted({}), true);
    assert.equal(accepted({ digest: headers.digest?.replace(/^./, '!') }), false);
    assert.equal(accepted({ digest: undefined }), false);
    assert.equal(accepted({ timestamp: '2026-09-13T10:00:01+03:00' }), false);
    assert.equal(accepted({ timestamp: undefined }), false);
    assert.equal(accepted({ authorization: 'SELCOM c29tZWJvZHk=' }), false);
    assert.equal(accepted({ 'digest-method': 'none' }), false);
    assert.equal(accepted({ 'signed-fields': 'order_id' }), false);
    assert.equal(accepted({ 'signed-fields': 'amount,order_id' }), false);
    assert.equal(accepted({ 'signed-fields': '' }), false);
    assert.equal(accepted({ 'signed-fields': `${'order_id,'.repeat(90)}amount` }), false);
    assert.equal(
      accepted({}, (name) => (name === 'amount' ? '15001' : values[name])),
      false,
    );
    assert.equal(
      accepted({}, () => undefined),
      false,
    );
    assert.equal(
      isSignedBy({ ...keys, apiSecret: 'another' }, headers, (name) => values[name]),
      false,
    );
  });

  it('writes the time of Dar es Salaam in whole seconds', () => {
    assert.equal(timestampOf(Date.parse('2026-09-13T22:30:00.987Z')), '2026-09-14T01:30:00+03:00');
  });
});

describe('an account with Selcom', () => {
  const least = { url: 'https://apigw.example/v1/', ...keys, vendor: 'TILL1' };

  it('needs an address, a key, a secret and a till, and fills in the rest', () => {
    const settings = selcomSettings.parse(least);
    assert.equal(settings.url, 'https://apigw.example/v1');
    assert.equal(settings.collect, 'checkout');
    assert.equal(settings.utilityCodes['m-pesa'], 'VMCASHIN');
    assert.deepEqual(settings.notFoundCodes, []);
    for (const name of Object.keys(least))
      assert.equal(selcomSettings.safeParse({ ...least, [name]: undefined }).success, false, name);
  });

  it('refuses names that it does not know and addresses that are none', () => {
    assert.equal(selcomSettings.safeParse({ ...least, colect: 'checkout' }).success, false);
    assert.equal(selcomSettings.safeParse({ ...least, url: 'apigw.example' }).success, false);
    assert.equal(selcomSettings.safeParse({ ...least, collect: 'ussd' }).success, false);
    assert.equal(selcomSettings.safeParse({ ...least, c2bToken: 'short' }).success, false);
  });

  it('names every bank of ours, but for the four that Selcom does not list', () => {
    const missing = bankData.banks
      .filter(({ bic }) => bankCodeOf(bic, {}) === null)
      .map(({ value }) => value);
    assert.deepEqual(missing, ['mucoba_bank', 'standard_chartered_bank', 'tadb_bank', 'tib_bank']);
    assert.equal(bankCodeOf('NMIBTZTZXXX', {}), 'NMB');
    assert.equal(bankCodeOf('MUOBTZTZ', { MUOBTZTZ: 'MUCOBA' }), 'MUCOBA');
  });
});
