import assert from 'node:assert/strict';
import { answered } from '../support/handed-over.ts';
import { failure } from '../support/scripted-channel.ts';
import type { Answer } from './support/api.ts';
import { bank, mobile, push } from './support/bodies.ts';
import { isOfCatalogue, sentencesOf } from './support/sentences.ts';
import { useTestApi } from './support/use-api.ts';

const sw = { 'accept-language': 'sw' };

describe('the language of answers', () => {
  const { api, test } = useTestApi({ balance: 60_000 });
  const create = (path: string, key: string, body: unknown, language = {}) =>
    api.call('POST', path, { headers: { 'idempotency-key': key, ...language }, body });

  /** What stays when every sentence is taken out, and what a request says of itself. */
  const without = ({ text }: Answer) =>
    sentencesOf(text)
      .reduceRight((rest, { offset, length }) => rest.slice(0, offset) + rest.slice(offset + length), text)
      .replace(/"request_id":"[^"]*"/, '');

  function assertSwahili(answer: Answer, english: Answer): void {
    assert.equal(answer.headers['content-language'], 'sw');
    assert.equal(english.headers['content-language'], 'en');
    assert.equal(answer.status, english.status);
    assert.equal(without(answer), without(english));
    const [said, inTheOther] = [english, answer].map(({ text }) =>
      sentencesOf(text).map(({ value }) => value),
    );
    assert.ok(said && said.length > 0 && said.length === inTheOther?.length, english.text);
    for (const [at, sentence] of said.entries()) {
      assert.ok(isOfCatalogue(sentence), sentence);
      assert.notEqual(inTheOther[at], sentence);
      assert.doesNotMatch(inTheOther[at] ?? '', /\b(the|is|are|must|not|and|with|retrieved)\b/i);
    }
  }

  const asked: [header: string | string[] | undefined, language: string][] = [
    [undefined, 'en'],
    ['sw', 'sw'],
    ['SW', 'sw'],
    ['sw-TZ', 'sw'],
    ['sw-TZ,sw;q=0.9,en;q=0.8', 'sw'],
    ['en-GB,en;q=0.9,sw;q=0.8', 'en'],
    ['en;q=0.5, sw;q=0.8', 'sw'],
    ['fr, sw;q=0.1', 'sw'],
    ['fr', 'en'],
    ['sw;q=0', 'en'],
    ['*', 'en'],
    ['*, en;q=0', 'sw'],
    ['', 'en'],
    [';;q=,-', 'en'],
  ];
  for (const [header, language] of asked)
    it(`is ${language} for Accept-Language: ${header}`, async () => {
      const headers = header === undefined ? {} : { 'accept-language': header };
      const answer = await api.call('GET', 'status', { headers, key: null });
      assert.equal(answer.headers['content-language'], language);
      assert.equal(answer.body.message, language === 'sw' ? 'Huduma inapatikana' : 'The service is up');
    });

  const PUSH = 'payments/ussd';
  const refused: [code: string, method: string, path: string, sent?: Parameters<typeof api.call>[2]][] = [
    ['not_found', 'GET', 'nothing'],
    ['not_found', 'GET', 'payments/x'],
    ['method_not_allowed', 'PUT', 'callbacks/test'],
    ['unauthorized', 'GET', 'balance', { key: 'wrong' }],
    ['unsupported_media_type', 'POST', PUSH, { headers: { 'content-type': 'text/csv' }, raw: 'a' }],
    ['payload_too_large', 'POST', PUSH, { raw: 'a'.repeat(70_000) }],
    ['invalid_json', 'POST', PUSH, { raw: '{"amount":}' }],
    ['idempotency_key_missing', 'POST', PUSH, { body: push }],
    ['idempotency_key_invalid', 'POST', PUSH, { body: push, headers: { 'idempotency-key': 'a b' } }],
    ['validation_failed', 'POST', PUSH, { body: { ...push, amount: '5', phone_number: '1' } }],
    ['validation_failed', 'GET', 'transactions?page=0&colour of it=red&from=x'],
    ['validation_failed', 'POST', 'callbacks/test'],
    ['amount_out_of_range', 'POST', PUSH, { body: { ...push, amount: 1 } }],
    ['unsupported_currency', 'POST', PUSH, { body: { ...push, currency: 'USD' } }],
    ['unknown_bank', 'POST', 'payouts/bank', { body: { ...bank, bic: 'XXXXTZTZ' } }],
  ];
  for (const [code, method, path, sent = {}] of refused)
    it(`turns ${code} of ${method} ${path} into Swahili`, async () => {
      const key = code.startsWith('idempotency') ? {} : { 'idempotency-key': 'never' };
      const headers = { ...key, ...sent.headers };
      const target = path.replaceAll(' ', '%20');
      const english = await api.call(method, target, { ...sent, headers });
      assert.equal(english.body.code, code, english.text);
      assertSwahili(await api.call(method, target, { ...sent, headers: { ...headers, ...sw } }), english);
    });

  it('turns the sentences of lookups and lists into Swahili, and nothing that is stored', async () => {
    const metadata = { message: 'The service is up', failure_reason: 'Bank account not found' };
    const { transaction_id: id } = (await create('payouts/mobile', 'p-1', { ...mobile, metadata })).body;
    for (const path of [
      `payouts/${id}`,
      `transactions/${id}`,
      'transactions',
      'balance',
      'payouts/bank/list',
    ])
      assertSwahili(await api.call('GET', path, { headers: sw }), await api.call('GET', path));
    const pending = await api.call('GET', `payouts/${id}`, { headers: sw });
    assert.equal(pending.body.payout.status_reason, 'Malipo yanasubiri kukabidhiwa kwa mtandao');
    assert.deepEqual(pending.body.payout.metadata, metadata);

    await answered(test.database, id, failure('recipient_not_found'));
    const failed = await api.call('GET', `payouts/${id}`, { headers: sw });
    assert.equal(failed.body.payout.failure_reason, 'Namba ya simu ya mpokeaji si sahihi');
    assert.equal(failed.body.payout.failure_code, 'recipient_not_found');
    const rows = await test.sql`SELECT body FROM callback_events WHERE transaction_id = ${id}`;
    assert.match(rows[0].body, /Recipient phone number is invalid/);
  });

  describe('of a stored answer', () => {
    const first: [name: string, path: string, body: object][] = [
      ['a push', 'payments/ussd', push],
      ['a bill', 'payments/billpay', { amount: 1_000, payment_number: 'INV-9', description: 'Chairs' }],
      ['a QR code', 'payments/qr', { amount: 1_000, currency: 'TZS' }],
      ['a payout', 'payouts/mobile', mobile],
      ['insufficient_balance', 'payouts/mobile', { ...mobile, amount: 300_000 }],
    ];
    for (const [name, path, body] of first)
      it(`stays the one in which it was first given: ${name}`, async () => {
        const given = await create(path, `sw-${name}`.replaceAll(' ', '-'), body, sw);
        assert.equal(given.headers['content-language'], 'sw', given.text);
        assert.equal(given.headers['idempotent-replayed'], undefined);
        for (const { value } of sentencesOf(given.text))
          assert.match(value, /^(Mteja|Bili|Mwonyeshe|Ombi|Salio) /);
        const again = await create(path, `sw-${name}`.replaceAll(' ', '-'), body);
        assert.equal(again.text, given.text);
        assert.equal(again.headers['content-language'], 'sw');
        assert.equal(again.headers['idempotent-replayed'], 'true');
      });

    it('stays English for whoever asks for Swahili later', async () => {
      const given = await create('payments/ussd', 'en', push);
      const again = await create('payments/ussd', 'en', push, sw);
      assert.equal(again.text, given.text);
      assert.equal(again.headers['content-language'], 'en');
      const bill = { amount: 1_000, payment_number: 'INV-10', description: 'Chairs' };
      const made = await create('payments/billpay', 'bill-1', bill, sw);
      for (const key of ['bill-2', 'bill-2']) {
        const same = await create('payments/billpay', key, bill);
        assert.equal(same.text, made.text);
        assert.equal(same.headers['content-language'], 'sw');
      }
    });
  });
});
