import assert from 'node:assert/strict';
import { type Answer, bankPayoutBody, mobilePayoutBody, newKey, pushBody } from '../support/gateway.ts';
import { movementsOf } from '../support/shared-gateway.ts';
import { until } from '../support/wait.ts';
import { openShop, type Shop } from './shop.ts';

const REPLAYED = 'idempotent-replayed';

describe('one key, one payment', function () {
  this.timeout(90_000);
  let shop: Shop;
  before(async () => {
    shop = await openShop({ balance: 10_000_000 });
  });

  /** as the contract tells a merchant to: 503 is repeated with the same key */
  const postUntilAnswered = (path: string, body: object, key: string): Promise<Answer> =>
    until(async () => {
      const answer = await shop.post(path, body, key);
      return answer.status === 503 ? null : answer;
    }, `${path} is answered`);

  async function transactions(): Promise<number> {
    const { rows } = await shop.gateway.database.query(
      'SELECT count(*)::int AS count FROM transactions WHERE account_id = $1',
      [shop.accountId],
    );
    return rows[0].count;
  }

  const operations = [
    { path: 'payments/ussd', body: pushBody('511') },
    { path: 'payouts/mobile', body: mobilePayoutBody('512') },
    { path: 'payouts/bank', body: bankPayoutBody('513') },
  ];

  for (const { path, body } of operations) {
    it(`64 identical requests at once to ${path} are one payment and get one answer`, async () => {
      const before = await transactions();
      const key = newKey();
      const answers = await Promise.all(Array.from({ length: 64 }, () => postUntilAnswered(path, body, key)));
      const [first] = answers;
      assert.equal(first?.status, 200, first?.text);
      for (const answer of answers) assert.equal(answer.text, first?.text);
      const originals = answers.filter((answer) => answer.headers.get(REPLAYED) === null);
      assert.equal(originals.length, 1, `${originals.length} of the answers are not marked as replayed`);
      assert.equal(await transactions(), before + 1);
      const id = first?.json.transaction_id;
      const family = path.startsWith('payments') ? 'payments' : 'payouts';
      await shop.final(`${family}/${id}`);
      const { rows } = await shop.gateway.database.query('SELECT reference FROM transactions WHERE id = $1', [
        id,
      ]);
      assert.equal((await movementsOf(shop.gateway, rows[0].reference)).length, 1);
    });
  }

  it('64 different requests at once under one key are one payment; all others are refused', async () => {
    const before = await transactions();
    const key = newKey();
    const answers = await Promise.all(
      Array.from({ length: 64 }, (_, index) =>
        postUntilAnswered('payouts/mobile', mobilePayoutBody('531', 1_000 + index), key),
      ),
    );
    assert.equal(answers.filter((answer) => answer.status === 200).length, 1);
    assert.ok(answers.every(({ status, json }) => status === 200 || json.code === 'idempotency_key_reused'));
    assert.equal(await transactions(), before + 1);
  });
});
