import assert from 'node:assert/strict';
import { bankPayoutBody, type Json, mobilePayoutBody, newKey, pushBody } from '../support/gateway.ts';
import { type RawAnswer, rawRequest } from '../support/shared-gateway.ts';
import { openShop, type Shop } from './shop.ts';

type Refusal = [
  what: string,
  sent: string | Buffer | object,
  status: number,
  code: string,
  fields?: string[],
];

const push = (changes: object = {}) => ({ ...pushBody('911'), ...changes });
const mobile = (changes: object = {}) => ({ ...mobilePayoutBody('911'), ...changes });
const bank = (changes: object = {}) => ({ ...bankPayoutBody('911'), ...changes });
const nested = (depth: number) => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;

/** A push as text, with one member written by hand. */
const withText = (member: string) => `${JSON.stringify(push()).slice(0, -1)},${member}}`;

const badJson: Refusal[] = [
  ['nothing', '', 400, 'invalid_json'],
  ['white space', ' \r\n', 400, 'invalid_json'],
  ['half an object', '{"amount":5000', 400, 'invalid_json'],
  ['an array', '[]', 400, 'invalid_json'],
  ['a string', '"amount"', 400, 'invalid_json'],
  ['a number', '5000', 400, 'invalid_json'],
  ['null', 'null', 400, 'invalid_json'],
  ['two objects', '{}{}', 400, 'invalid_json'],
  ['a comma at the end', '{"amount":5000,}', 400, 'invalid_json'],
  ['a comment', '{/* */"amount":5000}', 400, 'invalid_json'],
  ['single quotes', "{'amount':5000}", 400, 'invalid_json'],
  ['NaN', withText('"x":NaN'), 400, 'invalid_json'],
  ['Infinity', withText('"x":Infinity'), 400, 'invalid_json'],
  ['a key twice', withText('"amount":5000'), 400, 'invalid_json'],
  ['a key twice, once escaped', withText('"\\u0061mount":5000'), 400, 'invalid_json'],
  ['a nested key twice', withText('"x":{"a":1,"a":2}'), 400, 'invalid_json'],
  ['__proto__', withText('"__proto__":{"amount":1}'), 400, 'invalid_json'],
  ['__proto__ in metadata', withText('"x":{"__proto__":1}'), 400, 'invalid_json'],
  ['an escaped NUL', withText('"x":"a\\u0000b"'), 400, 'invalid_json'],
  ['a NUL in a key', withText('"a\\u0000b":1'), 400, 'invalid_json'],
  ['a raw control character', withText('"x":"a\u0001b"'), 400, 'invalid_json'],
  ['a lone surrogate', withText('"x":"\\ud800"'), 400, 'invalid_json'],
  ['a lone low surrogate', withText('"x":"\\udc00 "'), 400, 'invalid_json'],
  ['not UTF-8', Buffer.from('{"x":"\xff\xfe"}', 'latin1'), 400, 'invalid_json'],
  ['UTF-16', Buffer.from('\ufeff{"amount":5000}', 'utf16le'), 400, 'invalid_json'],
  ['a number no double holds', withText('"x":9007199254740993'), 400, 'invalid_json'],
  ['a number beyond all doubles', withText('"x":1e400'), 400, 'invalid_json'],
  ['a fraction no double holds', withText('"x":0.12345678901234567890123'), 400, 'invalid_json'],
  ['nine levels', nested(9), 400, 'invalid_json'],
  ['ten thousand levels', nested(10_000), 400, 'invalid_json'],
  ['more than 64 KiB', withText(`"x":"${'x'.repeat(66_000)}"`), 413, 'payload_too_large'],
];

const badPushes: Refusal[] = [
  ['an empty object', {}, 422, 'validation_failed', ['amount', 'currency', 'phone_number']],
  ['an amount as text', push({ amount: '5000' }), 422, 'validation_failed', ['amount']],
  ['a fraction of a shilling', push({ amount: 5000.5 }), 422, 'validation_failed', ['amount']],
  ['zero', push({ amount: 0 }), 422, 'validation_failed', ['amount']],
  ['less than zero', push({ amount: -5000 }), 422, 'validation_failed', ['amount']],
  ['an amount of true', push({ amount: true }), 422, 'validation_failed', ['amount']],
  ['a list of amounts', push({ amount: [5000] }), 422, 'validation_failed', ['amount']],
  ['no amount but null', push({ amount: null }), 422, 'validation_failed', ['amount']],
  ['less than the minimum', push({ amount: 999 }), 422, 'amount_out_of_range', ['amount']],
  ['more than the cap', push({ amount: 10_000_001 }), 422, 'amount_out_of_range', ['amount']],
  ['far too much', push({ amount: 1e15 }), 422, 'amount_out_of_range', ['amount']],
  ['more than any ledger holds', withText('"x":1').replace('5000', '1e300'), 422, 'amount_out_of_range'],
  ['dollars', push({ currency: 'USD' }), 422, 'unsupported_currency', ['currency']],
  ['no currency of any country', push({ currency: 'TZ' }), 422, 'unsupported_currency', ['currency']],
  ['a number as phone number', push({ phone_number: 754123456 }), 422, 'validation_failed', ['phone_number']],
  ['too few digits', push({ phone_number: '075412345' }), 422, 'validation_failed', ['phone_number']],
  ['too many digits', push({ phone_number: '07541234567' }), 422, 'validation_failed', ['phone_number']],
  ['another country', push({ phone_number: '+254754123456' }), 422, 'validation_failed', ['phone_number']],
  ['a landline', push({ phone_number: '0222123456' }), 422, 'validation_failed', ['phone_number']],
  ['other digits', push({ phone_number: '\u0660\u0667541234' }), 422, 'validation_failed', ['phone_number']],
  ['SQL', push({ phone_number: "0754123456'; --" }), 422, 'validation_failed', ['phone_number']],
  [
    'an unknown network',
    push({ transaction_channel: 'X' }),
    422,
    'unsupported_network',
    ['transaction_channel'],
  ],
  ['a list of networks', push({ transaction_channel: ['M-PESA'] }), 422, 'validation_failed'],
  [
    'four items of metadata',
    push({ metadata: { a: 1, b: 2, c: 3, d: 4 } }),
    422,
    'validation_failed',
    ['metadata'],
  ],
  ['metadata as text', push({ metadata: 'x' }), 422, 'validation_failed', ['metadata']],
  ['metadata as a list', push({ metadata: ['x'] }), 422, 'validation_failed', ['metadata']],
  ['a value of 100 characters', push({ metadata: { a: 'x'.repeat(100) } }), 422, 'validation_failed'],
  ['a key of 100 characters', push({ metadata: { ['x'.repeat(100)]: 1 } }), 422, 'validation_failed'],
  ['a list of 100 characters', push({ metadata: { a: ['x'.repeat(96)] } }), 422, 'validation_failed'],
  [
    'all wrong',
    push({ amount: 'x', currency: 'EUR', phone_number: 1, metadata: 1 }),
    422,
    'validation_failed',
    ['amount', 'currency', 'metadata', 'phone_number'],
  ],
];

const badMobile: Refusal[] = [
  ['nothing at all', mobile({ amount: 0 }), 422, 'validation_failed', ['amount']],
  ['more than a mobile payout may be', mobile({ amount: 300_001 }), 422, 'amount_out_of_range', ['amount']],
  ['a preview that is a number', mobile({ preview_id: 5 }), 422, 'validation_failed', ['preview_id']],
  [
    'a preview that is very long',
    mobile({ preview_id: 'p'.repeat(5_000) }),
    422,
    'validation_failed',
    ['preview_id'],
  ],
];

const badBank: Refusal[] = [
  ['nothing', {}, 422, 'validation_failed', ['account_number', 'amount', 'beneficiary', 'bic', 'currency']],
  ['more than a bank payout may be', bank({ amount: 1_000_001 }), 422, 'amount_out_of_range', ['amount']],
  ['an unknown bank', bank({ bic: 'AAAATZTZ' }), 422, 'unknown_bank', ['bic']],
  ['a bank that is gone', bank({ bic: 'CNRBTZTZ' }), 422, 'unknown_bank', ['bic']],
  ['a BIC of seven characters', bank({ bic: 'CORUTZT' }), 422, 'unknown_bank', ['bic']],
  ['a BIC of nine characters', bank({ bic: 'CORUTZTZX' }), 422, 'unknown_bank', ['bic']],
  ['a BIC that is a number', bank({ bic: 5 }), 422, 'validation_failed', ['bic']],
  ['four digits', bank({ account_number: '1234' }), 422, 'validation_failed', ['account_number']],
  ['35 digits', bank({ account_number: '1'.repeat(35) }), 422, 'validation_failed', ['account_number']],
  [
    'an account with a slash',
    bank({ account_number: '0150/23456' }),
    422,
    'validation_failed',
    ['account_number'],
  ],
  [
    'an account that is a number',
    bank({ account_number: 150123456 }),
    422,
    'validation_failed',
    ['account_number'],
  ],
  ['no beneficiary but null', bank({ beneficiary: null }), 422, 'validation_failed', ['beneficiary']],
  ['a beneficiary as text', bank({ beneficiary: 'Asha' }), 422, 'validation_failed', ['beneficiary']],
  ['no name', bank({ beneficiary: {} }), 422, 'validation_failed', ['beneficiary.full_name']],
  [
    'an empty name',
    bank({ beneficiary: { full_name: '' } }),
    422,
    'validation_failed',
    ['beneficiary.full_name'],
  ],
  ['141 characters', bank({ beneficiary: { full_name: 'x'.repeat(141) } }), 422, 'validation_failed'],
  [
    'a telephone of six digits',
    bank({ beneficiary: { full_name: 'Asha', phone_number: '123456' } }),
    422,
    'validation_failed',
    ['beneficiary.phone_number'],
  ],
  [
    'two fields',
    bank({ amount: 'x', beneficiary: { full_name: 5 } }),
    422,
    'validation_failed',
    ['amount', 'beneficiary.full_name'],
  ],
];

const badQueries: [query: string, status: number, field?: string][] = [
  ['page=0', 422, 'page'],
  ['page=-1', 422, 'page'],
  ['page=1.5', 422, 'page'],
  ['page=one', 422, 'page'],
  ['page=', 422, 'page'],
  ['page=99999999999999999999', 422, 'page'],
  ['page=1&page=2', 422, 'page'],
  ['per_page=0', 422, 'per_page'],
  ['per_page=101', 422, 'per_page'],
  ['per_page=1e2', 422, 'per_page'],
  ['colour=blue', 422, 'colour'],
  ['status=lost', 422, 'status'],
  ['type=loan', 422, 'type'],
  ['mode=cash', 422, 'mode'],
  ['from=yesterday', 422, 'from'],
  ['to=2026-13-01T00:00:00Z', 422, 'to'],
  ['phone_number=12', 422, 'phone_number'],
  ['reference=%00', 422, 'reference'],
  ['%E0%A4%A=1', 422],
  ['metadata%5B%5D=x', 422],
  ['page[$gt]=1', 422],
];

describe('bad input is refused clearly and moves nothing', function () {
  this.timeout(60_000);
  let shop: Shop;

  before(async () => {
    shop = await openShop({ balance: 10_000_000 });
  });

  const send = (path: string, body: string | Buffer | object, headers: Record<string, string> = {}) =>
    rawRequest(shop.gateway, {
      method: 'POST',
      path: `/api/v1/${path}`,
      headers: { authorization: `Bearer ${shop.apiKey}`, 'idempotency-key': newKey(), ...headers },
      body: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
    });

  function assertRefused(answer: RawAnswer, status: number, code: string, fields?: string[]): void {
    assert.equal(answer.status, status, answer.text);
    const body: Json = JSON.parse(answer.text);
    assert.equal(body.code, code, answer.text);
    assert.equal(body.success, false);
    assert.equal(body.retryable, false);
    assert.match(body.message, /\S/);
    assert.equal(body.metadata, undefined);
    if (fields) assert.deepEqual(body.errors.map((error: Json) => error.field).sort(), fields);
  }

  for (const [path, refusals] of [
    ['payments/ussd', [...badJson, ...badPushes]],
    ['payouts/mobile', badMobile],
    ['payouts/bank', badBank],
    ['payouts/bank/preview', badBank],
  ] as const) {
    for (const [what, sent, status, code, fields] of refusals) {
      it(`POST ${path} with ${what} is ${status} ${code}`, async () => {
        assertRefused(await send(path, sent), status, code, fields);
      });
    }
  }

  for (const [query, status, field] of badQueries) {
    it(`GET transactions?${query} is ${status}`, async () => {
      const answer = await rawRequest(shop.gateway, {
        method: 'GET',
        path: `/api/v1/transactions?${query}`,
        headers: { authorization: `Bearer ${shop.apiKey}` },
      });
      assertRefused(answer, status, 'validation_failed', field === undefined ? undefined : [field]);
    });
  }

  it('reads any JSON media type or none as JSON, and nothing else', async () => {
    for (const type of ['application/json', 'application/json; charset=utf-8', 'APPLICATION/JSON', '']) {
      const answer = await send(
        'payouts/mobile/preview',
        mobile(),
        type === '' ? {} : { 'content-type': type },
      );
      assert.equal(answer.status, 200, `${type}: ${answer.text}`);
    }
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/xml', 'nonsense'])
      assertRefused(
        await send('payments/ussd', push(), { 'content-type': type }),
        415,
        'unsupported_media_type',
      );
    const accept = await send('payouts/mobile/preview', mobile(), { accept: 'text/html' });
    assert.equal(accept.headers['content-type'], 'application/json; charset=utf-8');
  });

  it('takes the widest that is allowed', async () => {
    const answers = [
      await send('payments/ussd', push({ amount: 1_000, metadata: { ['k'.repeat(99)]: 'v'.repeat(99) } })),
      await send('payments/ussd', push({ amount: 500, phone_number: '0784123911' })),
      await send('payments/ussd', push({ amount: 10_000_000, metadata: { a: '\ud83d\ude00'.repeat(99) } })),
      await send('payouts/mobile', mobile({ amount: 300_000 })),
      await send('payouts/mobile', mobile({ amount: 1 })),
      await send(
        'payouts/bank',
        bank({ amount: 1_000_000, bic: 'corutztzxxx', account_number: '0150-1234 56911' }),
      ),
      await send(
        'payouts/bank',
        bank({ beneficiary: { full_name: '\u00c5'.repeat(140), phone_number: '1234567' } }),
      ),
    ];
    for (const answer of answers) assert.equal(answer.status, 200, answer.text);
  });

  it('and after all that only what was allowed has happened', async () => {
    const { json } = await shop.get('transactions?per_page=100');
    assert.equal(json.pagination.total_items, 7);
    for (const item of json.data) {
      const family = item.type === 'payout' ? 'payouts' : 'payments';
      await shop.final(`${family}/${item.transaction_id}`);
    }
  });
});
