import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { bankPayoutBody, mobilePayoutBody, newKey, pushBody } from '../support/gateway.ts';
import { assertShape, sentence } from '../support/shape.ts';
import { cli, openAccount, type RawAnswer, rawRequest, sharedGateway } from '../support/shared-gateway.ts';
import { until } from '../support/wait.ts';
import { openShop, type Shop } from './shop.ts';

const prefixes = ['/api/v1', '/v1', '/v1/api', '/api'];

describe('addresses, keys and the order of checks', function () {
  this.timeout(60_000);
  let gateway: Awaited<ReturnType<typeof sharedGateway>>;
  let shop: Shop;
  let paymentId: string;
  let payoutId: string;

  before(async () => {
    gateway = await sharedGateway();
    shop = await openShop({ balance: 1_000_000 });
    paymentId = (await shop.post('payments/ussd', pushBody())).json.transaction_id;
    payoutId = (await shop.post('payouts/bank', bankPayoutBody())).json.transaction_id;
    await Promise.all([shop.final(`payments/${paymentId}`), shop.final(`payouts/${payoutId}`)]);
  });

  type Headers = Record<string, string | string[]>;

  const call = (method: string, path: string, headers: Headers = {}, body?: string): Promise<RawAnswer> =>
    rawRequest(gateway, {
      method,
      path,
      headers: { authorization: `Bearer ${shop.apiKey}`, ...headers },
      ...(body === undefined ? {} : { body }),
    });

  function assertRefused(answer: RawAnswer, status: number, code: string, what = code): void {
    assert.equal(answer.status, status, `${what}: ${answer.text}`);
    const body = JSON.parse(answer.text);
    assert.equal(body.code, code, what);
    assertShape(body, {
      success: false,
      message: sentence,
      code,
      request_id: String(answer.headers['x-request-id']),
      retryable: [429, 500, 503].includes(status),
      docs: `${gateway.local.api_url}/docs/errors#${code}`,
      ...('errors' in body ? { errors: Array.isArray } : {}),
    });
    assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
    assert.equal(answer.headers['cache-control'], 'no-store');
  }

  it('every endpoint answers under each of the four prefixes, with and without a slash at the end', async () => {
    const reads = [
      'status',
      'balance',
      'transactions',
      'payouts/bank/list',
      'callbacks/settings',
      'openapi.json',
      `payments/${paymentId}`,
      `payouts/${payoutId}`,
      `payouts/check/${payoutId}`,
      `transactions/${paymentId}`,
      `transactions/${payoutId}/entries`,
    ];
    for (const path of reads) {
      const first = await call('GET', `/api/v1/${path}`);
      assert.equal(first.status, 200, `${path}: ${first.text}`);
      for (const prefix of prefixes) {
        for (const address of [`${prefix}/${path}`, `${prefix}/${path}/`]) {
          const answer = await call('GET', address);
          assert.equal(answer.status, 200, `${address}: ${answer.text}`);
          assert.equal(answer.text, first.text, address);
        }
      }
    }
    for (const prefix of prefixes) {
      const body = JSON.stringify(mobilePayoutBody());
      const preview = await call('POST', `${prefix}/payouts/mobile/preview`, {}, body);
      assert.equal(preview.status, 200, preview.text);
      const headers = { 'idempotency-key': newKey() };
      const push = await call('POST', `${prefix}/payments/ussd/`, headers, JSON.stringify(pushBody()));
      assert.equal(push.status, 200, push.text);
    }
  });

  it('one key is one payment whatever prefix it comes by', async () => {
    const key = newKey();
    const body = JSON.stringify(pushBody('711'));
    const answers: RawAnswer[] = [];
    for (const prefix of prefixes)
      answers.push(await call('POST', `${prefix}/payments/ussd`, { 'idempotency-key': key }, body));
    for (const answer of answers) assert.equal(answer.text, answers[0]?.text);
    assert.deepEqual(
      answers.map((answer) => answer.headers['idempotent-replayed']),
      [undefined, 'true', 'true', 'true'],
    );
  });

  it('HEAD answers what GET does, without a body', async () => {
    for (const path of ['status', 'balance', `payments/${paymentId}`, 'transactions?per_page=1']) {
      const [get, head] = [await call('GET', `/api/v1/${path}`), await call('HEAD', `/api/v1/${path}`)];
      assert.equal(head.status, get.status, path);
      assert.equal(head.text, '');
      assert.equal(head.headers['content-type'], get.headers['content-type']);
      assert.equal(head.headers['content-length'], get.headers['content-length']);
    }
    assert.equal((await call('HEAD', `/api/v1/payments/${randomUUID()}`)).status, 404);
  });

  it('an unknown address is 404, whoever asks', async () => {
    for (const path of [
      '/api',
      '/api/v1',
      '/api/v2/balance',
      '/balance',
      '/v1/v1/balance',
      '/api/v1/Balance',
      '/api/v1//balance',
      '/api/v1/payments',
      '/api/v1/payments/x/y/z',
      '/api/v1/%2e%2e/status',
      '/api/v1/%ff',
      '/api/v1/payments/%E0%A4%A',
    ]) {
      for (const authorization of [`Bearer ${shop.apiKey}`, '']) {
        const answer = await call('GET', path, { authorization });
        const isAnId = path.includes('payments/%');
        if (isAnId && answer.status === 401) continue;
        assertRefused(answer, 404, 'not_found', path);
      }
    }
  });

  it('a known address with another method is 405 and says which are allowed', async () => {
    const wrong: [string, string, string[]][] = [
      ['GET', 'payments/ussd', ['POST']],
      ['HEAD', 'payments/ussd', ['POST']],
      ['GET', 'payouts/bank', ['POST']],
      ['GET', 'payouts/mobile', ['POST']],
      ['GET', 'payouts/mobile/preview', ['POST']],
      ['DELETE', 'payments/ussd', ['POST']],
      ['POST', 'balance', ['GET', 'HEAD']],
      ['POST', 'payouts/bank/list', ['GET', 'HEAD']],
      ['PATCH', `payments/${paymentId}`, ['GET', 'HEAD']],
      ['DELETE', `payouts/${payoutId}`, ['GET', 'HEAD']],
      ['GET', `payouts/${payoutId}/cancel`, ['POST']],
      ['POST', 'callbacks/settings', ['GET', 'HEAD', 'PUT']],
      ['OPTIONS', 'balance', ['GET', 'HEAD']],
    ];
    for (const [method, path, allowed] of wrong) {
      for (const authorization of [`Bearer ${shop.apiKey}`, '']) {
        const answer = await call(method, `/api/v1/${path}`, { authorization });
        assert.equal(answer.status, 405, `${method} ${path}: ${answer.text}`);
        const allow = String(answer.headers.allow)
          .split(',')
          .map((name) => name.trim());
        assert.deepEqual(allow.sort(), allowed.sort(), `${method} ${path}`);
        if (method !== 'HEAD') assertRefused(answer, 405, 'method_not_allowed');
      }
    }
  });

  it('an id of the other kind, of another account, unknown or no id at all: 404, all alike', async () => {
    const stranger = await openAccount(gateway);
    const texts = new Map<string, Set<string>>();
    for (const [family, ids] of [
      ['payments', [payoutId, randomUUID(), 'nonsense', '0', `${paymentId}x`, '%20', '%00']],
      ['payouts', [paymentId, randomUUID(), 'nonsense', '0', `${payoutId}0`, "'%20or%201=1--"]],
      ['transactions', [randomUUID(), 'nonsense']],
    ] as const) {
      const messages = new Set<string>();
      for (const id of ids) {
        const answer = await call('GET', `/api/v1/${family}/${id}`);
        assertRefused(answer, 404, 'not_found', `${family}/${id}`);
        messages.add(JSON.parse(answer.text).message);
      }
      texts.set(family, messages);
    }
    const authorization = `Bearer ${stranger.apiKey}`;
    for (const path of [`payments/${paymentId}`, `payouts/${payoutId}`, `transactions/${paymentId}`]) {
      const answer = await call('GET', `/api/v1/${path}`, { authorization });
      assertRefused(answer, 404, 'not_found', path);
      texts.get(path.split('/')[0] ?? '')?.add(JSON.parse(answer.text).message);
    }
    for (const [family, messages] of texts) assert.equal(messages.size, 1, family);
    for (const path of [
      `payments/${paymentId}/cancel`,
      `payouts/${payoutId}/cancel`,
      `payments/${payoutId}/cancel`,
      'payouts/x/cancel',
    ])
      assertRefused(await call('POST', `/api/v1/${path}`, { authorization }), 404, 'not_found', path);
    assertRefused(
      await call('GET', `/api/v1/transactions/${paymentId}/entries`, { authorization }),
      404,
      'not_found',
    );
    const upper = await call('GET', `/api/v1/payments/${paymentId.toUpperCase()}`);
    assert.equal(upper.status, 200, 'a UUID is the same in capitals');
  });

  it('no key, another scheme and a malformed key are 401, and the message says which of them', async () => {
    const [scheme, environment, id] = shop.apiKey.split('_');
    const none = /^Send your API key/;
    const notBearer = /the word Bearer/;
    const noKey = /^This is no API key/;
    const bad: [authorization: string, says: RegExp][] = [
      ['', none],
      ['Bearer', notBearer],
      ['Bearer ', notBearer],
      [`Basic ${Buffer.from(`${shop.apiKey}:`).toString('base64')}`, notBearer],
      [shop.apiKey, notBearer],
      [`Bearer ${shop.apiKey}, Bearer ${shop.apiKey}`, notBearer],
      ['Bearer x', noKey],
      [`Bearer ${shop.apiKey}x`, noKey],
      [`Bearer ${shop.apiKey.slice(0, -1)}`, noKey],
      [`Bearer ${scheme}_${environment}_${id}_${'A'.repeat(43)}`, noKey],
      [`Bearer ${'k'.repeat(7_000)}`, noKey],
      ['Bearer \u00e9\u00e9\u00e9', noKey],
    ];
    for (const [authorization, says] of bad) {
      const answer = await call('GET', '/api/v1/balance', { authorization });
      assertRefused(answer, 401, 'unauthorized', authorization);
      assert.equal(answer.headers['www-authenticate'], 'Bearer');
      assert.match(JSON.parse(answer.text).message, says, authorization);
    }
    const lower = await call('GET', '/api/v1/balance', { authorization: `bearer ${shop.apiKey}` });
    assert.equal(lower.status, 200, 'the scheme has no case');
  });

  it('a revoked key is refused within 5 s', async () => {
    const { apiKey } = await openAccount(gateway);
    const authorization = `Bearer ${apiKey}`;
    assert.equal((await call('GET', '/api/v1/balance', { authorization })).status, 200);
    await cli(gateway, 'keys', 'revoke', apiKey.split('_')[2] ?? '', '--reason', 'r');
    await until(
      async () => (await call('GET', '/api/v1/balance', { authorization })).status === 401,
      'the key is refused',
    );
  });

  it('a key does only what its scopes say', async () => {
    const reader = await openAccount(gateway, { scopes: ['payments:read'] });
    const authorization = `Bearer ${reader.apiKey}`;
    const denied: [string, string, string][] = [
      ['POST', 'payments/ussd', 'payments:write'],
      ['POST', 'payouts/mobile', 'payouts:write'],
      ['POST', 'payouts/bank/preview', 'payouts:write'],
      ['POST', `payments/${paymentId}/cancel`, 'payments:write'],
      ['GET', `payouts/${payoutId}`, 'payouts:read'],
      ['GET', 'payouts/bank/list', 'payouts:read'],
      ['PUT', 'callbacks/settings', 'callbacks:write'],
    ];
    for (const [method, path, scope] of denied) {
      const answer = await call(method, `/api/v1/${path}`, { authorization }, method === 'GET' ? '' : '{');
      assertRefused(answer, 403, 'forbidden', `${method} ${path}`);
      assert.ok(JSON.parse(answer.text).message.includes(scope), answer.text);
    }
    assert.equal((await call('GET', '/api/v1/transactions', { authorization })).status, 200);
  });

  it('checks route, key, media type, JSON, Idempotency-Key, stored answer and fields, in this order', async () => {
    const path = '/api/v1/payments/ussd';
    const key = newKey();
    const used = await call('POST', path, { 'idempotency-key': key }, JSON.stringify(pushBody()));
    assert.equal(used.status, 200, used.text);
    const nothing = { authorization: '', 'content-type': 'text/plain', 'idempotency-key': 'a b' };
    const authorization = `Bearer ${shop.apiKey}`;
    assertRefused(await call('POST', '/api/v1/nowhere', nothing, '{'), 404, 'not_found');
    assertRefused(await call('PUT', path, nothing, '{'), 405, 'method_not_allowed');
    assertRefused(await call('POST', path, nothing, '{'), 401, 'unauthorized');
    const keyed = { ...nothing, authorization };
    assertRefused(await call('POST', path, keyed, '{'), 415, 'unsupported_media_type');
    const json = { ...keyed, 'content-type': 'application/json' };
    assertRefused(await call('POST', path, json, '{'), 400, 'invalid_json');
    assertRefused(await call('POST', path, json, '{}'), 400, 'idempotency_key_invalid');
    const reused = { ...json, 'idempotency-key': key };
    assertRefused(await call('POST', path, reused, '{}'), 422, 'idempotency_key_reused');
    const fresh = { ...json, 'idempotency-key': newKey() };
    assertRefused(await call('POST', path, fresh, '{}'), 422, 'validation_failed');
  });

  it("takes the caller's request id when it is sane, and makes one otherwise", async () => {
    const named = await call('GET', '/api/v1/balance', { 'x-request-id': 'order-1001.retry:2' });
    assert.equal(named.headers['x-request-id'], 'order-1001.retry:2');
    for (const insane of ['two words', 'x'.repeat(1_000), '<script>', '']) {
      const answer = await call('GET', '/api/v1/balance', { 'x-request-id': insane });
      assert.equal(answer.status, 200);
      assert.match(String(answer.headers['x-request-id']), /^[\w.:-]{8,64}$/);
    }
  });
});
