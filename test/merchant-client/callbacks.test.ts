import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { CallbackError, hasServiceSignature, readCallback } from '../../clients/typescript/src/index.ts';
import { signatureHeaders } from '../../src/callbacks/sign.ts';

const sentAtMs = 1_795_162_560_000;
const eventId = 'evt_cb17153c834e5bb197ec6e9dc52ab9fe';
const body = JSON.stringify({
  event: 'payment.received',
  event_id: eventId,
  metadata: { jina: 'Zuhura ✓ é' },
});
const whsec = `whsec_${Buffer.alloc(32, 0xa5).toString('base64')}`;
const other = 'another passphrase of ours';

/** As Node names the headers of a request. */
function headersOf(passphrases: readonly string[]): Record<string, string> {
  const made = signatureHeaders({ eventId, body, passphrases, sentAtMs });
  return Object.fromEntries(Object.entries(made).map(([name, value]) => [name.toLowerCase(), value]));
}

describe("the TypeScript client's check of callbacks", () => {
  for (const passphrase of ['correct horse battery staple', 'nenosiri-é-✓ la duka letu', whsec])
    describe(`with ${passphrase.slice(0, 12)}…`, () => {
      const headers = headersOf([passphrase]);
      const right = { body, headers, passphrase, now: sentAtMs };

      it('reads what we sign, as bytes and as text, from either kind of headers', () => {
        assert.equal(readCallback(right).event, 'payment.received');
        assert.deepEqual(readCallback({ ...right, body: Buffer.from(body) }), JSON.parse(body));
        assert.equal(readCallback({ ...right, headers: new Headers(headers) }).event_id, eventId);
        assert.ok(hasServiceSignature(body, headers['service-signature'], passphrase));
        assert.ok(hasServiceSignature(Buffer.from(body), headers['service-signature'], passphrase));
      });

      it('refuses another body, passphrase, id, time and signature', () => {
        const wrong = [
          { ...right, body: body.replace('payment', 'payOut!') },
          { ...right, body: JSON.stringify(JSON.parse(body), null, 1) },
          { ...right, passphrase: other },
          ...['webhook-id', 'webhook-timestamp', 'webhook-signature'].flatMap((name) => [
            { ...right, headers: { ...headers, [name]: `${headers[name]}1` } },
            { ...right, headers: { ...headers, [name]: '' } },
            { ...right, headers: { ...headers, [name]: undefined } },
            { ...right, headers: { ...headers, [name]: ['a', 'b'] } },
          ]),
          { ...right, headers: { ...headers, 'webhook-timestamp': 'soon' } },
          { ...right, headers: { ...headers, 'webhook-signature': `v1a,${headers['webhook-signature']}` } },
        ];
        for (const callback of wrong) assert.throws(() => readCallback(callback), CallbackError);
        for (const signature of [undefined, null, '', `${headers['service-signature']}0`, 'f'.repeat(64)])
          assert.equal(hasServiceSignature(body, signature, passphrase), false);
        assert.equal(hasServiceSignature(`${body}\n`, headers['service-signature'], passphrase), false);
      });

      it('refuses what is older or newer than the tolerance', () => {
        for (const seconds of [-300, 300])
          assert.ok(readCallback({ ...right, now: sentAtMs + seconds * 1_000 }));
        for (const seconds of [-301, 301])
          assert.throws(() => readCallback({ ...right, now: sentAtMs + seconds * 1_000 }), CallbackError);
        assert.ok(readCallback({ ...right, now: sentAtMs + 3_600_000, toleranceSeconds: 3_600 }));
        assert.throws(() => readCallback({ body, headers, passphrase }), CallbackError);
      });
    });

  it('goes on during a change of the passphrase, with the old one, the new one, or both', () => {
    const changing = { body, headers: headersOf([other, whsec]), now: sentAtMs };
    for (const passphrase of [other, whsec, [whsec, other], ['a third one of somebody', whsec]])
      assert.ok(readCallback({ ...changing, passphrase }));
    assert.ok(readCallback({ ...changing, headers: headersOf([other]), passphrase: [whsec, other] }));
    assert.throws(() => readCallback({ ...changing, passphrase: [] }), CallbackError);
  });

  it('takes no empty passphrase, as a variable that is not set may be', () => {
    const forged = { body, headers: headersOf(['']), now: sentAtMs };
    assert.throws(() => readCallback({ ...forged, passphrase: '' }), TypeError);
    assert.throws(() => hasServiceSignature(body, headersOf([''])['service-signature'], ''), TypeError);
  });

  it('reads the test vector of the documentation', () => {
    const page = readFileSync(new URL('../../docs/callbacks.md', import.meta.url), 'utf8');
    const vector = /^```json\n(.*)\n```$/m.exec(page)?.[1] ?? '';
    const [, arrived = ''] = /^```http\n(.*?)^```$/ms.exec(page) ?? [];
    const headers = Object.fromEntries(
      [...arrived.matchAll(/^([\w-]+): (.*)$/gm)].map(([, name, value]) => [
        String(name).toLowerCase(),
        value,
      ]),
    );
    const passphrase = 'correct horse battery staple';
    const callback = { body: vector, headers, passphrase, now: Number(headers['webhook-timestamp']) * 1_000 };
    assert.equal(readCallback(callback).event_id, headers['webhook-id']);
    assert.ok(hasServiceSignature(vector, headers['service-signature'], passphrase));
  });
});
