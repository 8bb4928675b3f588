// tests: slow
import assert from 'node:assert/strict';
import { minor } from '../../src/domain/money.ts';
import { getSuspenseItem } from '../../src/ledger/suspense.ts';
import { receiveBillPayment } from '../../src/transactions/ending/bills.ts';
import { tryToEnd } from '../../src/transactions/ending/end.ts';
import { unsignalledPayments } from '../../src/transactions/rescue/orphans.ts';
import { setNumberStatus } from '../../src/transactions/rows/number-store.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { atOnce } from '../support/at-once.ts';
import { endTimeOf, expireBill, paymentOf } from '../support/bill-customer.ts';
import { ConnectionLost, failingDatabase } from '../support/failing-database.ts';
import { hire } from '../support/finance.ts';
import { makeNumber } from '../support/numbers.ts';
import { pick } from '../support/pick.ts';
import { succeeded } from '../support/scripted-channel.ts';
import { attentionOf } from '../support/unexplained.ts';
import { openBillItems, VALUE } from './bill-items.ts';

describe('an item in suspense that becomes the payment that it is', () => {
  const { desk, worker, door, propose, approve, take, ask, answer, itemOf, itemNamed, ...of } =
    openBillItems();
  const { paidLate, shown, bill, refund } = of;

  it('pays an open bill: receipt, fee, callback, refund and flow, and the push stays failed', async () => {
    const { id } = await bill();
    const { push, item, receipt } = await paidLate(id);
    assert.notEqual((await attentionOf(desk.database, push)).length, 0);
    const before = await desk.earned();
    const proposal = await propose(item.id);
    assert.match(proposal.summary, /^Take 25,000\.00 TZS of .* as a payment of 77\d+ of Test shop/);
    assert.ok(
      proposal.facts.some(({ after }) => after === push),
      'the push is named',
    );
    const { paid } = await approve(proposal);
    const after = await desk.stored(id);
    assert.deepEqual([after.status, after.channelReference], ['completed', receipt]);
    assert.equal((await getTransaction(desk.database, push))?.status, 'failed');
    assert.ok(after.fee > 0);
    assert.equal((await desk.earned()) - before, VALUE * 100 - after.fee);
    const [event, ...more] = await desk.eventsOf(id);
    assert.deepEqual([event.event, more.length], ['payment.received', 0]);
    const { release } = await itemOf(push);
    assert.deepEqual(
      [release?.kind, release?.proposedBy, release?.approvedBy, release?.note],
      ['collection', 'asha', 'juma', 'ticket 812'],
    );
    assert.deepEqual(await attentionOf(desk.database, push), []);
    assert.deepEqual([paid?.transactionId, paid?.payment.receipt], [id, receipt]);
    const unsignalled = await unsignalledPayments(desk.database, 0);
    assert.ok(
      unsignalled.some(({ payment }) => payment.receipt === receipt),
      'the sweep tells its flow',
    );
    assert.match(await refund(id), /"status":"initiated"/);
    await assert.rejects(propose(item.id), /has left suspense already/);
    // Told again it is nothing new.
    await answer(push, succeeded(VALUE, receipt));
    const again = paymentOf(after.bill.controlNumber, VALUE, { receipt, msisdn: after.msisdn });
    assert.equal((await receiveBillPayment(door(), again)).outcome, 'repeated');
  });

  it('pays a bill as the line of a statement that names it, also when its time is over meanwhile', async () => {
    const { id, number } = await bill();
    const item = await shown('LINE-OF-BILL', number);
    await expireBill(desk.database, id);
    assert.equal((await desk.stored(id)).status, 'pending', 'it is kept for this item');
    await take(item);
    assert.deepEqual(
      [(await desk.stored(id)).status, (await desk.stored(id)).channelReference],
      ['completed', 'LINE-OF-BILL'],
    );
  });

  it('pays a standing number that is closed, by what its door kept', async () => {
    const number = await makeNumber(desk.database, desk.merchant);
    const of = { id: number.id, accountId: desk.merchant.accountId };
    await setNumberStatus(door(), { ...of, status: 'closed' });
    const payment = paymentOf(number.controlNumber, 7_000, { refusalReturnsMoney: false });
    assert.deepEqual(await receiveBillPayment(door(), payment), {
      outcome: 'suspended',
      transactionId: null,
    });
    const { transactionId } = await take(await itemNamed(payment.receipt));
    const paid = (await getTransaction(desk.database, transactionId)) ?? assert.fail('not written');
    assert.deepEqual([paid.mode, paid.status, paid.amount], ['number', 'completed', 7_000_00]);
    assert.deepEqual(pick(await desk.eventsOf(transactionId), 'event'), ['payment.received']);
    assert.match(await refund(transactionId), /"status":"initiated"/);
    assert.deepEqual((await receiveBillPayment(door(), payment)).outcome, 'repeated');
  });

  it('pays one of the parts of a flexible bill', async () => {
    const { id, number } = await bill(60_000, 'flexible');
    await receiveBillPayment(door(), paymentOf(number, 10_000));
    await take(await shown('PART-OF-BILL', number));
    const { status, bill: now } = await desk.stored(id);
    assert.deepEqual([status, now.paid, now.payments], ['pending', 35_000_00, 2]);
  });

  describe('is refused by name', () => {
    const refused = async (item: string, words: RegExp) => {
      await assert.rejects(propose(item), words);
      assert.equal((await getSuspenseItem(desk.database, item))?.release, null);
    };

    it('where the bill was paid meanwhile', async () => {
      const { id, number } = await bill();
      const { item } = await paidLate(id);
      await receiveBillPayment(door(), paymentOf(number, VALUE));
      await refused(item.id, /77\d+ cannot take it: it was paid meanwhile\. Pay it back to its payer/);
      assert.equal((await desk.eventsOf(id)).length, 1);
    });

    it('where it has expired, or was cancelled', async () => {
      const [expired, cancelled, over] = [await bill(), await bill(), await bill()];
      const late = [await paidLate(expired.id), await paidLate(cancelled.id), await paidLate(over.id)];
      await expireBill(desk.database, expired.id);
      await tryToEnd(worker(), cancelled.id, { kind: 'cancel' });
      await endTimeOf(desk.database, over.id);
      for (const [at, words] of [/it has expired/, /it was cancelled/, /it has expired/].entries())
        await refused(late[at]?.item.id ?? '', words);
      assert.equal((await desk.stored(expired.id)).status, 'failed');
    });

    it('where an exact bill is of another amount', async () => {
      const { number } = await bill(26_000);
      await refused(await shown('TOO-LITTLE', number), /the amount is less than what is due/);
      const { number: less } = await bill(24_000);
      await refused(await shown('TOO-MUCH', less), /the amount is more than what is due/);
    });

    it('while another payment of it is in progress', async () => {
      const { id } = await bill();
      const { item } = await paidLate(id);
      await ask(id);
      await refused(item.id, /another payment of it is in progress/);
    });

    it('where it pays nothing, or another bill than was said', async () => {
      await refused(await shown('OF-NOBODY', null), /belongs to no existing bill or number/);
      const { id } = await bill();
      const { item } = await paidLate(id);
      await assert.rejects(
        propose(item.id, { bill: '770000000000' }),
        /changed since you looked at it \(bill\)/,
      );
    });

    it('where it is paid between proposal and approval: nothing is kept but the refusal', async () => {
      const { id, number } = await bill();
      const { item } = await paidLate(id);
      const proposal = await propose(item.id);
      await receiveBillPayment(door(), paymentOf(number, VALUE));
      const { proposal: after } = await approve(proposal);
      assert.equal(after.state, 'failed');
      assert.match(after.outcome ?? '', /it was paid meanwhile/);
      assert.equal((await itemOf(item.transactionId ?? '')).release, null);
    });
  });

  desk.itRaced(4, 'is taken once, whoever approves what at the same time', async () => {
    await hire(desk.database);
    for (const of of [bill, async () => makeNumber(desk.database, desk.merchant)]) {
      const { id } = await of();
      const { item } = await paidLate(id);
      const both = [await propose(item.id), await propose(item.id)];
      const before = await desk.earned();
      const approvals = [...both, ...both].map((one) => () => approve(one).catch(() => null));
      const done = await atOnce(4, desk.database, approvals);
      assert.equal(done.filter((one) => one?.proposal.state === 'executed').length, 1);
      assert.ok((await desk.earned()) - before <= VALUE * 100);
    }
  });

  it('moves nothing, or all of it once, wherever the process ends', async () => {
    const { id } = await bill();
    const { item } = await paidLate(id);
    const proposal = await propose(item.id);
    const whole = failingDatabase(door(), { at: 0, answerLost: false });
    const rolledBack = await bill();
    const other = await paidLate(rolledBack.id);
    await approve(await propose(other.item.id), whole.database);
    const count = whole.statements();
    assert.ok(count > 20);
    for (let at = 1; at < count; at += 1) {
      const failing = failingDatabase(door(), { at, answerLost: at % 2 === 0 });
      await assert.rejects(approve(proposal, failing.database), ConnectionLost);
      assert.equal((await desk.stored(id)).status, 'pending', `statement ${at}`);
    }
    assert.equal((await getSuspenseItem(desk.database, item.id))?.release, null);
    // Its commit arrives, its answer does not.
    const late = failingDatabase(door(), { at: count, answerLost: true });
    await assert.rejects(approve(proposal, late.database), ConnectionLost);
    assert.equal((await desk.stored(id)).status, 'completed');
    await assert.rejects(approve(proposal), /is executed already \(decided by juma\)/);
    assert.equal((await desk.eventsOf(id)).length, 1);
  });

  describe('comes back after a restore', () => {
    /** What `recover` does with a payment that a flow was told of. */
    const again = (payment: Awaited<ReturnType<typeof take>>['payment']) =>
      receiveBillPayment(door(), payment, { wasAccepted: true });

    it('to before the item: it is booked as at its door', async () => {
      const { id, number } = await bill();
      const payment = { ...paymentOf(number, VALUE), refusalReturnsMoney: false, prompt: null };
      assert.equal((await again(payment)).outcome, 'accepted');
      assert.equal((await desk.stored(id)).status, 'completed');
      assert.equal((await shown(payment.receipt, number)).length > 0, true);
    });

    it('to between the item and its approval: the item is taken, and nothing is booked twice', async () => {
      const late = await bill();
      const { item, push, receipt } = await paidLate(late.id);
      const payment = { ...paymentOf(late.number, VALUE, { receipt }), prompt: push };
      await endTimeOf(desk.database, late.id);
      assert.equal((await again(payment)).outcome, 'accepted');
      assert.equal((await getSuspenseItem(desk.database, item.id))?.release?.kind, 'collection');
      assert.equal((await again(payment)).outcome, 'repeated');

      const number = await makeNumber(desk.database, desk.merchant);
      await setNumberStatus(door(), { id: number.id, accountId: desk.merchant.accountId, status: 'closed' });
      const kept = paymentOf(number.controlNumber, 7_000, { refusalReturnsMoney: false });
      await receiveBillPayment(door(), kept);
      assert.equal((await again(kept)).outcome, 'accepted');
      assert.equal((await again(kept)).outcome, 'repeated');
    });

    it('to after it: it is there', async () => {
      const { id } = await bill();
      const { item } = await paidLate(id);
      const { payment } = await take(item.id);
      assert.equal((await again(payment)).outcome, 'repeated');
    });

    it('and stays in suspense where another customer has paid since', async () => {
      const { number } = await bill();
      await receiveBillPayment(door(), paymentOf(number, VALUE));
      const kept = paymentOf(number, VALUE, { refusalReturnsMoney: false });
      await receiveBillPayment(door(), kept);
      for (let times = 0; times < 2; times += 1) assert.equal((await again(kept)).outcome, 'suspended');
    });
  });

  it('is the money of a push that still waits: its success is a repeat then', async () => {
    const { id } = await bill();
    const push = await ask(id);
    const { reference } = (await getTransaction(desk.database, push)) ?? assert.fail('no push');
    const item = await shown('OF-PENDING', reference);
    await desk.endClaims();
    await take(item);
    const earned = await desk.earned();
    await answer(push, succeeded(VALUE, 'OF-PENDING'));
    assert.equal((await getTransaction(desk.database, push))?.status, 'completed');
    assert.equal(await desk.earned(), earned);
    assert.equal((await desk.stored(id)).bill.paid, minor(VALUE * 100));
  });
});
