// tests: slow
import assert from 'node:assert/strict';
import { minor } from '../../src/domain/money.ts';
import { pageOfSuspense, type SuspenseItem } from '../../src/ledger/suspense.ts';
import { casesOf } from '../../src/operators/search/cases.ts';
import { resolveSubject } from '../../src/transactions/care/attention.ts';
import { tryToEnd } from '../../src/transactions/ending/end.ts';
import { asRole } from '../support/database.ts';
import { handedOver, notify } from '../support/handed-over.ts';
import { pushRequest } from '../support/merchant.ts';
import { failure, succeeded } from '../support/scripted-channel.ts';
import { attentionOf } from '../support/unexplained.ts';
import { openSuspenseDesk } from './suspense-desk.ts';

describe('the alarm of money that is in suspense', () => {
  const desk = openSuspenseDesk();

  /** A push that failed, and was then paid twice: two items, each under a receipt of its own. */
  async function paidTwiceLate(): Promise<{ push: string; items: SuspenseItem[] }> {
    const { id: push } = await handedOver(desk.database, pushRequest());
    await tryToEnd(desk.database, push, { kind: 'answer', result: failure('network_error') });
    for (const receipt of ['first', 'second'])
      await notify(asRole(desk.database, 'api'), push, succeeded(5_000, `${push} ${receipt}`));
    const { items } = await pageOfSuspense(desk.database, { page: 1, perPage: 200 });
    return { push, items: items.filter(({ transactionId }) => transactionId === push) };
  }
  const reasonsOf = async (id: string) => (await attentionOf(desk.database, id)).map(({ reason }) => reason);

  it('is one of each item, and ends with this item alone', async () => {
    const { push, items } = await paidTwiceLate();
    assert.deepEqual(await reasonsOf(push), ['late_success', 'late_success']);
    for (const [left, item] of items.entries()) {
      assert.equal((await desk.approve(await desk.writeOff(item))).proposal.state, 'executed');
      assert.equal((await reasonsOf(push)).length, items.length - left - 1);
    }
    await notify(asRole(desk.database, 'api'), push, succeeded(5_000, `${push} first`));
    assert.deepEqual(await reasonsOf(push), [], 'what is settled is not listed again');
  });

  it('stays while an item is on its way back to its payer: that may fail', async () => {
    const { push, items } = await paidTwiceLate();
    const [back, off] = items;
    assert.ok(back && off);
    const { begin } = await desk.approve(await desk.toPayer(back));
    await desk.approve(await desk.writeOff(off));
    assert.deepEqual(await reasonsOf(push), ['late_success'], 'the payer does not have it yet');
    assert.deepEqual(await resolveSubject(desk.database, push), { closed: 0, kept: 1 });
    await tryToEnd(asRole(desk.database, 'worker'), begin ?? '', {
      kind: 'answer',
      result: failure('recipient_not_found'),
    });
    assert.equal((await desk.itemOf(back)).release, null);
    assert.deepEqual(await reasonsOf(push), ['late_success']);
    assert.equal((await desk.approve(await desk.writeOff(back))).proposal.state, 'executed');
    assert.deepEqual(await reasonsOf(push), []);
  });

  it('gives way to the question how the transaction ends, where that waits on after the last release', async () => {
    const { id } = await handedOver(desk.database, pushRequest());
    for (const [shillings, receipt] of [
      [4_000, `${id} 1`],
      [3_000, `${id} 2`],
    ] as const)
      await tryToEnd(desk.database, id, { kind: 'answer', result: succeeded(shillings, receipt) });
    const { items } = await pageOfSuspense(desk.database, { page: 1, perPage: 200 });
    const [first, second] = items.filter(({ transactionId }) => transactionId === id);
    assert.ok(first && second);
    const released = await desk.approve(await desk.toMerchant(first));
    assert.equal(released.wake, id, 'its workflow looks again, and says so too');
    assert.deepEqual(await reasonsOf(id), ['wrong_amount']);
    const { begin } = await desk.approve(await desk.toPayer(second));
    assert.deepEqual(await reasonsOf(id), ['wrong_amount']);
    const paid = { kind: 'answer', result: succeeded(3_000, `${id} back`) } as const;
    await tryToEnd(asRole(desk.database, 'worker'), begin ?? '', paid);
    assert.deepEqual(await reasonsOf(id), ['unknown_outcome']);
    const [one] = await casesOf(desk.database, [id]);
    assert.equal(
      one?.explained.money[0],
      'Nothing was credited to the merchant except what two operators released',
    );
    assert.match(one?.explained.money[1] ?? '', /^4,000\.00 TZS .* was credited to a merchant/);
    // Its channel says the same once more: nothing new is there to decide.
    await tryToEnd(desk.database, id, { kind: 'answer', result: succeeded(4_000, `${id} 1`) });
    assert.deepEqual(await reasonsOf(id), ['unknown_outcome']);
    await tryToEnd(desk.database, id, { kind: 'answer', result: failure('network_error') });
    assert.deepEqual(await reasonsOf(id), []);
  });

  it('also of what a network moved without an amount that anybody could read: two operators name it', async () => {
    const { id } = await handedOver(desk.database, pushRequest());
    const result = { ...succeeded(5_000, 'a currency of nobody'), currency: 'shillings' };
    await tryToEnd(desk.database, id, { kind: 'answer', result });
    assert.deepEqual(await reasonsOf(id), ['wrong_amount']);
    const { items } = await pageOfSuspense(desk.database, { page: 1, perPage: 200 });
    const item = items.find(({ transactionId }) => transactionId === id);
    assert.ok(item && item.amount === minor(0));
    const before = await desk.onAccount('suspense');
    const named = await desk.propose('suspense.name-amount', item, { amount: 500_00, currency: 'TZS' });
    assert.equal((await desk.approve(named)).proposal.state, 'executed');
    assert.equal(await desk.onAccount('suspense'), before + 500_00);
  });
});
