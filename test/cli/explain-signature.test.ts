import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { signatureHeaders } from '../../src/callbacks/sign.ts';
import { explainSignature, type Question } from '../../src/cli/explain-signature.ts';

const passphrase = 'correct horse battery staple';
const key = Buffer.alloc(24, 9);
const standard = `whsec_${key.toString('base64')}`;
const eventId = 'evt_1';
const sent = `{"event":"payment.received","event_id":"${eventId}","metadata":{"jina":"Zuhura ✓","url":"a/b"},"list":[1,{}]}`;
const nowMs = 1_795_162_560_000;

type Changes = Partial<Question> & { signedWith?: string[]; text?: string };

/** What is said about a callback that was sent right, when these things are different at the receiver. */
function ask({ signedWith, text = sent, ...changes }: Changes = {}) {
  const secret = changes.passphrase ?? passphrase;
  const made = signatureHeaders({
    eventId,
    body: sent,
    passphrases: signedWith ?? [secret],
    sentAtMs: nowMs,
  });
  const headers = Object.fromEntries(
    Object.entries(made).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const { ok, lines } = explainSignature({
    body: Buffer.from(text),
    headers,
    passphrase: secret,
    nowMs,
    ...changes,
  });
  return { ok, said: lines.join('\n'), headers };
}

function refusedBecause(changes: Changes, ...reasons: RegExp[]) {
  const { ok, said } = ask(changes);
  assert.equal(ok, false);
  for (const reason of reasons) assert.match(said, reason);
}

const hmac = (secret: string | Buffer, content: string) => createHmac('sha256', secret).update(content);

describe('the signature of a callback, explained', () => {
  it('matches when everything is right', () => {
    for (const secret of [passphrase, standard, 'nenosiri-é']) {
      const { ok, said } = ask({ passphrase: secret });
      assert.equal(ok, true, said);
      assert.equal(
        said,
        'Service-Signature matches.\nwebhook-signature matches.\nwebhook-timestamp is recent.',
      );
    }
  });

  it('names another passphrase, or one that was changed', () => {
    refusedBecause(
      { signedWith: ['another one'] },
      /no usual mistake explains it: the passphrase is another/,
    );
    refusedBecause(
      { signedWith: ['the new one'], otherPassphrases: ['the new one'] },
      /Service-Signature does not match this passphrase, but another one/,
    );
    const during = ask({ signedWith: ['the new one', passphrase] });
    assert.match(during.said, /Service-Signature does not match.*\n.*new passphrase at once/);
    assert.match(during.said, /webhook-signature matches/);
  });

  it('names a line break at the end of the body', () => {
    refusedBecause({ text: `${sent}\n` }, /It fits the body without the line break at its end/, /printf/);
    refusedBecause({ text: `${sent}\r\n` }, /without the line break at its end/);
  });

  it('names a body that was parsed and written again', () => {
    refusedBecause({ text: JSON.stringify(JSON.parse(sent), null, 2) }, /written again as compact JSON/);
    refusedBecause({ text: sent.replaceAll(':', ': ') }, /written again as compact JSON/);
    refusedBecause(
      { text: sent.replace('✓', '\\u2713').replace('a/b', 'a\\/b') },
      /compact JSON.*touches them/,
    );
  });

  it('names a body that is another one', () => {
    refusedBecause({ text: sent.replace('Zuhura', 'Asha') }, /the body is not what was sent/);
    refusedBecause({ text: sent.replace('evt_1', 'evt_2') }, /headers are those of another callback/);
  });

  it('names a passphrase with quotes, spaces or a line break around it, or without its whsec_', () => {
    for (const wrong of [` ${passphrase}`, `${passphrase}\n`, `"${passphrase}"`, `'${passphrase}'`])
      refusedBecause(
        { passphrase: wrong, signedWith: [passphrase] },
        /passphrase without what stands around it/,
      );
    refusedBecause({ signedWith: [`${passphrase}\n`] }, /passphrase with a line break at its end/);
    refusedBecause(
      { passphrase: standard.slice(6), signedWith: [standard] },
      /with whsec_ before it.*whsec_ included/,
    );
  });

  it('names a time that is too old, in the future, or in milliseconds', () => {
    refusedBecause({ nowMs: nowMs + 301_000 }, /301 s old: a check that allows 300 s refuses it/);
    refusedBecause({ nowMs: nowMs - 400_000 }, /400 s in the future/);
    assert.equal(ask({ nowMs: nowMs + 301_000, toleranceSeconds: 600 }).ok, true);
    const { headers } = ask();
    refusedBecause({ headers: { ...headers, 'webhook-timestamp': String(nowMs) } }, /counts seconds/);
    refusedBecause({ headers: { ...headers, 'webhook-timestamp': 'today' } }, /no number: today/);
  });

  it('names headers that are missing', () => {
    refusedBecause({ signedWith: [] }, /Service-Signature is missing/, /webhook-signature is missing/);
    refusedBecause({ headers: {} }, /webhook-timestamp is missing/);
  });
});

describe('what a receiver’s own code computed, explained', () => {
  const right = hmac(passphrase, sent).digest('hex');
  const content = `${eventId}.${nowMs / 1000}.${sent}`;
  const computed = (value: string, secret = passphrase) => ask({ computed: value, passphrase: secret }).said;

  it('may be right', () => {
    assert.match(computed(right), /is the right Service-Signature/);
    assert.match(
      computed(`v1,${hmac(passphrase, content).digest('base64')}`),
      /is the right webhook-signature/,
    );
    assert.match(computed(hmac(key, content).digest('base64'), standard), /is the right webhook-signature/);
  });

  const mistakes: [name: string, value: string, secret: string, said: RegExp][] = [
    ['upper-case hex', right.toUpperCase(), passphrase, /made of in upper-case hex\. .*lower-case hex/],
    [
      'base64 instead of hex',
      hmac(passphrase, sent).digest('base64'),
      passphrase,
      /in base64\. .*lower-case hex/,
    ],
    ['hex instead of base64', hmac(passphrase, content).digest('hex'), passphrase, /together|in hex/],
    ['URL-safe base64', hmac(key, content).digest('base64url'), standard, /in URL-safe base64/],
    [
      'whsec_ decoded for Service-Signature',
      hmac(key, sent).digest('hex'),
      standard,
      /base64-decoded rest of whsec_/,
    ],
    [
      'whsec_ not decoded',
      hmac(standard, content).digest('base64'),
      standard,
      /text of the whole passphrase as key/,
    ],
    [
      'whsec_ cut off, not decoded',
      hmac(standard.slice(6), sent).digest('hex'),
      standard,
      /text after whsec_/,
    ],
    [
      'a raw passphrase decoded',
      hmac(Buffer.from(passphrase, 'base64'), content).digest('base64'),
      passphrase,
      /base64-decoded passphrase as key.*format: 'raw'/,
    ],
    [
      'a line break after the body',
      hmac(passphrase, `${sent}\n`).digest('hex'),
      passphrase,
      /body with a line break/,
    ],
    [
      'json.dumps',
      hmac(
        passphrase,
        '{"event": "payment.received", "event_id": "evt_1", "metadata": {"jina": "Zuhura \\u2713", "url": "a/b"}, "list": [1, {}]}',
      ).digest('hex'),
      passphrase,
      /json\.dumps/,
    ],
    [
      'json_encode',
      hmac(passphrase, sent.replace('✓', '\\u2713').replace('a/b', 'a\\/b')).digest('hex'),
      passphrase,
      /json_encode/,
    ],
    ['the timestamp forgotten', hmac(passphrase, sent).digest('base64'), passphrase, /body alone|in base64/],
    [
      'a hash without key',
      createHash('sha256').update(sent).digest('hex'),
      passphrase,
      /without a key.*HMAC/,
    ],
    [
      'a hash of passphrase and body',
      createHash('sha256')
        .update(passphrase + sent)
        .digest('hex'),
      passphrase,
      /SHA-256 of passphrase and body/,
    ],
    [
      'two mistakes at once',
      hmac(passphrase, `${sent}\n`).digest('hex').toUpperCase(),
      passphrase,
      /line break at its end, in upper-case hex/,
    ],
  ];
  for (const [name, value, secret, said] of mistakes) {
    it(`is recognised: ${name}`, () => {
      const answer = ask({ computed: value, passphrase: secret });
      assert.equal(answer.ok, false);
      assert.match(answer.said, said);
    });
  }

  it('is said to be something else when it is', () => {
    assert.match(computed('00'.repeat(32)), /comes out of no usual mistake/);
  });
});
