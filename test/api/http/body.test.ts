import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { calls } from '../../../src/api/routes.ts';
import { valuesFor } from '../../../src/platform/http/json.ts';
import { assertRefused, freshKey } from '../support/api.ts';
import { push } from '../support/bodies.ts';
import { useTestApi } from '../support/use-api.ts';

describe('bodies and Idempotency-Key headers', () => {
  const { api } = useTestApi();

  const raw = (text: string | Buffer, headers = {}) =>
    api.call('POST', 'payments/ussd', { headers: { ...freshKey(), ...headers }, raw: text });

  const traps: [name: string, text: string | Buffer][] = [
    ['nothing', ''],
    ['white space', ' \n '],
    ['an array', '[]'],
    ['null', 'null'],
    ['a number', '1'],
    ['a string', '"amount"'],
    ['two objects', '{}{}'],
    ['NaN', '{"metadata":{"a":NaN}}'],
    ['Infinity', '{"metadata":{"a":Infinity}}'],
    ['half an object', '{"amount":'],
    ['a comment', '{"amount":1}//'],
    ['a trailing comma', '{"amount":1,}'],
    ['a duplicate key', '{"amount":1,"amount":2}'],
    ['a duplicate key that is escaped', '{"amount":1,"\\u0061mount":2}'],
    ['a duplicate key deep inside', '{"metadata":{"a":[{"b":1,"b":1}]}}'],
    ['__proto__', '{"__proto__":{"amount":1}}'],
    ['__proto__ inside', '{"metadata":{"__proto__":1}}'],
    ['NUL', '{"metadata":{"a":"\\u0000"}}'],
    ['NUL in a key', '{"a\\u0000b":1}'],
    ['a raw control character', '{"metadata":{"a":"a\u0001b"}}'],
    ['UTF-16', Buffer.from('\ufeff{"amount":5000}', 'utf16le')],
    ['half a surrogate pair', '{"metadata":{"a":"\\ud83d"}}'],
    ['half a surrogate pair in a key', '{"metadata":{"\\udc00":1}}'],
    ['an integer that no double holds', '{"amount":9007199254740993}'],
    ['a fraction that no double holds', '{"metadata":{"a":0.12345678901234567890}}'],
    ['a number beyond all doubles', '{"amount":1e400}'],
    ['a number that would become zero', '{"metadata":{"a":1e-400}}'],
    ['a large integer beside what a double holds', '{"metadata":{"a":39043479827908145}}'],
    [
      'a number that is stored as it was sent, and is all zeros',
      `{"metadata":{"a":1.${'0'.repeat(60_000)}}}`,
    ],
    ['nine levels', '{"metadata":{"a":[[[[[[[1]]]]]]]}}'],
    ['a tower of brackets', `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`],
    ['bytes that are no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ];
  for (const [name, text] of traps)
    it(`refuses a body of ${name}`, async () => assertRefused(await raw(text), 400, 'invalid_json'));

  const faults: [text: string, line: number, column: number][] = [
    ['{"amount":', 1, 11],
    ['{"amount":1,}', 1, 13],
    ['{\n  "amount": 1\n  "currency": "TZS"\n}', 3, 3],
    ['{"note":"\u{1f600}",}', 1, 13],
    ['{"amount":1}//', 1, 13],
    ["{'amount':1}", 1, 2],
  ];
  for (const [text, line, column] of faults) {
    it(`says where ${JSON.stringify(text)} is wrong`, async () => {
      const { body } = await raw(text);
      assert.equal(body.message, `The body is not valid JSON at line ${line}, column ${column}`);
    });
  }

  it('takes eight levels, exact decimals and 64 KiB', async () => {
    const deep = JSON.stringify({ ...push, metadata: { a: [[[[[[0.1]]]]]], b: 1e22 } });
    assert.equal((await raw(deep)).status, 200);
    const large = JSON.stringify({ ...push, metadata: {} }).replace('{}', '{"a":39043479827908144}');
    assert.ok((await raw(large)).text.endsWith('"metadata":{"a":39043479827908144}}'));
    const padded = (bytes: number) =>
      `${JSON.stringify(push)}${' '.repeat(bytes - JSON.stringify(push).length)}`;
    assert.equal((await raw(padded(64 * 1024))).status, 200);
    assertRefused(await raw(padded(64 * 1024 + 1)), 413, 'payload_too_large');
    const chunked = { 'transfer-encoding': 'chunked' };
    assertRefused(await raw(padded(200 * 1024), chunked), 413, 'payload_too_large');
  });

  const routes = Object.entries(calls).flatMap(([name, { body, method, paths, rowsMax }]) =>
    body
      ? [{ name, method, path: paths[0].replace(/\{\w+\}/, randomUUID()), valuesMax: valuesFor(rowsMax) }]
      : [],
  );
  for (const { name, method, path, valuesMax } of routes)
    it(`counts the values of a body before it reads them: ${name}`, async () => {
      const send = (text: string) => api.call(method, path, { headers: freshKey(), raw: text });
      // The object and its list are two, and a metadata is one whatever is in it.
      const of = (values: number) => `{"metadata":{"a":[1,1,1,1]},"nothing":[${'1,'.repeat(values - 4)}1]}`;
      if (valuesMax < 100_000) assert.notEqual((await send(of(valuesMax))).body.code, 'too_many_values');
      assertRefused(await send(of(valuesMax + 1)), 422, 'too_many_values');
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

  const idempotencyKeys: [name: string, value: string | string[], code: string | null][] = [
    ['empty', '', 'idempotency_key_missing'],
    ['of nothing between quotes', '""', 'idempotency_key_invalid'],
    ['with a space', 'a b', 'idempotency_key_invalid'],
    ['undefined', 'undefined', 'idempotency_key_invalid'],
    ['null between quotes', '"null"', 'idempotency_key_invalid'],
    ['NaN', 'NaN', 'idempotency_key_invalid'],
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
});
