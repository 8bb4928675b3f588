import assert from 'node:assert/strict';
import { errorAnswer } from '../../src/api/answer-schemas.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { type Answer, startTestApi, type TestApi } from './support/api.ts';

const push = { amount: 5000, currency: 'TZS', phone_number: '0754123456' };
const bank = {
  amount: 400000,
  currency: 'TZS',
  account_number: '0150123456789',
  bic: 'CORUTZTZ',
  beneficiary: { full_name: 'Asha Juma' },
};

describe('what the API refuses, and how', () => {
  let test: TestDatabase;
  let api: TestApi;
  let count = 0;
  const fresh = () => {
    count += 1;
    return { 'idempotency-key': `key-${count}` };
  };
  const create = (path: string, body: unknown) => api.call('POST', path, { headers: fresh(), body });
  const raw = (text: string | Buffer, headers = {}) =>
    api.call('POST', 'payments/ussd', { headers: { ...fresh(), ...headers }, raw: text });

  before(async () => {
    test = await createTestDatabase();
    api = await startTestApi({ database: test.database });
  });
  after(async () => {
    await api.stop();
    await test.drop();
  });

  function assertRefused(answer: Answer, status: number, code: string, fields?: string[]): void {
    assert.equal(answer.status, status, answer.text);
    const body = errorAnswer.parse(answer.body);
    assert.equal(body.code, code, answer.text);
    assert.equal(body.request_id, answer.headers['x-request-id']);
    assert.equal(body.retryable, [429, 500, 503].includes(status));
    assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
    assert.equal(answer.headers['cache-control'], 'no-store');
    if (fields)
      assert.deepEqual(
        body.errors?.map((error) => error.field),
        fields,
      );
  }

  it('checks in the published order: route, key, scope, media type, size, JSON, Idempotency-Key, fields', async () => {
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
    assertRefused(await at('payments/ussd', { body: {}, headers: fresh() }), 422, 'validation_failed');
  });

  const keys: [name: string, header: string | undefined][] = [
    ['no header', undefined],
    ['another scheme', 'Basic abc'],
    ['no key', 'Bearer '],
    ['two keys', 'Bearer a b'],
    ['a key that was never ours', 'Bearer sk_test_x_y'],
    ['bytes outside ASCII', 'Bearer \u00e9'],
  ];
  for (const [name, header] of keys) {
    it(`answers 401 to ${name}`, async () => {
      const headers: Record<string, string> = header === undefined ? {} : { authorization: header };
      const answer = await api.call('GET', 'balance', { key: null, headers });
      assertRefused(answer, 401, 'unauthorized');
      assert.equal(answer.headers['www-authenticate'], 'Bearer');
    });
  }

  it('answers every published form of an address, and 404 or 405 to the rest', async () => {
    for (const path of ['/api/status', '/api/v1/status', '/v1/status', '/v1/api/status', '/api/v1/status/']) {
      assert.equal((await api.call('GET', path, { key: null })).status, 200, path);
    }
    const id = '09c97599-0ab0-5cb9-ad18-d6327c66ef03';
    for (const path of [`/api/payouts/check/${id}`, `/v1/payouts/${id}`, `/api/v1/payments/${id}/`]) {
      assert.match((await api.call('GET', path)).body.message, /There is no (payout|payment) with this id/);
    }
    for (const path of ['/', '/status', '/api', '/api/v1/Status', '/api/v2/status', '/api/v1//status']) {
      assertRefused(await api.call('GET', path), 404, 'not_found');
    }
    const notAllowed: [string, string, string][] = [
      ['GET', 'payouts/bank', 'POST'],
      ['DELETE', 'payments/ussd', 'POST'],
      ['POST', 'balance', 'GET, HEAD'],
      ['OPTIONS', 'callbacks/settings', 'GET, HEAD, PUT'],
      ['PATCH', `payouts/${id}/cancel`, 'POST'],
    ];
    for (const [method, path, allow] of notAllowed) {
      const answer = await api.call(method, path);
      assertRefused(answer, 405, 'method_not_allowed');
      assert.equal(answer.headers.allow, allow);
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

  const lookalikes = [
    '%',
    '%zz',
    '%00',
    'x',
    "' OR 1=1",
    '09c97599-0ab0-5cb9-ad18-d6327c66ef0',
    'é',
    '%F0%9F%98%80',
  ];
  for (const id of lookalikes) {
    it(`finds nothing under the id ${id}`, async () => {
      for (const path of [
        `payments/${id}`,
        `payouts/${id}`,
        `transactions/${id}`,
        `transactions/${id}/entries`,
      ]) {
        assertRefused(
          await api.call('GET', encodeURI(`/api/v1/${path}`).replaceAll('%25', '%')),
          404,
          'not_found',
        );
      }
      const cancel = encodeURI(`/api/v1/payments/${id}/cancel`).replaceAll('%25', '%');
      assertRefused(await api.call('POST', cancel), 404, 'not_found');
    });
  }

  const traps: [name: string, text: string | Buffer][] = [
    ['nothing', ''],
    ['white space', ' \n '],
    ['an array', '[]'],
    ['null', 'null'],
    ['a number', '1'],
    ['half an object', '{"amount":'],
    ['a comment', '{"amount":1}//'],
    ['a trailing comma', '{"amount":1,}'],
    ['a duplicate key', '{"amount":1,"amount":2}'],
    ['a duplicate key that is escaped', '{"amount":1,"\\u0061mount":2}'],
    ['a duplicate key deep inside', '{"metadata":{"a":[{"b":1,"b":1}]}}'],
    ['__proto__', '{"__proto__":{"amount":1}}'],
    ['__proto__ inside', '{"metadata":{"__proto__":1}}'],
    ['NUL', '{"metadata":{"a":"\\u0000"}}'],
    ['half a surrogate pair', '{"metadata":{"a":"\\ud83d"}}'],
    ['half a surrogate pair in a key', '{"metadata":{"\\udc00":1}}'],
    ['an integer that no double holds', '{"amount":9007199254740993}'],
    ['a fraction that no double holds', '{"metadata":{"a":0.12345678901234567890}}'],
    ['a number beyond all doubles', '{"amount":1e400}'],
    ['a number that would become zero', '{"metadata":{"a":1e-400}}'],
    ['nine levels', '{"metadata":{"a":[[[[[[[1]]]]]]]}}'],
    ['a tower of brackets', `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`],
    ['bytes that are no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ];
  for (const [name, text] of traps) {
    it(`refuses a body of ${name}`, async () => assertRefused(await raw(text), 400, 'invalid_json'));
  }

  it('takes eight levels, exact decimals and 64 KiB', async () => {
    const deep = JSON.stringify({ ...push, metadata: { a: [[[[[[0.1]]]]]] } });
    assert.equal((await raw(deep)).status, 200);
    const padded = (bytes: number) =>
      `${JSON.stringify(push)}${' '.repeat(bytes - JSON.stringify(push).length)}`;
    assert.equal((await raw(padded(64 * 1024))).status, 200);
    assertRefused(await raw(padded(64 * 1024 + 1)), 413, 'payload_too_large');
    const chunked = { 'transfer-encoding': 'chunked' };
    assertRefused(await raw(padded(200 * 1024), chunked), 413, 'payload_too_large');
  });

  const mediaTypes: [string, number][] = [
    ['application/json', 200],
    ['Application/JSON; charset=UTF-8', 200],
    ['application/json; charset=latin1', 415],
    ['application/problem+json', 415],
    ['application/x-www-form-urlencoded', 415],
    ['garbage', 415],
  ];
  for (const [type, status] of mediaTypes) {
    it(`answers ${status} to a body of ${type}`, async () => {
      const answer = await raw(JSON.stringify(push), { 'content-type': type });
      assert.equal(answer.status, status, answer.text);
    });
  }

  it('ignores media types where no body is read, and Accept everywhere', async () => {
    const headers = { 'content-type': 'text/plain', accept: 'text/html' };
    assert.equal((await api.call('GET', 'balance', { headers })).status, 200);
    assertRefused(await raw('{}', { 'content-encoding': 'gzip' }), 415, 'unsupported_media_type');
  });

  const idempotencyKeys: [name: string, value: string | string[], code: string | null][] = [
    ['empty', '', 'idempotency_key_missing'],
    ['with a space', 'a b', 'idempotency_key_invalid'],
    ['outside ASCII', 'caf\u00e9', 'idempotency_key_invalid'],
    ['of 256 characters', 'k'.repeat(256), 'idempotency_key_invalid'],
    ['sent twice', ['a', 'a'], 'idempotency_key_invalid'],
    ['of 255 characters', 'k'.repeat(255), null],
    ['of any visible ASCII', '!~/?#[]@', null],
  ];
  for (const [name, value, code] of idempotencyKeys) {
    it(`${code ? 'refuses' : 'takes'} an Idempotency-Key ${name}`, async () => {
      const answer = await api.call('POST', 'payments/ussd', {
        headers: { 'idempotency-key': value },
        body: push,
      });
      if (code) assertRefused(answer, 400, code);
      else assert.equal(answer.status, 200, answer.text);
    });
  }

  const wrong: [name: string, path: string, body: object, code: string, fields: string[]][] = [
    ['no fields', 'payments/ussd', {}, 'validation_failed', ['amount', 'currency', 'phone_number']],
    ['an amount as text', 'payments/ussd', { ...push, amount: '5000' }, 'validation_failed', ['amount']],
    ['a negative amount', 'payments/ussd', { ...push, amount: -1 }, 'validation_failed', ['amount']],
    ['half a shilling', 'payments/ussd', { ...push, amount: 1000.5 }, 'validation_failed', ['amount']],
    ['999 shillings', 'payments/ussd', { ...push, amount: 999 }, 'amount_out_of_range', ['amount']],
    [
      '10,000,001 shillings',
      'payments/ussd',
      { ...push, amount: 10_000_001 },
      'amount_out_of_range',
      ['amount'],
    ],
    ['1e21 shillings', 'payments/ussd', { ...push, amount: 1e21 }, 'amount_out_of_range', ['amount']],
    ['dollars', 'payments/ussd', { ...push, currency: 'USD' }, 'unsupported_currency', ['currency']],
    [
      'a landline',
      'payments/ussd',
      { ...push, phone_number: '0222123456' },
      'validation_failed',
      ['phone_number'],
    ],
    [
      'a number as a number',
      'payments/ussd',
      { ...push, phone_number: 754123456 },
      'validation_failed',
      ['phone_number'],
    ],
    [
      'a prefix nobody uses',
      'payments/ussd',
      { ...push, phone_number: '0600000000' },
      'unsupported_network',
      ['phone_number'],
    ],
    [
      'a network nobody knows',
      'payments/ussd',
      { ...push, transaction_channel: 'NOKIA' },
      'unsupported_network',
      ['transaction_channel'],
    ],
    [
      'four items',
      'payments/ussd',
      { ...push, metadata: { a: 1, b: 2, c: 3, d: 4 } },
      'validation_failed',
      ['metadata'],
    ],
    [
      'a long item',
      'payments/ussd',
      { ...push, metadata: { a: 'x'.repeat(100) } },
      'validation_failed',
      ['metadata.a'],
    ],
    ['a list as metadata', 'payments/ussd', { ...push, metadata: [] }, 'validation_failed', ['metadata']],
    ['300,001 out', 'payouts/mobile', { ...push, amount: 300_001 }, 'amount_out_of_range', ['amount']],
    [
      '1,000,001 to a bank',
      'payouts/bank',
      { ...bank, amount: 1_000_001 },
      'amount_out_of_range',
      ['amount'],
    ],
    ['a bank nobody knows', 'payouts/bank', { ...bank, bic: 'SBICTZTZ' }, 'unknown_bank', ['bic']],
    ['no name', 'payouts/bank', { ...bank, beneficiary: {} }, 'validation_failed', ['beneficiary.full_name']],
    ['no beneficiary', 'payouts/bank', { ...bank, beneficiary: null }, 'validation_failed', ['beneficiary']],
    [
      'a name as beneficiary',
      'payouts/bank',
      { ...bank, beneficiary: 'A' },
      'validation_failed',
      ['beneficiary'],
    ],
    [
      'an account of 4',
      'payouts/bank',
      { ...bank, account_number: '1234' },
      'validation_failed',
      ['account_number'],
    ],
    [
      'several kinds of wrong at once',
      'payouts/bank/preview',
      { ...bank, amount: 2_000_000, bic: 'NLCBTZTZ', beneficiary: { full_name: ' ' } },
      'validation_failed',
      ['bic', 'beneficiary.full_name', 'amount'],
    ],
  ];
  for (const [name, path, body, code, fields] of wrong) {
    it(`answers 422 to ${name} at ${path}`, async () =>
      assertRefused(await create(path, body), 422, code, fields));
  }

  it('says what to do in the published words', async () => {
    const message = async (path: string, body: object) => (await create(path, body)).body.message;
    assert.equal(
      await message('payouts/mobile', { ...push, amount: 300_001 }),
      'A mobile payout is at most 300,000 TZS',
    );
    assert.equal(
      await message('payments/ussd', { ...push, metadata: { a: 1, b: 2, c: 3, d: 4 } }),
      'metadata has 4 items; at most 3 are allowed',
    );
    assert.equal(
      await message('payouts/bank', { ...bank, amount: 0, beneficiary: {} }),
      '2 fields need correcting: amount, beneficiary.full_name',
    );
  });

  it('takes the limits themselves', async () => {
    assert.equal((await create('payments/ussd', { ...push, amount: 1000 })).status, 200);
    assert.equal(
      (await create('payments/ussd', { ...push, amount: 500, phone_number: '0684123456' })).status,
      200,
    );
    assert.equal((await create('payouts/mobile/preview', { ...push, amount: 300_000 })).status, 200);
    assert.equal((await create('payouts/mobile/preview', { ...push, amount: 1 })).status, 200);
    assert.equal((await create('payouts/bank/preview', { ...bank, amount: 1_000_000 })).status, 200);
  });

  it('names ignored fields at every level, safely', async () => {
    const body = {
      ...bank,
      'naïve\r\nX: y': 1,
      beneficiary: { full_name: 'A', nick: 1 },
      metadata: { anything: 1 },
    };
    const answer = await create('payouts/bank/preview', body);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers['x-ignored-fields'], 'beneficiary.nick, na%C3%AFve%0D%0AX%3A%20y');
  });

  it('is opaque about what it did not expect', async () => {
    await test.database.query('ALTER TABLE ledger_accounts RENAME TO hidden');
    const answer = await api.call('GET', 'balance');
    await test.database.query('ALTER TABLE hidden RENAME TO ledger_accounts');
    assertRefused(answer, 500, 'internal_error');
    assert.doesNotMatch(answer.text, /ledger|relation/);
  });
});
