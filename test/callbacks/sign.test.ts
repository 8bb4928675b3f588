import assert from 'node:assert/strict';
import { Webhook } from 'standardwebhooks';
import { passphraseProblem, serviceSignature, signatureHeaders } from '../../src/callbacks/sign.ts';
import { inEnglish } from '../../src/domain/messages.ts';

const body = '{"event":"payment.received","amount":{"value":"5,000.00"}}';
const eventId = 'evt_cb17153c834e5bb197ec6e9dc52ab9fe';
const passphrase = 'correct horse battery staple';
const standardPassphrase = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;

const sign = (passphrases: string[]) =>
  signatureHeaders({ eventId, body, passphrases, sentAtMs: Date.now() });

describe('signatures of callbacks', () => {
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
