import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { Webhook } from 'standardwebhooks';
import { signatureHeaders } from '../../src/callbacks/sign.ts';
import { output, pythonStandardWebhooks } from './support/other-tools.ts';

const eventId = 'evt_cb17153c834e5bb197ec6e9dc52ab9fe';
const standardKey = Buffer.alloc(24, 0xa5);

const passphrases = {
  plain: 'correct horse battery staple',
  'with letters beyond ASCII': 'nenosiri-é-✓',
  'of the form whsec_': `whsec_${standardKey.toString('base64')}`,
};

const bodies = {
  'an ordinary one': '{"event":"payment.received","event_id":"evt_1","amount":{"value":"5,000.00"}}',
  'one with unicode': '{"metadata":{"jina":"Zuhura ✓ 𝟙 é","note":"a/b \\u0000 \\"x\\""}}',
  'one with nested metadata and exact numbers': `{"metadata":{"n":1.50,"e":1e2,"deep":${'['.repeat(6)}{"k":null}${']'.repeat(6)}}}`,
  'a long one': `{"metadata":{"k":"${'ñ'.repeat(20_000)}"}}`,
};

const keyOf = (passphrase: string) =>
  passphrase.startsWith('whsec_')
    ? Buffer.from(passphrase.slice('whsec_'.length), 'base64')
    : Buffer.from(passphrase, 'utf8');

/** The signatures that openssl makes of the same things, as text of the headers. */
function madeByOpenssl(body: string, passphrase: string, timestamp: string) {
  const plain = ['dgst', '-sha256', '-hmac', passphrase];
  const key = `hexkey:${keyOf(passphrase).toString('hex')}`;
  const keyed = ['dgst', '-sha256', '-mac', 'HMAC', '-macopt', key, '-binary'];
  const digest = execFileSync('openssl', keyed, { input: `${eventId}.${timestamp}.${body}` });
  return {
    service: output('openssl', plain, body).split(' ').at(-1) ?? '',
    standard: `v1,${digest.toString('base64')}`,
  };
}

const signedWith = (passphrase: string, body: string) =>
  signatureHeaders({ eventId, body, passphrases: [passphrase], sentAtMs: Date.now() });

describe('signatures made by openssl', () => {
  for (const [what, passphrase] of Object.entries(passphrases))
    it(`are ours, byte for byte, and others for another body; passphrase ${what}`, () => {
      for (const [kind, body] of Object.entries(bodies)) {
        const headers = signedWith(passphrase, body);
        const timestamp = headers['webhook-timestamp'] ?? '';
        const ours = { service: headers['Service-Signature'], standard: headers['webhook-signature'] };
        assert.deepEqual(madeByOpenssl(body, passphrase, timestamp), ours, kind);
        const tampered = madeByOpenssl(`${body} `, passphrase, timestamp);
        assert.notEqual(tampered.service, ours.service);
        assert.notEqual(tampered.standard, ours.standard);
      }
    });
});

describe('the Standard Webhooks library of npm', () => {
  it('accepts what we sign, and refuses it with one byte changed', () => {
    for (const passphrase of Object.values(passphrases)) {
      const library = passphrase.startsWith('whsec_')
        ? new Webhook(passphrase)
        : new Webhook(Buffer.from(passphrase, 'utf8'), { format: 'raw' });
      for (const body of Object.values(bodies)) {
        const headers = signedWith(passphrase, body);
        assert.deepEqual(library.verify(body, headers), JSON.parse(body));
        assert.throws(() => library.verify(`${body} `, headers), /No matching signature/);
      }
    }
  });
});

describe('the Standard Webhooks library of PyPI', function () {
  this.timeout(120_000);

  it('accepts what we sign, both passphrases of a rotation included, and refuses it with one byte changed', () => {
    const folder = pythonStandardWebhooks();
    if (folder === null) return;
    const script = `
import base64, json, sys
sys.path.insert(0, sys.argv[1])
from standardwebhooks import Webhook, WebhookVerificationError
def verdict(case):
    secret = case["passphrase"]
    library = Webhook(secret if secret.startswith("whsec_") else secret.encode())
    try:
        library.verify(case["body"].encode(), case["headers"])
        return "accepted"
    except WebhookVerificationError as error:
        return str(error)
print(json.dumps([verdict(case) for case in json.load(sys.stdin)]))`;
    const all = Object.values(passphrases);
    const cases = all.flatMap((passphrase) =>
      Object.values(bodies).flatMap((body) => {
        const headers = signedWith(passphrase, body);
        const rotating = signatureHeaders({ eventId, body, passphrases: all, sentAtMs: Date.now() });
        return [
          { passphrase, body, headers, verdict: 'accepted' },
          { passphrase, body, headers: rotating, verdict: 'accepted' },
          { passphrase, body: `${body} `, headers, verdict: 'No matching signature found' },
        ];
      }),
    );
    const verdicts = JSON.parse(output('python3', ['-c', script, folder], JSON.stringify(cases)));
    assert.deepEqual(
      verdicts,
      cases.map(({ verdict }) => verdict),
    );
  });
});
