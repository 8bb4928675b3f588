import assert from 'node:assert/strict';
import { assertRefused, freshKey } from './support/api.ts';
import { bank, push } from './support/bodies.ts';
import { useTestApi } from './support/use-api.ts';

describe('what a request may look like', () => {
  const { api } = useTestApi();

  const post = (path: string, body: unknown, headers = {}) =>
    api.call('POST', path, { body, headers: { ...freshKey(), ...headers } });

  describe('fields that nobody knows', () => {
    it('are named when the request succeeds, is refused and is repeated', async () => {
      const key = freshKey();
      for (const answer of [
        await post('payments/ussd', { ...push, colour: 1 }, key),
        await post('payments/ussd', { ...push, colour: 2 }, key),
        await post('payments/ussd', { ...push, amount: 0, colour: 1 }),
      ]) {
        assert.equal(answer.headers['x-ignored-fields'], 'colour');
      }
      assert.equal((await post('payments/ussd', push)).headers['x-ignored-fields'], undefined);
    });

    it('are named at every level, not looked into, and what is inside metadata is not unknown', async () => {
      const body = { ...push, metadata: { a: { b: 1 } }, more: { amount: 1, deep: { er: null } } };
      assert.equal((await post('payments/ussd', body)).headers['x-ignored-fields'], 'more');
      const nested = { ...bank, beneficiary: { full_name: 'A', nick: 1 } };
      const { headers } = await post('payouts/bank/preview', nested);
      assert.equal(headers['x-ignored-fields'], 'beneficiary.nick');
    });

    const hostile = [
      '\r\nSet-Cookie: a=b',
      'a,b',
      'a;b',
      '\u{1f600}',
      '\u2028',
      '',
      'é',
      '"',
      '%0d%0a',
      'x'.repeat(500),
    ];
    it('are named without harm whatever they are called', async () => {
      const names = Object.fromEntries(hostile.map((name) => [name, 1]));
      const answer = await post('payments/ussd', { ...push, ...names });
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.headers['set-cookie'], undefined);
      const named = String(answer.headers['x-ignored-fields']).split(', ');
      const told = named.map((name) => (name === '""' ? '' : decodeURIComponent(name)));
      assert.deepEqual(told.sort(), hostile.map((name) => name.slice(0, 64)).sort());
    });

    it('fill no more of the header than clients and proxies take, however many and long they are', async () => {
      for (const names of [
        Array.from({ length: 1_500 }, (_, i) => `field${i}`),
        Array.from({ length: 30 }, (_, i) => `${i}${'\u{1f600}'.repeat(400)}`),
      ]) {
        const body = { ...push, ...Object.fromEntries(names.map((name) => [name, 1])) };
        const answer = await post('payments/ussd', body);
        assert.equal(answer.status, 200, answer.text);
        const header = String(answer.headers['x-ignored-fields']);
        assert.ok(header.length <= 2_100 && header.endsWith(', ...'), `${header.length}`);
      }
    });
  });

  describe('null', () => {
    it('is absent for every optional field, at every level', async () => {
      const nothing = { metadata: null, transaction_channel: null, preview_id: null };
      for (const [path, body] of [
        ['payments/ussd', push],
        ['payouts/mobile', { ...push, amount: 1_000 }],
        ['payouts/mobile/preview', push],
        ['payouts/bank', { ...bank, amount: 1_000 }],
        ['payouts/bank/preview', bank],
      ] as const) {
        const beneficiary = { full_name: 'Asha Juma', phone_number: null };
        const sent = 'beneficiary' in body ? { ...body, beneficiary, ...nothing } : { ...body, ...nothing };
        const answer = await post(path, sent);
        assert.equal(answer.status, 200, `${path}: ${answer.text}`);
        assert.deepEqual(answer.body.metadata, {}, path);
      }
    });

    it('is missing for every required field', async () => {
      const all = { amount: null, currency: null, phone_number: null };
      assertRefused(await post('payments/ussd', all), 422, 'validation_failed', Object.keys(all));
      const inside = await post('payouts/bank', { ...bank, beneficiary: { full_name: null } });
      assertRefused(inside, 422, 'validation_failed', ['beneficiary.full_name']);
      for (const hidden of ['\u200b', '\u00ad', '\u3164', '\u{e0041}']) {
        const named = { ...bank, beneficiary: { full_name: `Asha${hidden}Juma` } };
        const refused = await post('payouts/bank', named);
        assertRefused(refused, 422, 'validation_failed', ['beneficiary.full_name']);
      }
      assert.match(inside.body.message, /is required/);
    });

    it('is a value like any other inside metadata', async () => {
      const answer = await post('payments/ussd', { ...push, metadata: { note: null } });
      assert.ok(answer.text.endsWith('"metadata":{"note":null}}'), answer.text);
    });
  });

  it('is told of every field that has another JSON type', async () => {
    const wrong = { amount: '5', currency: 5, phone_number: 7, transaction_channel: true, metadata: [] };
    const bill = { amount: [], payment_number: 1, payment_mode: 1, description: {}, expires_at: 1 };
    const settings = { callback_url: 5, passphrase: false, events: 'payment.failed' };
    const told = async (answer: Promise<{ body: { errors: { field: string; message: string }[] } }>) =>
      (await answer).body.errors.map(({ field, message }) => `${field} ${message}`);
    assert.deepEqual(await told(post('payments/ussd', wrong)), [
      'amount must be a JSON number, not a string',
      'currency must be a JSON string, not a number',
      'phone_number must be a JSON string, not a number',
      'transaction_channel must be a JSON string, not a boolean',
      'metadata must be a JSON object, not an array',
    ]);
    assert.deepEqual(await told(post('payments/billpay', bill)), [
      'amount must be a JSON number, not an array',
      'payment_number must be a JSON string, not a number',
      'payment_mode must be a JSON string, not a number',
      'description must be a JSON string, not an object',
      'expires_at must be a JSON string, not a number',
    ]);
    assert.deepEqual(await told(api.call('PUT', 'callbacks/settings', { body: settings })), [
      'callback_url must be a JSON string, not a number',
      'passphrase must be a JSON string, not a boolean',
      'events must be a JSON array, not a string',
    ]);
    assertRefused(await post('payments/ussd', { ...push, currency: 5 }), 422, 'validation_failed');
  });

  it('is told of every wrong field at once, also of those that other rules check', async () => {
    const wrong: [method: string, path: string, body: object | undefined, fields: string[]][] = [
      [
        'PUT',
        'callbacks/settings',
        { callback_url: 'x', passphrase: 'y', events: ['z'] },
        ['events.0', 'callback_url', 'passphrase'],
      ],
      ['GET', 'statements?from=2026-01-01&to=2026-12-01&format=pdf', undefined, ['format', 'to']],
      ['GET', 'statements?from=x&to=2026-12-01', undefined, ['from']],
      [
        'POST',
        'payouts/batches',
        { batch_number: '', items: [{}], start_at: '2020-01-01', allow_twins: 'x' },
        ['batch_number', 'allow_twins', 'start_at'],
      ],
    ];
    for (const [method, path, body, fields] of wrong)
      assertRefused(await api.call(method, path, { body }), 422, 'validation_failed', fields);
  });

  it('is told how long a passphrase may be, however long it is', async () => {
    const put = (length: number, language: string) =>
      api.call('PUT', 'callbacks/settings', {
        body: { passphrase: 'x'.repeat(length) },
        headers: { 'accept-language': language },
      });
    for (const length of [23, 256, 1_001, 50_000]) {
      const answer = await put(length, 'en');
      assertRefused(answer, 422, 'validation_failed', ['passphrase']);
      assert.equal(answer.body.message, 'passphrase must have 24 to 255 characters');
      assert.equal((await put(length, 'sw')).body.message, 'passphrase lazima iwe na herufi 24 hadi 255');
    }
  });

  it('takes a byte order mark, and text outside ASCII', async () => {
    const text = JSON.stringify({ ...push, metadata: { jina: 'Zuhura ✓ \u{1f600}' } });
    const answer = await api.call('POST', 'payments/ussd', { raw: `\ufeff${text}`, headers: freshKey() });
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(answer.body.metadata, { jina: 'Zuhura ✓ \u{1f600}' });
  });

  it('takes no encoded body, whatever the encoding', async () => {
    for (const encoding of ['gzip', 'deflate', 'br', 'GZIP', 'identity, gzip', 'nonsense']) {
      const answer = await post('payments/ussd', push, { 'content-encoding': encoding });
      assertRefused(answer, 415, 'unsupported_media_type');
    }
    assert.equal((await post('payments/ussd', push, { 'content-encoding': 'identity' })).status, 200);
  });

  it('is of a type that its call takes, and the refusal names them', async () => {
    const file = { raw: 'x', headers: { 'content-type': 'text/plain' } };
    const batch = await api.call('POST', 'payouts/batches', file);
    assertRefused(batch, 415, 'unsupported_media_type');
    assert.match(batch.body.message, /as application\/json, or a file as text\/csv, .*spreadsheetml\.sheet$/);
  });

  it('has no body that counts where none is read', async () => {
    const raw = '{"amount":'.repeat(20_000);
    for (const path of ['balance', 'transactions', 'status']) {
      const headers = { 'content-type': 'text/plain', 'content-length': String(raw.length) };
      const answer = await api.call('GET', path, { raw, headers });
      assert.equal(answer.status, 200, answer.text);
    }
    const cancel = 'payments/09c97599-0ab0-5cb9-ad18-d6327c66ef03/cancel';
    const unread = { raw: 'x', headers: { 'content-type': 'a/b' } };
    assertRefused(await api.call('POST', cancel, unread), 404, 'not_found');
  });

  it('reads no Idempotency-Key where none is asked for', async () => {
    for (const key of ['', 'a b', 'k'.repeat(300), '"']) {
      const headers = { 'idempotency-key': key };
      const preview = await api.call('POST', 'payouts/mobile/preview', { body: push, headers });
      assert.equal(preview.status, 200, preview.text);
      assert.equal((await api.call('GET', 'balance', { headers })).status, 200);
    }
  });

  describe('an address', () => {
    it('is read with its percent-encoding undone, once', async () => {
      const { body } = await post('payments/ussd', push);
      const id: string = body.transaction_id;
      const encoded = [...id].map((char) => `%${char.charCodeAt(0).toString(16)}`).join('');
      assert.equal((await api.call('GET', `payments/${encoded}`)).status, 200);
      assert.equal((await api.call('GET', `payments/${id}/`)).status, 200);
      for (const not of [
        encoded.replaceAll('%', '%25'),
        `${id}%2F`,
        `${id}%00`,
        `${id}%0A`,
        `${id};a=b`,
        `.%2F${id}`,
      ]) {
        assertRefused(await api.call('GET', `payments/${not}`), 404, 'not_found');
      }
    });

    it('may be long', async () => {
      assertRefused(await api.call('GET', `payments/${'a'.repeat(12_000)}`), 404, 'not_found');
      assertRefused(await api.call('GET', `transactions/${'%41'.repeat(4_000)}`), 404, 'not_found');
      const query = await api.call('GET', `transactions?reference=${'a'.repeat(12_000)}`);
      assert.ok([200, 422].includes(query.status), query.text);
      const many = await api.call('GET', `transactions?${'a=1&'.repeat(3_000)}`);
      assertRefused(many, 422, 'validation_failed');
    });
  });
});
