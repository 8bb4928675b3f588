import assert from 'node:assert/strict';
import {
  type Answer,
  bankPayoutBody,
  mobilePayoutBody,
  newKey,
  pushBody,
  type RequestOptions,
} from '../support/gateway.ts';
import { agree, movementsOf, openAccount, rawRequest, sharedGateway } from '../support/shared-gateway.ts';
import { until } from '../support/wait.ts';

const REPLAYED = 'idempotent-replayed';

describe('one key, one payment', function () {
  this.timeout(90_000);
  let gateway: Awaited<ReturnType<typeof sharedGateway>>;
  let shop: { accountId: string; apiKey: string };

  before(async () => {
    gateway = await sharedGateway();
    shop = await openAccount(gateway, { balance: 10_000_000 });
  });

  const post = (path: string, options: RequestOptions) =>
    gateway.request('POST', path, { apiKey: shop.apiKey, ...options });

  /** as the contract tells a merchant to: 503 is repeated with the same key */
  const postUntilAnswered = (path: string, options: RequestOptions): Promise<Answer> =>
    until(
      async () => {
        const answer = await post(path, options);
        return answer.status === 503 ? null : answer;
      },
      { deadlineMs: 60_000, what: `${path} is answered` },
    );

  async function transactionsOf(accountId: string): Promise<number> {
    const { rows } = await gateway.database.query(
      'SELECT count(*)::int AS count FROM transactions WHERE account_id = $1',
      [accountId],
    );
    return rows[0].count;
  }

  async function isFinal(family: string, id: string): Promise<boolean> {
    const { json } = await gateway.request('GET', `${family}/${id}`, { apiKey: shop.apiKey });
    return json.status !== 'pending';
  }

  async function assertIsReplay(first: Answer, again: Answer): Promise<void> {
    assert.equal(again.status, first.status);
    assert.equal(again.text, first.text);
    assert.equal(again.headers.get(REPLAYED), 'true');
    assert.notEqual(again.headers.get('x-request-id'), first.headers.get('x-request-id'));
  }

  const operations = [
    { path: 'payments/ussd', body: pushBody('511') },
    { path: 'payouts/mobile', body: mobilePayoutBody('512') },
    { path: 'payouts/bank', body: bankPayoutBody('513') },
  ];

  for (const { path, body } of operations) {
    it(`64 identical requests at once to ${path} are one payment and get one answer`, async () => {
      const before = await transactionsOf(shop.accountId);
      const key = newKey();
      const answers = await Promise.all(
        Array.from({ length: 64 }, () => postUntilAnswered(path, { key, body })),
      );
      const [first] = answers;
      assert.equal(first?.status, 200, first?.text);
      for (const answer of answers) assert.equal(answer.text, first?.text);
      const originals = answers.filter((answer) => answer.headers.get(REPLAYED) === null);
      assert.equal(originals.length, 1, `${originals.length} of the answers are not marked as replayed`);
      assert.equal(await transactionsOf(shop.accountId), before + 1);
      const id = first?.json.transaction_id;
      const family = path.startsWith('payments') ? 'payments' : 'payouts';
      await until(() => isFinal(family, id), { deadlineMs: 30_000, what: `${path} is final` });
      const { rows } = await gateway.database.query('SELECT reference FROM transactions WHERE id = $1', [id]);
      assert.equal((await movementsOf(gateway, rows[0].reference)).length, 1);
    });
  }

  it('a replay is the first answer byte for byte, while it is in flight and when it is long final', async () => {
    for (const { path, body } of operations) {
      const key = newKey();
      const first = await post(path, { key, body });
      assert.equal(first.status, 200, first.text);
      assert.equal(first.headers.get(REPLAYED), null);
      await assertIsReplay(first, await post(path, { key, body }));
      const family = path.startsWith('payments') ? 'payments' : 'payouts';
      const id = first.json.transaction_id;
      await until(() => isFinal(family, id), { deadlineMs: 30_000, what: `${path} is final` });
      await assertIsReplay(first, await post(path, { key, body }));
    }
  });

  it('another body or another operation under the key is refused, and nothing happens', async () => {
    const key = newKey();
    const first = await post('payments/ussd', { key, body: pushBody('521') });
    const balance = await gateway.request('GET', 'balance', { apiKey: shop.apiKey });
    const before = await transactionsOf(shop.accountId);
    const others: [string, unknown][] = [
      ['payments/ussd', pushBody('522')],
      ['payments/ussd', pushBody('521', 5_001)],
      ['payments/ussd', { ...pushBody('521'), metadata: { order_id: 'INV-2' } }],
      ['payments/ussd', { ...pushBody('521'), transaction_channel: 'AIRTEL-MONEY' }],
      ['payouts/mobile', pushBody('521')],
      ['payouts/mobile', mobilePayoutBody('521')],
      ['payouts/bank', bankPayoutBody()],
    ];
    for (const [path, body] of others) {
      const refused = await post(path, { key, body });
      assert.equal(refused.status, 422, refused.text);
      assert.equal(refused.json.code, 'idempotency_key_reused');
      assert.equal(refused.json.retryable, false);
      assert.equal(refused.headers.get(REPLAYED), null);
    }
    assert.equal(await transactionsOf(shop.accountId), before);
    const after = await gateway.request('GET', 'balance', { apiKey: shop.apiKey });
    assert.equal(after.json.balance.reserved, balance.json.balance.reserved);
    await assertIsReplay(first, await post('payments/ussd', { key, body: pushBody('521') }));
  });

  it('64 different requests at once under one key are one payment; all others are refused', async () => {
    const before = await transactionsOf(shop.accountId);
    const key = newKey();
    const answers = await Promise.all(
      Array.from({ length: 64 }, (_, index) =>
        postUntilAnswered('payouts/mobile', { key, body: mobilePayoutBody('531', 1_000 + index) }),
      ),
    );
    assert.equal(answers.filter((answer) => answer.status === 200).length, 1);
    assert.ok(answers.every(({ status, json }) => status === 200 || json.code === 'idempotency_key_reused'));
    assert.equal(await transactionsOf(shop.accountId), before + 1);
  });

  it('a quoted key and the same key without quotes are one key', async () => {
    const key = newKey();
    const first = await post('payments/ussd', { key: `"${key}"`, body: pushBody('541') });
    assert.equal(first.status, 200, first.text);
    await assertIsReplay(first, await post('payments/ussd', { key, body: pushBody('541') }));
  });

  it('keys belong to an account: another one may use the same', async () => {
    const key = newKey();
    const other = await openAccount(gateway);
    const mine = await post('payments/ussd', { key, body: pushBody('542') });
    const theirs = await post('payments/ussd', { key, body: pushBody('542'), apiKey: other.apiKey });
    assert.equal(theirs.status, 200, theirs.text);
    assert.equal(theirs.headers.get(REPLAYED), null);
    assert.notEqual(theirs.json.transaction_id, mine.json.transaction_id);
  });

  it('refuses a missing key, a bad one, and one that is sent twice', async () => {
    const before = await transactionsOf(shop.accountId);
    const bad: [string | string[] | undefined, string][] = [
      [undefined, 'idempotency_key_missing'],
      [['a-key', 'a-key'], 'idempotency_key_invalid'],
      [['a-key', 'another-key'], 'idempotency_key_invalid'],
      ['two words', 'idempotency_key_invalid'],
      ['a,b c', 'idempotency_key_invalid'],
      ['k'.repeat(256), 'idempotency_key_invalid'],
      ['""', 'idempotency_key_invalid'],
      ['caf\u00e9', 'idempotency_key_invalid'],
    ];
    for (const [key, code] of bad) {
      for (const { path, body } of operations) {
        const answer = await rawRequest(gateway, {
          method: 'POST',
          path: `/api/v1/${path}`,
          headers: {
            authorization: `Bearer ${shop.apiKey}`,
            ...(key === undefined ? {} : { 'idempotency-key': key }),
          },
          body: JSON.stringify(body),
        });
        assert.equal(answer.status, 400, `${key}: ${answer.text}`);
        assert.equal(JSON.parse(answer.text).code, code, String(key));
      }
    }
    assert.equal(await transactionsOf(shop.accountId), before);
    const longest = 'k'.repeat(255 - 36) + newKey();
    assert.equal((await post('payments/ussd', { key: longest, body: pushBody('543') })).status, 200);
  });

  it('insufficient_balance is kept under its key: a top-up changes only what a new key is told', async () => {
    const poor = await openAccount(gateway, { balance: 1_000 });
    const request = { body: mobilePayoutBody('551'), apiKey: poor.apiKey };
    const key = newKey();
    const refused = await post('payouts/mobile', { ...request, key });
    assert.equal(refused.status, 409, refused.text);
    assert.equal(refused.json.code, 'insufficient_balance');
    assert.equal(refused.json.transaction_id, undefined);
    assert.equal(await transactionsOf(poor.accountId), 0);
    await agree(gateway, 'accounts', 'top-up', poor.accountId, '50000', '--reference', 'line-1');
    await assertIsReplay(refused, await post('payouts/mobile', { ...request, key }));
    const another = await post('payouts/mobile', { ...request, key, body: mobilePayoutBody('551', 1) });
    assert.equal(another.json.code, 'idempotency_key_reused');
    const fresh = await post('payouts/mobile', { ...request, key: newKey() });
    assert.equal(fresh.status, 200, fresh.text);
    assert.deepEqual(fresh.json.balance, { current: 0, reserved: 51_000 });
  });

  it('every other refusal leaves its key free', async () => {
    const key = newKey();
    const attempts: [number, string, string, unknown][] = [
      [422, 'validation_failed', 'payouts/mobile', { ...mobilePayoutBody('561'), amount: '50000' }],
      [422, 'amount_out_of_range', 'payouts/mobile', mobilePayoutBody('561', 300_001)],
      [422, 'unsupported_currency', 'payouts/mobile', { ...mobilePayoutBody('561'), currency: 'USD' }],
      [422, 'unknown_bank', 'payouts/bank', { ...bankPayoutBody(), bic: 'AAAATZTZ' }],
      [409, 'preview_mismatch', 'payouts/mobile', { ...mobilePayoutBody('561'), preview_id: 'prv_unknown' }],
      [409, 'preview_mismatch', 'payouts/mobile', { ...mobilePayoutBody('561'), preview_id: 'prv_other' }],
      [409, 'preview_mismatch', 'payouts/mobile', { ...mobilePayoutBody('561'), preview_id: 'prv_third' }],
      [409, 'preview_mismatch', 'payouts/mobile', { ...mobilePayoutBody('561'), preview_id: 'prv_third' }],
    ];
    for (const [status, code, path, body] of attempts) {
      const refused = await post(path, { key, body });
      assert.equal(refused.status, status, refused.text);
      assert.equal(refused.json.code, code);
    }
    const accepted = await post('payouts/mobile', { key, body: mobilePayoutBody('561') });
    assert.equal(accepted.status, 200, accepted.text);
    assert.equal(accepted.headers.get(REPLAYED), null);
  });

  it('unknown fields, null for an optional one and the order of fields do not make another request', async () => {
    const key = newKey();
    const { amount, currency, phone_number } = pushBody('571');
    const first = await post('payments/ussd', {
      key,
      body: { amount, currency, phone_number, colour: 'blue', metadata: null },
    });
    assert.equal(first.status, 200, first.text);
    assert.deepEqual(first.json.metadata, {});
    assert.match(first.headers.get('x-ignored-fields') ?? '', /\bcolour\b/);
    const same = [
      { amount, currency, phone_number },
      { phone_number, currency, amount },
      { amount, currency, phone_number, transaction_channel: null },
      { amount, currency, phone_number, size: { nested: [1] } },
    ];
    for (const body of same) await assertIsReplay(first, await post('payments/ussd', { key, body }));

    const payout = { key: newKey(), body: mobilePayoutBody('572') };
    const paid = await post('payouts/mobile', payout);
    assert.equal(paid.status, 200, paid.text);
    await assertIsReplay(
      paid,
      await post('payouts/mobile', { ...payout, body: { ...payout.body, preview_id: null } }),
    );
  });

  it('previews and lookups ignore the header', async () => {
    const key = newKey();
    const body = mobilePayoutBody('581');
    const one = await post('payouts/mobile/preview', { key, body });
    const two = await post('payouts/mobile/preview', { key, body: mobilePayoutBody('581', 1) });
    assert.equal(one.status, 200, one.text);
    assert.equal(two.status, 200, two.text);
    assert.notEqual(one.json.preview_id, two.json.preview_id);
    assert.equal((await gateway.request('GET', 'balance', { key: 'not a key' })).status, 200);
  });
});
