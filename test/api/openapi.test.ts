import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { openApiText } from '../../src/api/openapi.ts';
import { endpoints } from '../../src/api/routes.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { type Answer, freshKey, startTestApi, type TestApi } from './support/api.ts';

const push = { amount: 5000, currency: 'TZS', phone_number: '0754123456', metadata: { a: [1] } };
const bank = {
  amount: 400000,
  currency: 'TZS',
  account_number: '0150123456789',
  bic: 'CORUTZTZ',
  beneficiary: { full_name: 'Asha Juma' },
};

describe('the OpenAPI document', () => {
  let test: TestDatabase;
  let api: TestApi;
  // biome-ignore lint/suspicious/noExplicitAny: a JSON document, looked into by path
  let document: any;

  before(async () => {
    test = await createTestDatabase();
    api = await startTestApi({ database: test.database });
    document = (await api.call('GET', 'openapi.json', { key: null })).body;
  });
  after(async () => {
    await api.stop();
    await test.drop();
  });

  it('is served without a key and is the committed file', async () => {
    assert.equal(document.openapi, '3.1.0');
    assert.equal(
      await readFile(new URL('../../openapi.json', import.meta.url), 'utf8'),
      openApiText(endpoints),
    );
    assert.deepEqual(
      document.servers.map((server: { url: string }) => server.url),
      ['/api/v1', '/v1', '/v1/api', '/api'],
    );
  });

  it('describes what is answered: status, schema and headers', async () => {
    const ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    ajv.addSchema(document, 'document');
    const resolve = (node: { $ref?: string }) =>
      node.$ref === undefined
        ? node
        : node.$ref
            .slice(2)
            .split('/')
            .reduce((at, part) => at[part], document);
    const check = (method: string, path: string, answer: Answer) => {
      const at = `${method} ${path} ${answer.status}`;
      const declared = document.paths[path]?.[method.toLowerCase()]?.responses[answer.status];
      assert.ok(declared, `${at} is not described`);
      const response = resolve(declared);
      const { schema } = response.content['application/json'];
      const validate = ajv.compile(schema.$ref ? { $ref: `document${schema.$ref}` } : schema);
      assert.ok(validate(answer.body), `${at}: ${ajv.errorsText(validate.errors)}`);
      for (const name of [
        'x-request-id',
        'x-ignored-fields',
        'idempotent-replayed',
        'retry-after',
        'www-authenticate',
      ]) {
        if (answer.headers[name] === undefined) continue;
        const names = Object.keys(response.headers).map((header) => header.toLowerCase());
        assert.ok(names.includes(name), `${at}: header ${name}`);
      }
    };
    const call = async (method: string, path: string, sent: Parameters<TestApi['call']>[2] = {}, id = '') => {
      const answer = await api.call(method, path.slice(1).replace('{id}', id), sent);
      check(method, path, answer);
      return answer;
    };

    for (const path of [
      '/status',
      '/openapi.json',
      '/balance',
      '/transactions',
      '/payouts/bank/list',
      '/callbacks/settings',
    ]) {
      await call('GET', path);
    }
    await call('PUT', '/callbacks/settings', { body: { callback_url: 'https://shop.example/c', other: 1 } });
    for (const path of ['/payments/ussd', '/payouts/mobile', '/payouts/bank'] as const) {
      const body = path === '/payouts/bank' ? bank : push;
      const headers = freshKey();
      const created = await call('POST', path, { body, headers });
      await call('POST', path, { body: { ...body, other: 1 }, headers });
      await call('POST', path, { body: { ...body, amount: 7, other: 1 }, headers });
      for (const raw of ['', '{"other":1}', `"${'x'.repeat(70_000)}"`]) {
        await call('POST', path, { raw, headers: freshKey() });
      }
      await call('POST', path, { raw: '{}', headers: { 'content-type': 'text/plain' } });
      await call('POST', path, { body });
      await call('POST', path, { key: null });
      const id: string = created.body.transaction_id;
      const lookup = path === '/payments/ussd' ? '/payments/{id}' : '/payouts/{id}';
      for (const at of [lookup, '/transactions/{id}', '/transactions/{id}/entries'])
        await call('GET', at, {}, id);
      await call('POST', `${lookup}/cancel`, {}, id);
      await call('GET', lookup, {}, 'unknown');
    }
    await call('POST', '/payouts/mobile/preview', { body: push });
    await call('POST', '/payouts/bank/preview', { body: bank });
    await call('GET', '/transactions');
    await call('GET', '/payouts/bank/list');
    const mismatch = { ...push, preview_id: 'prv_0000000000000000' };
    await call('POST', '/payouts/mobile', { body: mismatch, headers: freshKey() });
  });
});
