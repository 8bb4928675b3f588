import assert from 'node:assert/strict';
import { push } from './support/bodies.ts';
import { useTestApi } from './support/use-api.ts';

const bank = { amount: 5000, currency: 'TZS', account_number: '0150123456789', bic: 'NMIBTZTZ' };
const ID = '09c97599-0ab0-5cb9-ad18-d6327c66ef03';

type Sent = { method?: string; body?: object; headers?: object; key?: string | null };
const { phone_number: phone, ...pushOfNobody } = push;
const { account_number: accountNumber, ...bankOfNobody } = bank;
const beneficiary = { full_name: 'Asha' };

/** What somebody sends who has not read the documentation, and what the answer says that mends it. */
const mistakes: [what: string, path: string, sent: Sent, says: string][] = [
  ['no key', 'balance', { key: null }, 'Authorization: Bearer <API_KEY>'],
  [
    'a key without Bearer',
    'balance',
    { key: null, headers: { authorization: 'sk_test_1' } },
    'the word Bearer',
  ],
  ['a live key', 'balance', { key: `sk_live_0123456789abcdef_${'a'.repeat(50)}` }, 'sk_test_'],
  [
    'phone for phone_number',
    'payments/ussd',
    { body: { ...pushOfNobody, phone } },
    'phone_number is required; it was sent as phone',
  ],
  [
    'a name beside beneficiary.full_name',
    'payouts/bank',
    { body: { ...bank, beneficiary: { name: 'Asha' } } },
    'beneficiary.full_name is required; it was sent as beneficiary.name',
  ],
  [
    'accountNumber for account_number',
    'payouts/bank',
    { body: { ...bankOfNobody, accountNumber, beneficiary } },
    'it was sent as accountNumber',
  ],
  [
    'an amount as text',
    'payments/ussd',
    { body: { ...push, amount: '5000' } },
    'amount must be a JSON number',
  ],
  [
    'no Idempotency-Key',
    'payments/ussd',
    { body: push, headers: { 'idempotency-key': '' } },
    'Idempotency-Key header',
  ],
  ['state for status', 'transactions?state=paid', {}, 'state is not a filter; did you mean status?'],
  ['a list filtered by msisdn', 'transactions?msisdn=0754123456', {}, 'did you mean phone_number?'],
  ['payment for payments', 'payment/ussd', { body: push }, 'did you mean /api/v1/payments/ussd?'],
  ['no prefix', `/transaction/${ID}`, {}, 'did you mean /api/v1/transactions/{id}?'],
  ['GET where POST is', 'payments/ussd', { method: 'GET' }, 'Use POST'],
];

describe('a newcomer who is wrong', () => {
  const { api } = useTestApi({ docs: {} });

  for (const [what, path, { method, body, headers, key }, says] of mistakes)
    it(`is told by the error alone: ${what}`, async () => {
      const answer = await api.call(method ?? (body ? 'POST' : 'GET'), path, {
        ...(body ? { body } : {}),
        headers: { ...(body ? { 'idempotency-key': `k-${what.replaceAll(' ', '-')}` } : {}), ...headers },
        ...(key === undefined ? {} : { key }),
      });
      const told = [
        answer.body.message,
        ...(answer.body.errors ?? []).map(({ message }: { message: string }) => message),
      ];
      assert.ok(
        told.some((sentence) => sentence.includes(says)),
        told.join(' | '),
      );
      const { pathname: where, hash } = new URL(String(answer.body.docs));
      const code = hash.slice(1);
      assert.equal(code, answer.body.code);
      const page = await api.call('GET', where, { key: null });
      assert.ok(page.text.includes(`<section id="${code}">`), answer.body.docs);
    });

  it('is told nothing about ids that are not found, and no path that is far from all', async () => {
    const unknown = await api.call('GET', `payments/${ID}`);
    assert.equal(unknown.body.message, 'There is no payment with this id');
    for (const path of ['/nothing-like-it', `/${'a'.repeat(5_000)}`, '/api/v1/', '/docs/status']) {
      const { status, body } = await api.call('GET', path);
      assert.equal(status, 404);
      assert.equal(body.message, 'There is nothing at this address; see GET /api/v1/openapi.json');
    }
  });

  it('is told of a name in the language that was asked for, and keeps what was sent right', async () => {
    const headers = { 'accept-language': 'sw', 'idempotency-key': 'k-sw' };
    const body = { amount: 5000, currency: 'USD', phone: '0754123456', phone_number: '0754123456' };
    const { text } = await api.call('POST', 'payments/ussd', { body, headers });
    assert.doesNotMatch(text, /ilitumwa/);
    const missing = await api.call('POST', 'payments/ussd', {
      body: { ...body, phone_number: undefined },
      headers,
    });
    assert.match(missing.text, /inahitajika; ilitumwa kama phone/);
  });
});
