import assert from 'node:assert/strict';
import type { Notification } from '../../src/domain/channel.ts';
import { minor } from '../../src/domain/money.ts';
import { balanceOf } from '../../src/ledger/accounts.ts';
import { settle } from '../../src/transactions/settle.ts';
import { getTransaction } from '../../src/transactions/store.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { handedOver, notify } from '../support/handed-over.ts';
import { bankPayoutRequest } from '../support/merchant.ts';
import { succeeded } from '../support/scripted-channel.ts';
import { attentionOf, suspenseOf } from '../support/unexplained.ts';

const SHILLINGS = 400_000;
const MINOR = SHILLINGS * 100;

describe('money that a bank sends back', () => {
  let test: TestDatabase;
  before(async () => {
    test = await createTestDatabase();
  });
  after(() => test.drop());

  async function payout(ending: 'paid' | 'failed') {
    const { id, merchant, reference } = await handedOver(test.database, bankPayoutRequest(SHILLINGS));
    const failed = { kind: 'failed', code: 'network_error', channelReference: null } as const;
    const result = ending === 'paid' ? succeeded(SHILLINGS, `FT${reference}`) : failed;
    assert.equal((await settle(test.database, id, { kind: 'answer', result })).status, ending);
    return { id, merchant };
  }
  const giveBack = (id: string, changes: Partial<Notification['content'] & { kind: 'returned' }> = {}) =>
    notify(test.database, id, {
      kind: 'returned',
      amount: minor(MINOR),
      currency: 'TZS',
      reason: 'AC04',
      channelReference: null,
      ...changes,
    });
  const inSuspense = (id: string) => suspenseOf(test.database, id);

  it('is the merchant’s again, and a person is told why', async () => {
    const { id, merchant } = await payout('paid');
    const before = (await balanceOf(test.database, merchant.accountId, 'TZS')).current;
    await giveBack(id);
    assert.equal((await balanceOf(test.database, merchant.accountId, 'TZS')).current, before + MINOR);
    assert.deepEqual(await inSuspense(id), []);
    const told = await attentionOf(test.database, id);
    assert.deepEqual(
      told.map(({ reason, detail }) => [reason, detail]),
      [['returned', 'The bank returned the payout: AC04']],
    );
  });

  it('is in suspense where its payout was never paid: the hold was given back before', async () => {
    const { id, merchant } = await payout('failed');
    const before = await balanceOf(test.database, merchant.accountId, 'TZS');
    await giveBack(id);
    assert.deepEqual(await balanceOf(test.database, merchant.accountId, 'TZS'), before);
    assert.deepEqual(await inSuspense(id), [[MINOR, 'TZS']]);
    assert.equal((await getTransaction(test.database, id))?.returnedAt, null);
  });

  it('is in suspense in another currency, or of another amount', async () => {
    const { id } = await payout('paid');
    await giveBack(id, { currency: 'USD', channelReference: 'RT1' });
    await giveBack(id, { amount: minor(MINOR - 1), channelReference: 'RT2' });
    assert.deepEqual(await inSuspense(id), [
      [MINOR, 'USD'],
      [MINOR - 1, 'TZS'],
    ]);
    assert.equal((await getTransaction(test.database, id))?.returnedAt, null);
  });

  it('is in suspense when it comes a second time, once for each of the bank’s references', async () => {
    const { id } = await payout('paid');
    await giveBack(id, { channelReference: 'RT3' });
    for (const channelReference of ['RT4', 'RT4', 'RT5', null, null])
      await giveBack(id, { channelReference });
    assert.equal((await inSuspense(id)).length, 3);
  });

  it('without a reference is another movement than that of another payout without one', async () => {
    for (const { id } of [await payout('failed'), await payout('failed')]) {
      await giveBack(id);
      const { rows } = await test.database.query(
        "SELECT dedupe_key FROM transfers WHERE transaction_id = $1 AND kind = 'suspense'",
        [id],
      );
      const reference = (await getTransaction(test.database, id))?.reference;
      assert.deepEqual(rows, [{ dedupe_key: `suspense:bank:return:${reference}` }]);
    }
  });
});
