import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Cause } from '../../src/domain/ending.ts';
import { minor } from '../../src/domain/money.ts';
import { type SuspenseItem, suspenseItemsOf } from '../../src/ledger/suspense.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import { tryToEnd } from '../../src/transactions/ending/end.ts';
import { takeLateSuccess } from '../../src/transactions/odd-money/suspense.ts';
import { lockTransaction } from '../../src/transactions/rows/store.ts';
import { asRole } from '../support/database.ts';
import { plantDecision } from '../support/decision.ts';
import { handedOver, notify } from '../support/handed-over.ts';
import { untilLockAwaited } from '../support/lock-wait.ts';
import { bankPayoutRequest, mobilePayoutRequest, pushRequest } from '../support/merchant.ts';
import { failure, succeeded } from '../support/scripted-channel.ts';
import { openSuspenseDesk } from './suspense-desk.ts';

const look: Cause = { kind: 'notifications' };
const failed: Cause = { kind: 'answer', result: failure('recipient_not_found') };
const paid = (shillings: number): Cause => ({ kind: 'answer', result: succeeded(shillings, randomUUID()) });
const GONE = /si_\w+ shows that the money of si_\w+ is gone already: release si_\w+ first/;

/** `missing`, below zero, says that the money of the other one is gone. */
type Pair = { owed: SuspenseItem; missing: SuspenseItem };

describe('two items of suspense that make up for each other', () => {
  const desk = openSuspenseDesk();
  const { suspended, toMerchant, writeOff, givenBack, toPayer, approve } = desk;
  const answered = (id: string, cause: Cause) => tryToEnd(asRole(desk.database, 'worker'), id, cause);

  async function itemsOf(...transactionIds: string[]): Promise<Pair> {
    const items = await suspenseItemsOf(desk.database, { transactionIds });
    const [owed, missing] = [items.find(({ amount }) => amount > 0), items.find(({ amount }) => amount < 0)];
    assert.ok(owed && missing && items.length === 2, JSON.stringify(items));
    return { owed, missing };
  }
  async function leaves(proposal: Parameters<typeof approve>[0]): Promise<void> {
    const { state, outcome } = (await approve(proposal)).proposal;
    assert.equal(state, 'executed', outcome ?? '');
  }
  async function refused(proposal: Parameters<typeof approve>[0]): Promise<void> {
    const { state, outcome } = (await approve(proposal)).proposal;
    assert.equal(state, 'failed');
    assert.match(outcome ?? '', GONE);
  }

  /** Money that came late, and a payback of it that failed. Returns the id of the payback. */
  async function paybackFailed(): Promise<{ item: SuspenseItem; id: string }> {
    const { item } = await suspended();
    const id = (await approve(await toPayer(item))).begin ?? '';
    await answered(id, failed);
    return { item: await desk.itemOf(item), id };
  }
  /** The same, and its payer has the money all the same. */
  async function movedAfterAll(): Promise<Pair> {
    const { item, id } = await paybackFailed();
    await answered(id, paid(500));
    return itemsOf(id, item.transactionId ?? '');
  }
  /** A payout that two operators had said was paid; its channel says that it failed, and then that it did not. */
  async function payoutPaidAfterAll(): Promise<Pair> {
    const { id } = await handedOver(desk.database, mobilePayoutRequest(500));
    await plantDecision(desk.database, id, 'paid');
    for (const cause of [look, failed, paid(500)]) await answered(id, cause);
    return itemsOf(id);
  }

  for (const [what, arrange] of [
    ['a payback that failed, and moved', movedAfterAll],
    ['a payout that failed, and was paid', payoutPaidAfterAll],
  ] as const)
    it(`leave one after the other in the same way: ${what}`, async () => {
      const { owed, missing } = await arrange();
      const before = await desk.onAccount('suspense');
      const [gains, losses] = [await desk.onAccount('gains'), await desk.onAccount('losses')];
      const { merchant } = await suspended();
      for (const propose of [
        () => writeOff(owed),
        () => toMerchant(owed, merchant.accountId),
        () => toPayer(owed),
      ])
        await assert.rejects(propose(), GONE);
      await leaves(await writeOff(missing));
      await assert.rejects(toMerchant(owed, merchant.accountId), GONE);
      await leaves(await writeOff(owed));
      assert.equal(await desk.onAccount('suspense'), before + 500_00, 'the one of the other merchant');
      assert.equal((await desk.onAccount('gains')) - gains, 500_00);
      assert.equal((await desk.onAccount('losses')) - losses, -500_00);
    });

  it('are refused what was proposed before the second came, when it is approved', async () => {
    const { item, id } = await paybackFailed();
    const proposals = [await writeOff(item), await toMerchant(item), await toPayer(item)];
    await answered(id, paid(500));
    for (const proposal of proposals) await refused(proposal);
    assert.equal((await desk.itemOf(item)).release, null);
  });

  it('are refused it also where the second comes at the moment of the approval', async () => {
    const { item, id } = await paybackFailed();
    const proposal = await toMerchant(item);
    let approved: ReturnType<typeof approve> | undefined;
    await inTransaction(desk.database, async (db) => {
      const payback = await lockTransaction(db, id);
      assert.ok(payback);
      approved = approve(proposal);
      await untilLockAwaited(desk.database);
      const { amount, currency } = payback;
      const report = { kind: 'succeeded', amount: minor(amount), currency } as const;
      await takeLateSuccess(db, payback, { ...report, channelReference: randomUUID(), fullName: null });
    });
    const { state, outcome } = (await approved)?.proposal ?? assert.fail('it was approved');
    assert.equal(state, 'failed');
    assert.match(outcome ?? '', GONE);
  });

  it('go to one merchant, who bears the first', async () => {
    const { owed, missing } = await payoutPaidAfterAll();
    const { merchant: other } = await suspended();
    await leaves(await toMerchant(missing));
    await assert.rejects(toMerchant(owed, other.accountId), GONE);
    await assert.rejects(writeOff(owed), GONE);
    await leaves(await toMerchant(owed));
  });

  it('are more than two where two paybacks of one item failed and moved: it leaves after both, as either of them did', async () => {
    const { item, id: first } = await paybackFailed();
    const second = (await approve(await toPayer(item))).begin ?? '';
    await answered(second, failed);
    for (const id of [first, second]) await answered(id, paid(500));
    const [one, other] = await suspenseItemsOf(desk.database, { transactionIds: [first, second] });
    assert.ok(one && other && one.amount < 0 && other.amount < 0);
    await leaves(await writeOff(one));
    await assert.rejects(
      writeOff(item),
      new RegExp(`the money of ${item.id} is gone already: release ${other.id}`),
    );
    const { merchant } = await suspended();
    await leaves(await toMerchant(other, merchant.accountId));
    await assert.rejects(toPayer(item), GONE);
    await assert.rejects(toMerchant(item), GONE, 'of another merchant');
    const [bearer, us] = [await toMerchant(item, merchant.accountId), await writeOff(item)];
    assert.notEqual(bearer.id, us.id, 'both may be proposed');
    await leaves(us);
  });

  it('may each be given back by their channel; what it took back later is there again', async () => {
    const both = await movedAfterAll();
    await leaves(await givenBack(both.owed));
    await leaves(await givenBack(both.missing));
    for (const { owed, missing } of [await payoutPaidAfterAll(), await movedAfterAll()]) {
      await leaves(await givenBack(missing));
      await leaves(await toMerchant(owed));
    }
  });

  it('are one movement where a success came after the failure of a payment: it is not credited twice', async () => {
    const { id } = await handedOver(desk.database, pushRequest(5_000));
    await plantDecision(desk.database, id, 'paid');
    for (const cause of [look, failed, paid(5_000)]) await answered(id, cause);
    const { owed, missing } = await itemsOf(id);
    assert.match(owed.receipt, /^succeeded:/);
    await leaves(await givenBack(missing));
    for (const propose of [toMerchant, writeOff, toPayer]) await assert.rejects(propose(owed), GONE);
    await leaves(await givenBack(owed));
  });

  it('are one movement where a bank returns what it paid late', async () => {
    const { id } = await handedOver(desk.database, bankPayoutRequest(500));
    await answered(id, failed);
    await answered(id, paid(500));
    const returned = { kind: 'returned', amount: minor(500_00), currency: 'TZS', reason: 'AC04' } as const;
    await notify(asRole(desk.database, 'api'), id, { ...returned, channelReference: 'RT1' });
    const { owed, missing } = await itemsOf(id);
    await assert.rejects(toMerchant(owed), GONE);
    await leaves(await givenBack(missing));
    await assert.rejects(toMerchant(owed), GONE);
    await leaves(await givenBack(owed));
  });

  it('leave by themselves where the first had left before the second came', async () => {
    const { item, id } = await paybackFailed();
    await leaves(await toMerchant(item));
    await answered(id, paid(500));
    const { missing } = await itemsOf(id, item.transactionId ?? '');
    await leaves(await writeOff(missing));
  });
});
