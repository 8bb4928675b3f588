import assert from 'node:assert/strict';
import type { Notification } from '../../src/domain/channel.ts';
import { minor } from '../../src/domain/money.ts';
import { balanceOf, entriesOf } from '../../src/ledger/accounts.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { decisionsOf } from '../../src/transactions/care/decisions.ts';
import { tryToEnd } from '../../src/transactions/ending/end.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { useTestDatabase } from '../support/database.ts';
import { plantDecision } from '../support/decision.ts';
import { handedOver, notify } from '../support/handed-over.ts';
import { bankPayoutRequest } from '../support/merchant.ts';
import { succeeded } from '../support/scripted-channel.ts';
import { attentionOf, suspenseOf } from '../support/unexplained.ts';

const SHILLINGS = 400_000;
const MINOR = SHILLINGS * 100;

describe('money that a bank sends back', () => {
  const test = useTestDatabase();

  async function payout(ending: 'paid' | 'failed') {
    const { id, merchant, reference } = await handedOver(test.database, bankPayoutRequest(SHILLINGS));
    const failed = { kind: 'failed', code: 'network_error', channelReference: null } as const;
    const result = ending === 'paid' ? succeeded(SHILLINGS, `FT${reference}`) : failed;
    assert.equal((await tryToEnd(test.database, id, { kind: 'answer', result })).status, ending);
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

  it('is the merchant’s again, and a person is notified of it', async () => {
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

  it('is named after our reference and the bank’s, so that no two of them are taken for one', async () => {
    const { id } = await payout('failed');
    await giveBack(id, { channelReference: 'RT9' });
    const { rows } = await test.database.query(
      "SELECT dedupe_key FROM transfers WHERE transaction_id = $1 AND kind = 'suspense'",
      [id],
    );
    const reference = (await getTransaction(test.database, id))?.reference;
    assert.deepEqual(rows, [{ dedupe_key: `suspense:test:return:${reference}:RT9` }]);
  });

  it('without a reference is another movement than that of another payout without one', async () => {
    for (const { id } of [await payout('failed'), await payout('failed')]) {
      await giveBack(id);
      const { rows } = await test.database.query(
        "SELECT dedupe_key FROM transfers WHERE transaction_id = $1 AND kind = 'suspense'",
        [id],
      );
      const reference = (await getTransaction(test.database, id))?.reference;
      assert.deepEqual(rows, [{ dedupe_key: `suspense:test:return:${reference}` }]);
    }
  });

  const failure = {
    kind: 'answer',
    result: { kind: 'failed', code: 'network_error', channelReference: null },
  } as const;

  /** Paid because two people said so; its bank has not said anything. */
  async function decidedPaid() {
    const { id, merchant } = await handedOver(test.database, bankPayoutRequest(SHILLINGS));
    await plantDecision(test.database, id, 'paid');
    assert.equal((await tryToEnd(test.database, id, { kind: 'notifications' })).status, 'paid');
    const current = async () => (await balanceOf(test.database, merchant.accountId, 'TZS')).current;
    return { id, current, before: await current() };
  }
  const clearingOf = async (id: string) => {
    const entries = await entriesOf(test.database, id);
    const all = entries.filter(({ account }) => account === 'clearing');
    return all.reduce((sum, { amount }) => sum + amount, 0);
  };

  it('is the money that the books took back, where the bank reported a failure of what people said was paid', async () => {
    const { id, current, before } = await decidedPaid();
    await tryToEnd(test.database, id, failure);
    for (const reference of ['RT6', 'RT6']) await giveBack(id, { channelReference: reference });
    assert.deepEqual(await inSuspense(id), [[MINOR, 'TZS']], 'one movement, one item');
    assert.equal(await clearingOf(id), 0);
    assert.equal(await current(), before, 'it is released to the merchant by people');
    // That it went out is no news: it came back.
    await tryToEnd(test.database, id, { kind: 'answer', result: succeeded(SHILLINGS, `FT${id}`) });
    assert.deepEqual(await inSuspense(id), [[MINOR, 'TZS']]);
    assert.equal(await clearingOf(id), 0);
    await giveBack(id, { channelReference: 'RT7' });
    assert.deepEqual((await inSuspense(id)).length, 2, 'another one is another movement');
  });

  it('proves what people said: a failure that is reported afterwards takes nothing back', async () => {
    const { id, current, before } = await decidedPaid();
    await giveBack(id);
    assert.equal(await current(), before + MINOR);
    await tryToEnd(test.database, id, failure);
    assert.deepEqual(await inSuspense(id), []);
    assert.equal(await clearingOf(id), 0);
    const [, row] = await attentionOf(test.database, id);
    assert.equal(row?.reason, undefined);
    assert.equal((await decisionsOf(test.database, [id])).get(id)?.answer, 'confirmed');
  });

  it('is the merchant’s where the bank said after the failure that it moved after all', async () => {
    const { id, current, before } = await decidedPaid();
    await tryToEnd(test.database, id, failure);
    await tryToEnd(test.database, id, { kind: 'answer', result: succeeded(SHILLINGS, `FT${id}`) });
    await giveBack(id);
    assert.equal(await current(), before + MINOR);
    assert.equal(await clearingOf(id), 0);
    assert.deepEqual(await checkInvariants(test.database), []);
  });
});
