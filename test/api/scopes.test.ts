import assert from 'node:assert/strict';
import { newKey, newKeyId } from '../../src/accounts/key-format.ts';
import { type Scope, scopes } from '../../src/accounts/keys.ts';
import { type Answer, assertRefused } from './support/api.ts';
import { callOperation, guarded, operations, whole } from './support/operations.ts';
import { useTestApi } from './support/use-api.ts';

describe('who may do what', () => {
  const { api } = useTestApi();
  const keyOf = new Map<Scope | 'none', string>();

  before(async () => {
    keyOf.set('none', (await api.createKey({ scopes: [] })).apiKey);
    for (const scope of scopes) keyOf.set(scope, (await api.createKey({ scopes: [scope] })).apiKey);
  });

  it('needs a key for everything but the health check, the document and its page', () => {
    const open = operations.filter((operation) => !guarded.includes(operation)).map(({ name }) => name);
    const known = ['getStatus', 'getOpenApi', 'getDocs'];
    assert.deepEqual(
      open.filter((name) => !known.includes(name)),
      [],
    );
    assert.ok(guarded.length >= 15, `${guarded.length}`);
  });

  it('needs to write for whatever is not GET, and to read for what is, of payments, payouts or callbacks', () => {
    const known: readonly string[] = scopes;
    for (const { name, endpoint } of guarded) {
      const [family = ''] = endpoint.paths[0].split('/');
      const all = ['payments', 'payouts', 'callbacks'];
      // A refund is money that goes out, whatever its address begins with.
      const families =
        name === 'refundPayment' ? ['payouts'] : all.includes(family) ? [family] : ['payments', 'payouts'];
      const verb = endpoint.method === 'GET' && family !== 'callbacks' ? 'read' : 'write';
      // Which networks work is of use to whoever pays or is paid over them.
      const verbs = name === 'getNetworks' ? ['read', 'write'] : [verb];
      const some = verbs.flatMap((each) => families.map((one) => `${one}:${each}`));
      // Saying yes to a batch is a scope of its own, and whoever has it may stop the batch, too.
      const approves = ['payouts:approve', ...(/^(pause|cancel)Batch$/.test(name) ? some : [])];
      const isApproved = /^(start|resume|pause|cancel)Batch$/.test(name);
      const expected = name === 'getFees' ? known : isApproved ? approves : some;
      assert.deepEqual(endpoint.scopes, expected, name);
      for (const scope of expected) assert.ok(known.includes(scope), scope);
    }
  });

  for (const operation of guarded) {
    const { name, endpoint } = operation;
    const needed = endpoint.scopes ?? [];
    const { everyScope } = endpoint;
    it(`${name} is for ${needed.join(everyScope ? ' and ' : ' or ')} alone`, async () => {
      assert.ok(needed.length > 0);
      for (const path of endpoint.paths) {
        assertRefused(await callOperation(api, operation, { path, key: null }), 401, 'unauthorized');
        for (const [scope, key] of keyOf) {
          const answer = await callOperation(api, operation, { path, key });
          const lacking = needed.filter((one) => one !== scope);
          const isEnough = everyScope ? lacking.length === 0 : lacking.length < needed.length;
          if (isEnough) {
            const beyond = answer.status < 500 && ![401, 403, 405].includes(answer.status);
            assert.ok(beyond, `${scope}: ${answer.text}`);
          } else {
            assertRefused(answer, 403, 'forbidden');
            const named = everyScope ? lacking.join(' and ') : needed.join(' or ');
            assert.equal(answer.body.message, `This API key lacks the scope ${named}`);
          }
        }
      }
    });
  }
});

describe('a key that is not valid', () => {
  const { api } = useTestApi();

  const ask = (headers: Record<string, string>) =>
    api.call('GET', 'balance', { key: null, headers: { 'x-request-id': 'same', ...headers } });
  const askWith = (key: string) => ask({ authorization: `Bearer ${key}` });

  it('is refused alike whether or not it once was one, and never with any of its text', async () => {
    const { createKey, keys } = api;
    const revoked = await createKey();
    await keys.revokeKey({ keyId: revoked.id, actor: 'test' });
    const rotated = await createKey();
    await keys.rotateKey({ keyId: rotated.id, actor: 'test' });
    await keys.rotateKey({ keyId: rotated.id, actor: 'test' });
    const wrong: Record<string, string> = {
      'of nobody': newKey('sk_test', newKeyId()),
      'with another secret': newKey('sk_test', api.keyId),
      'of another environment': newKey('sk_live', newKeyId()),
      mistyped: `${api.apiKey.slice(0, -1)}${api.apiKey.endsWith('0') ? '1' : '0'}`,
      expired: (await createKey({ expiresAt: '2020-01-01T00:00:00Z' })).apiKey,
      revoked: revoked.apiKey,
      'rotated away': rotated.apiKey,
      'from another address': (await createKey({ allowedIps: ['192.0.2.0/24'] })).apiKey,
      'very long': 'k'.repeat(8_000),
    };
    const said = async (answer: Promise<Answer>) => {
      const { body, headers } = await answer;
      assertRefused(await answer, 401, 'unauthorized');
      assert.equal(headers['www-authenticate'], 'Bearer');
      return body.message;
    };
    // Said apart is only what the caller can see: a key that once was one is refused as one that never was.
    const alike = /^This API key is not accepted/;
    const apart: Record<string, RegExp> = {
      'of another environment': /^This is a live key/,
      mistyped: /^This is no API key/,
      'very long': /^This is no API key/,
    };
    const ofNobody = await askWith(wrong['of nobody'] ?? '');
    for (const [what, key] of Object.entries(wrong)) {
      assert.match(await said(askWith(key)), apart[what] ?? alike, what);
      const answer = await askWith(key);
      if (!apart[what]) assert.deepEqual(whole(answer), whole(ofNobody), what);
      assert.ok(!answer.text.includes(key.slice(-20)));
    }
    assert.match(await said(ask({})), /^Send your API key/);
    for (const scheme of ['Basic', 'Digest', 'Bearer', '']) {
      const header = scheme === 'Bearer' ? scheme : `${scheme} ${api.apiKey}`;
      assert.match(await said(ask({ authorization: header })), /the word Bearer/, scheme);
    }
    for (const odd of ['', 'a b', '\u00e9']) await said(askWith(odd));
    assert.equal((await askWith(api.apiKey)).status, 200, 'and the valid one is let in');
  });

  it('may be the older of two while a merchant changes over', async () => {
    const first = await api.createKey();
    const second = await api.keys.rotateKey({ keyId: first.id, actor: 'test' });
    for (const key of [first.apiKey, second.apiKey]) assert.equal((await askWith(key)).status, 200);
  });

  it('is refused from the moment of its revocation, also in the middle of a connection', async () => {
    const { id, apiKey } = await api.createKey();
    assert.equal((await askWith(apiKey)).status, 200);
    await api.keys.revokeKey({ keyId: id, actor: 'test' });
    assertRefused(await askWith(apiKey), 401, 'unauthorized');
  });
});
