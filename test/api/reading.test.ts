import assert from 'node:assert/strict';
import {
  balanceAnswer,
  bankList,
  paymentLookup,
  payoutLookup,
  transactionAnswer,
  transactionList,
} from '../../src/contract/answer-schemas.ts';
import { callbackSettingsAnswer } from '../../src/contract/callback-answers.ts';
import { entriesAnswer } from '../../src/contract/statement-schemas.ts';
import { pick } from '../support/pick.ts';
import { assertRefused, idsIn } from './support/api.ts';
import { useTestApi } from './support/use-api.ts';

describe('reading what happened', () => {
  const { api, test } = useTestApi();
  let payment: string;
  let mobile: string;
  let bank: string;

  before(async () => {
    const create = async (path: string, key: string, body: object) => {
      const answer = await api.call('POST', path, { headers: { 'idempotency-key': key }, body });
      assert.equal(answer.status, 200, answer.text);
      return answer.body.transaction_id;
    };
    const common = { currency: 'TZS', phone_number: '0754123456' };
    payment = await create('payments/ussd', 'k-1', {
      ...common,
      amount: 5000,
      metadata: { order: 'A', n: 7 },
    });
    mobile = await create('payouts/mobile', 'k-2', { ...common, amount: 50000 });
    bank = await create('payouts/bank', 'k-3', {
      currency: 'TZS',
      amount: 400000,
      account_number: '0150123456789',
      bic: 'NMIBTZTZ',
      beneficiary: { full_name: 'Asha Juma' },
    });
  });

  it('finds each kind at its own address only', async () => {
    paymentLookup.parse((await api.call('GET', `payments/${payment}`)).body);
    payoutLookup.parse((await api.call('GET', `payouts/${mobile}`)).body);
    payoutLookup.parse((await api.call('GET', `/api/payouts/check/${bank.toUpperCase()}`)).body);
    const wrong = [`payments/${mobile}`, `payouts/${payment}`, `payouts/check/${payment}`];
    for (const path of wrong) assert.equal((await api.call('GET', path)).status, 404, path);
    for (const id of [payment, mobile, bank]) {
      const { body } = await api.call('GET', `transactions/${id}`);
      assert.equal(transactionAnswer.parse(body).data.transaction_id, id);
    }
  });

  it('shows the balance and the entries of a payout', async () => {
    const { body } = await api.call('GET', 'balance');
    assert.deepEqual(balanceAnswer.parse(body).balance, { current: 1_546_640, reserved: 453_360 });
    const entries = entriesAnswer.parse((await api.call('GET', `transactions/${mobile}/entries`)).body);
    assert.deepEqual(pick(entries.entries, 'kind', 'account', 'amount'), [
      ['hold', 'available', '-51,000.00'],
      ['hold', 'held', '51,000.00'],
    ]);
    const none = await api.call('GET', `transactions/${payment}/entries`);
    assert.deepEqual(none.body.entries, []);
  });

  it('lists newest first, page by page, with true totals beyond the last page', async () => {
    const all = await api.call('GET', 'transactions');
    transactionList.parse(all.body);
    assert.deepEqual(idsIn(all), [bank, mobile, payment]);
    const second = (await api.call('GET', 'transactions?page=2&per_page=2')).body;
    assert.deepEqual(second.pagination, { current_page: 2, last_page: 2, per_page: 2, total_items: 3 });
    assert.equal(second.data[0].transaction_id, payment);
    const beyond = (await api.call('GET', 'transactions?page=9')).body;
    assert.deepEqual(beyond.data, []);
    assert.deepEqual(beyond.pagination, { current_page: 9, last_page: 1, per_page: 20, total_items: 3 });
  });

  it('narrows the list by every filter, and by all of them together', async () => {
    const reference = (await api.call('GET', `payouts/${mobile}`)).body.payout.payout_reference;
    const created = (await api.call('GET', `payouts/${mobile}`)).body.payout.created_at;
    const found = async (query: string) => {
      const answer = await api.call('GET', `transactions?${query}`);
      assert.equal(answer.status, 200, `${query}: ${answer.text}`);
      return idsIn(answer);
    };
    const expectations: [string, string[]][] = [
      ['type=payout', [bank, mobile]],
      ['type=bill', []],
      ['status=pending', [bank, mobile, payment]],
      ['status=paid', []],
      ['mode=ussd', [payment]],
      ['channel=M-PESA', [mobile, payment]],
      ['channel=nmb_bank', [bank]],
      ['channel=crdb_bank', []],
      ['channel=BILLPAY', []],
      ['channel=DYNAMIC-QR', []],
      [`reference=${reference}`, [mobile]],
      ['phone_number=%2B255%20754%20123%20456', [mobile, payment]],
      ['idempotency_key=k-1', [payment]],
      ['metadata[order]=A', [payment]],
      ['metadata%5Bn%5D=7', [payment]],
      ['metadata[order]=B', []],
      [`from=${created}`, [bank, mobile]],
      [`to=${created}`, [payment]],
      ['from=2020-01-01&to=2021-01-01T03:00:00%2B03:00', []],
      ['type=payout&channel=m-pesa&status=pending', [mobile]],
    ];
    for (const [query, ids] of expectations) assert.deepEqual(await found(query), ids, query);
  });

  const badQueries = `
    page=0 page=-1 page=x page=1.5 page= per_page=101 per_page=0 per_page=1e2 page[$gt]=1 page=1&page=2
    page=99999999999999999999 type=loan mode=cash status=%00 reference=%00 reference= phone_number=1
    channel=nokia from=yesterday from=2026-02-30 to=2026-13-01T00:00:00Z from=2026-11-20T25:00:00Z
    from=2026-11-20T10:00:00 metadata[a]=%00 metadata=1 metadata[]=x
    metadata[a]=1&metadata[b]=2&metadata[c]=3&metadata[d]=4 colour=red __proto__=1 constructor=1
    %E0%A4%A
  `;
  for (const query of badQueries.trim().split(/\s+/)) {
    it(`answers 422 to the query ${query}`, async () => {
      for (const path of ['transactions', 'payouts/bank/list'])
        assertRefused(await api.call('GET', `${path}?${query}`), 422, 'validation_failed');
    });
  }

  it('says of a metadata filter without a value what is wrong with it', async () => {
    const { body } = await api.call('GET', 'transactions?metadata[order]=');
    assert.deepEqual(body.errors, [{ field: 'metadata[order]', message: 'must be 1 to 255 characters' }]);
  });

  it('answers the bank list in both of its meanings', async () => {
    const { body } = await api.call('GET', 'payouts/bank/list');
    const list = bankList.parse(body);
    assert.equal(list.banks.length, 41);
    assert.ok(list.banks.some((one) => one.value === 'crdb_bank' && one.bic === 'CORUTZTZ'));
    assert.deepEqual(pick(list.payouts, 'transaction_id'), [bank]);
    const none = (await api.call('GET', 'payouts/bank/list?type=payment')).body;
    assert.deepEqual(none.payouts, []);
    assert.equal(none.banks.length, 41);
  });

  it('shows a key only what its scopes may read', async () => {
    const { apiKey: payments } = await api.createKey({ scopes: ['payments:read'] });
    const status = async (key: string, path: string) => (await api.call('GET', path, { key })).status;
    assert.equal(await status(payments, `payments/${payment}`), 200);
    assert.equal(await status(payments, `transactions/${mobile}`), 404);
    const list = await api.call('GET', 'transactions', { key: payments });
    assert.equal(list.body.pagination.total_items, 1);
    const hidden = await api.call('GET', 'transactions?type=payout', { key: payments });
    assert.equal(hidden.body.pagination.total_items, 0);
    const refused = await api.call('POST', `payouts/${mobile}/cancel`, { key: payments });
    assert.match(refused.body.message, /payouts:write/);
  });

  it('sets, keeps and removes callback settings, and never shows the passphrase', async () => {
    const before = callbackSettingsAnswer.parse((await api.call('GET', 'callbacks/settings')).body);
    assert.deepEqual([before.callback_url, before.passphrase_set, before.enabled], [null, false, false]);
    const put = (body: object) => api.call('PUT', 'callbacks/settings', { body });
    const url = 'https://shop.example/callbacks';
    const saved = await put({ callback_url: url, passphrase: 'correct horse battery staple' });
    assert.doesNotMatch(saved.text, /horse/);
    const settings = callbackSettingsAnswer.parse(saved.body);
    assert.deepEqual([settings.callback_url, settings.passphrase_set, settings.enabled], [url, true, true]);
    assert.equal((await put({})).body.passphrase_set, true);
    assert.equal((await put({ passphrase: null })).body.passphrase_set, false);
    const some = ['payout.returned', 'ping', 'payment.failed', 'payment.failed'];
    const asked = callbackSettingsAnswer.parse((await put({ events: some })).body);
    assert.deepEqual(asked.events, ['payment.failed', 'payout.returned']);
    assert.deepEqual((await put({ events: null })).body.events, asked.events, 'null is left out');
    for (const events of ['payment.failed', ['payment.guessed'], [7], Array(51).fill('ping')]) {
      const refused = await put({ events });
      assert.equal(refused.status, 422, refused.text);
      assert.match(refused.body.errors[0].field, /^events/);
    }
  });

  it('means by a day the same in a list, a statement and the end of a bill: that of Dar es Salaam', async () => {
    const day = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
    const midnight = new Date(`${day}T00:00:00+03:00`);
    const [before, at] = [-1, 0].map((ms) => new Date(midnight.getTime() + ms).toISOString());
    const bill = { amount: 5000, payment_number: 'DAYS-1', description: 'A day', expires_at: day };
    const ends = (await api.call('POST', 'payments/billpay', { body: bill })).body.expires_at;
    assert.equal(ends, midnight.toISOString().replace('Z', '000Z'));
    const statement = (await api.call('GET', `statements?from=${day}&to=${day}T12:00:00Z`)).body;
    assert.equal(statement.from, ends);
    await test.database.query('UPDATE transactions SET created_at = $2 WHERE id = $1', [payment, before]);
    await test.database.query('UPDATE transactions SET created_at = $2 WHERE id = $1', [bank, at]);
    const found = async (query: string) => idsIn(await api.call('GET', `transactions?${query}`));
    assert.deepEqual(await found(`from=${day}`), [bank]);
    assert.ok((await found(`to=${day}`)).includes(payment));
    assert.deepEqual(await found(`from=${at}`), [bank]);
    // The list of another zone's day, written with its zone, stays exact.
    assert.deepEqual(await found(`from=${day}T00:00:00Z`), []);
  });
});
