import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { Webhook } from 'standardwebhooks';
import { passphraseProblem, serviceSignature, signatureHeaders } from '../../src/callbacks/sign.ts';
import { inEnglish } from '../../src/domain/messages.ts';

const body =
  '{"event":"payment.received","event_id":"evt_cb17153c834e5bb197ec6e9dc52ab9fe","sequence":1,"transaction_id":"09c97599-0ab0-5cb9-ad18-d6327c66ef03","transaction_mode":"ussd","transaction_currency":"TZS","channel":{"name":"M-PESA","reference":"CKL5T8Q2WX"},"amount":{"value":"5,000.00","fee":"100.00","settled":"4,900.00"},"customer":{"phone_number":"0754123456","full_name":"ASHA JUMA"},"metadata":{"order_id":"INV-1001","note":"Two chairs"},"created_at":"2026-11-20T08:15:30.123456Z","updated_at":"2026-11-20T08:15:58.904217Z","timestamp":"2026-11-20T08:15:58.904217Z"}';
const eventId = 'evt_cb17153c834e5bb197ec6e9dc52ab9fe';
const passphrase = 'correct horse battery staple';
const standardPassphrase = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;

const sign = (passphrases: string[], sentAtMs = Date.now(), text = body) =>
  signatureHeaders({ eventId, body: text, passphrases, sentAtMs });

describe('signatures of callbacks', () => {
  it('are those of the published test vector', () => {
    assert.deepEqual(sign([passphrase], 1_795_162_560_999), {
      'webhook-id': eventId,
      'webhook-timestamp': '1795162560',
      'Service-Signature': '2a9d717cb862ef46f24dcc2fe3a019348da124fbeb1c98f4b637fc9551cfe223',
      'webhook-signature': 'v1,XiMiNzq48nXgEm1pyTgbwnBogBpdTLtKGbay4b3Ayoo=',
    });
  });

  it('are what openssl computes over the same bytes, non-ASCII ones included', () => {
    for (const [secret, text] of [
      [passphrase, body],
      ['nenosiri-é', '{"metadata":{"jina":"Zuhura ✓"}}'],
    ] as const) {
      const output = execFileSync('openssl', ['dgst', '-sha256', '-hmac', secret], { input: text });
      assert.equal(serviceSignature(secret, text), output.toString().trim().split(' ').at(-1));
    }
  });

  it('are accepted by a Standard Webhooks library: raw for a plain passphrase, as it is for whsec_', () => {
    assert.deepEqual(
      new Webhook(passphrase, { format: 'raw' }).verify(body, sign([passphrase])),
      JSON.parse(body),
    );
    assert.deepEqual(
      new Webhook(standardPassphrase).verify(body, sign([standardPassphrase])),
      JSON.parse(body),
    );
    const bytes = Buffer.from('nenosiri-é');
    new Webhook(bytes, { format: 'raw' }).verify(body, sign(['nenosiri-é']));
  });

  it('are refused by the library when one byte of the body changed', () => {
    const headers = sign([standardPassphrase]);
    assert.throws(() => new Webhook(standardPassphrase).verify(body.replace('5,000', '5,001'), headers));
  });

  it('key Service-Signature with the whole passphrase, whsec_ included', () => {
    const output = execFileSync('openssl', ['dgst', '-sha256', '-hmac', standardPassphrase], { input: body });
    const headers = sign([standardPassphrase]);
    assert.equal(headers['Service-Signature'], output.toString().trim().split(' ').at(-1));
  });

  it('during a rotation satisfy the old and the new passphrase; Service-Signature is the new one’s', () => {
    const headers = sign([standardPassphrase, passphrase]);
    new Webhook(standardPassphrase).verify(body, headers);
    new Webhook(passphrase, { format: 'raw' }).verify(body, headers);
    assert.match(headers['webhook-signature'] ?? '', /^v1,\S{44} v1,\S{44}$/);
    assert.equal(headers['Service-Signature'], serviceSignature(standardPassphrase, body));
  });

  it('are absent without a passphrase', () => {
    assert.deepEqual(Object.keys(sign([])), ['webhook-id', 'webhook-timestamp']);
  });
});

describe('a passphrase', () => {
  it('is any text of 24 to 255 characters', () => {
    assert.equal(passphraseProblem('x'.repeat(24)), null);
    assert.equal(passphraseProblem('🔑'.repeat(255)), null);
    for (const short of ['', 'x'.repeat(23), '🔑'.repeat(23)])
      assert.match(inEnglish(passphraseProblem(short) ?? ''), /24 to 255/);
    assert.match(inEnglish(passphraseProblem('x'.repeat(256)) ?? ''), /24 to 255/);
  });

  it('that begins with whsec_ goes on in padded base64, or every library would compute another key', () => {
    assert.equal(passphraseProblem(standardPassphrase), null);
    for (const wrong of [
      'whsec_',
      'whsec_not base64',
      `whsec_${'YWJj'.repeat(8)}=`,
      `whsec_${'YWJj'.repeat(8)}YWI`,
      'whsec_-_-_-_-_-_-_-_-_-_-_',
    ]) {
      assert.match(inEnglish(passphraseProblem(wrong) ?? ''), /base64|24 to/, wrong);
    }
    const short = `whsec_${Buffer.alloc(23, 7).toString('base64')}`;
    assert.match(inEnglish(passphraseProblem(short) ?? ''), /at least 24 bytes/);
    assert.equal(passphraseProblem(`whsec_${Buffer.alloc(24, 7).toString('base64')}`), null);
  });
});
