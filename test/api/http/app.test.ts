import assert from 'node:assert/strict';
import { assertRefused, freshKey, type TestApi } from '../support/api.ts';
import { push } from '../support/bodies.ts';
import { useTestApi } from '../support/use-api.ts';

describe('routes, keys and the order of checks', () => {
  const { api, test } = useTestApi();

  it('checks in the published order: route, key, scope, media type, size, JSON, Idempotency-Key, stored answer, fields', async () => {
    const { apiKey: reader } = await api.createKey({ scopes: ['payments:read'] });
    const text = { 'content-type': 'text/plain' };
    const huge = `"${'x'.repeat(70_000)}"`;
    const at = (path: string, sent: Parameters<TestApi['call']>[2]) => api.call('POST', path, sent);
    assertRefused(await at('nowhere', { key: null, raw: huge, headers: text }), 404, 'not_found');
    assertRefused(await at('payments/ussd', { key: null, raw: huge, headers: text }), 401, 'unauthorized');
    assertRefused(await at('payments/ussd', { key: reader, raw: huge, headers: text }), 403, 'forbidden');
    assertRefused(await at('payments/ussd', { raw: huge, headers: text }), 415, 'unsupported_media_type');
    assertRefused(await at('payments/ussd', { raw: huge }), 413, 'payload_too_large');
    assertRefused(await at('payments/ussd', { raw: '[1' }), 400, 'invalid_json');
    assertRefused(await at('payments/ussd', { body: {} }), 400, 'idempotency_key_missing');
    const used = freshKey();
    assert.equal((await at('payments/ussd', { body: push, headers: used })).status, 200);
    assertRefused(await at('payments/ussd', { body: {}, headers: used }), 422, 'idempotency_key_reused');
    assertRefused(await at('payments/ussd', { body: {}, headers: freshKey() }), 422, 'validation_failed');
  });

  it('answers every published form of an address, and 404 or 405 to the rest', async () => {
    for (const path of ['/api/status', '/api/v1/status', '/v1/status', '/v1/api/status', '/api/v1/status/'])
      assert.equal((await api.call('GET', path, { key: null })).status, 200, path);
    const id = '09c97599-0ab0-5cb9-ad18-d6327c66ef03';
    for (const path of [`/api/payouts/check/${id}`, `/v1/payouts/${id}`, `/api/v1/payments/${id}/`])
      assert.match((await api.call('GET', path)).body.message, /There is no (payout|payment) with this id/);
    const unknown = ['/status', '/api', '/api/v1', '/api/v1/Status', '/api/v2/status', '/api/v1//status'];
    unknown.push('/v1/v1/balance', '/api/v1/payments', '/api/v1/payments/x/y/z', '/api/v1/%2e%2e/status');
    for (const path of unknown) {
      assertRefused(await api.call('GET', path), 404, 'not_found');
      assertRefused(await api.call('GET', path, { key: null }), 404, 'not_found');
    }
    const notAllowed: [string, string, string][] = [
      ['GET', 'payouts/bank', 'POST'],
      ['DELETE', 'payments/ussd', 'POST'],
      ['POST', 'balance', 'GET, HEAD'],
      ['POST', 'payouts/bank/list', 'GET, HEAD'],
      ['DELETE', `payouts/${id}`, 'GET, HEAD'],
      ['OPTIONS', 'callbacks/settings', 'GET, HEAD, PUT'],
      ['PATCH', `payouts/${id}/cancel`, 'POST'],
    ];
    for (const [method, path, allow] of notAllowed) {
      const answer = await api.call(method, path);
      assertRefused(answer, 405, 'method_not_allowed');
      assert.equal(answer.headers.allow, allow);
    }
  });

  const prefixes = ['/api/v1', '/v1', '/v1/api', '/api'];
  it('answers every read alike under each of the four prefixes', async () => {
    for (const path of [
      'balance',
      'transactions',
      'payouts/bank/list',
      'callbacks/settings',
      'openapi.json',
    ]) {
      const answers = await Promise.all(prefixes.map((prefix) => api.call('GET', `${prefix}/${path}`)));
      assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200], path);
      assert.equal(new Set(answers.map(({ text }) => text)).size, 1, path);
    }
  });

  it('makes one payment of one key, whatever prefix it comes by', async () => {
    const headers = freshKey();
    const by = (prefix: string) => api.call('POST', `${prefix}/payments/ussd`, { headers, body: push });
    const first = await by('/api');
    assert.equal(first.status, 200, first.text);
    for (const prefix of prefixes) {
      const again = await by(prefix);
      assert.deepEqual([again.text, again.headers['idempotent-replayed']], [first.text, 'true']);
    }
  });

  it('answers HEAD like GET, without the body', async () => {
    const get = await api.call('GET', 'balance');
    const head = await api.call('HEAD', 'balance');
    assert.equal(head.status, 200);
    assert.equal(head.text, '');
    assert.equal(head.headers['content-length'], get.headers['content-length']);
    assert.equal((await api.call('HEAD', 'payments/ussd')).status, 405);
  });

  it("keeps the caller's request id when it is sane, else makes one", async () => {
    const own = await api.call('GET', 'balance', { headers: { 'x-request-id': 'abc-1.2:3_4' } });
    assert.equal(own.headers['x-request-id'], 'abc-1.2:3_4');
    for (const bad of ['', 'a b', 'x'.repeat(65), '<script>']) {
      const answer = await api.call('GET', 'balance', { headers: { 'x-request-id': bad } });
      assert.match(String(answer.headers['x-request-id']), /^req_[0-9a-f]{16}$/);
    }
  });

  it('is opaque about what it did not expect', async () => {
    await test.database.query(`ALTER TABLE ledger_accounts RENAME TO hidden;
      CREATE VIEW ledger_accounts AS SELECT * FROM hidden WHERE 1 / (balance - balance) = 1;
      GRANT SELECT ON ledger_accounts TO PUBLIC`);
    const answer = await api.call('GET', 'balance');
    await test.database.query('DROP VIEW ledger_accounts; ALTER TABLE hidden RENAME TO ledger_accounts');
    assertRefused(answer, 500, 'internal_error');
    assert.doesNotMatch(answer.text, /ledger|division/);
  });
});
