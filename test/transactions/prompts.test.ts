import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { BillMode } from '../../src/domain/bill.ts';
import { promptLimits } from '../../src/domain/data/prompts.ts';
import { balanceOf, entriesOf } from '../../src/ledger/accounts.ts';
import { receiveBillPayment, validateBillPayment } from '../../src/transactions/ending/bills.ts';
import { tryToEnd } from '../../src/transactions/ending/end.ts';
import { unsignalledPaymentOf } from '../../src/transactions/rescue/orphans.ts';
import { setNumberStatus } from '../../src/transactions/rows/number-store.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { accept } from '../support/accept.ts';
import { atOnce, times } from '../support/at-once.ts';
import { payBill, paymentOf } from '../support/bill-customer.ts';
import { openBillDesk } from '../support/bill-desk.ts';
import { asRole } from '../support/database.ts';
import { answered } from '../support/handed-over.ts';
import { billRequest, pushRequest, refundRequest, submissionFor } from '../support/merchant.ts';
import { makeNumber } from '../support/numbers.ts';
import { failure, succeeded } from '../support/scripted-channel.ts';

/** Phones of M-Pesa, each of its own. */
let phones = 10_000;
function newPhone(): string {
  phones += 1;
  return `2557540${phones}`;
}

describe('pushes that are asked for on a page', () => {
  const desk = openBillDesk();
  const worker = () => asRole(desk.database, 'worker');
  const door = () => asRole(desk.database, 'api');

  /** What its form asks for. `amount`: TZS. */
  const promptFor = (pays: string, amount = 25_000, msisdn = newPhone()) =>
    submissionFor(desk.merchant, { ...pushRequest(amount, msisdn), pays });
  async function ask(pays: string, amount?: number, msisdn?: string) {
    const submission = promptFor(pays, amount, msisdn);
    const { mine, answer } = await accept(worker(), submission);
    return { id: submission.transactionId, mine, said: String(JSON.parse(answer.body).message) };
  }
  const pay = (id: string, amount = 25_000, receipt = `R-${id}`) =>
    answered(worker(), id, succeeded(amount, receipt));
  const fail = (id: string) => answered(worker(), id, failure('customer_declined'));
  const bill = (mode: BillMode = 'exact') => desk.bill(billRequest(25_000, { mode }));

  it('pay the bill: its payment, fee, event and refund are those of a control number that was typed', async () => {
    const { id: billId } = await bill();
    const { id, mine } = await ask(billId);
    assert.equal(mine, true);
    assert.equal((await pay(id)).status, 'completed');
    const paid = await desk.stored(billId);
    assert.deepEqual([paid.status, paid.bill.paid, paid.fee], ['completed', 2_500_000, 37_500]);
    const push = await getTransaction(desk.database, id);
    assert.deepEqual(
      [push?.status, push?.fee, push?.settled, push?.mode === 'ussd' && push.pays],
      ['completed', 0, 0, billId],
    );
    const [event, ...more] = await desk.eventsOf(billId);
    assert.deepEqual([event.event, event.channel.reference, more], ['payment.received', `R-${id}`, []]);
    assert.deepEqual(await desk.eventsOf(id), []);
    assert.deepEqual(await entriesOf(desk.database, id), []);
    assert.equal(await desk.earned(), 2_462_500);
    // Told again it changes nothing.
    await pay(id);
    assert.equal(await desk.earned(), 2_462_500);

    const ofPush = submissionFor(desk.merchant, refundRequest(id));
    const refused = await accept(worker(), ofPush);
    const { code, message } = JSON.parse(refused.answer.body);
    assert.equal(code, 'not_refundable');
    assert.ok(message.includes(billId), message);
    const ofBill = await accept(worker(), submissionFor(desk.merchant, refundRequest(billId)));
    assert.equal(ofBill.mine, true, ofBill.answer.body);
  });

  it('pay a number: a payment of it is born, and the sweep, or whoever settles, tells Temporal of it', async () => {
    const number = await makeNumber(desk.database, desk.merchant, { minimum: 2_000, maximum: 50_000 });
    for (const amount of [1_500, 50_001]) assert.match((await ask(number.id, amount)).said, /amount/i);
    const { id } = await ask(number.id, 3_000);
    await pay(id, 3_000);
    const told = await unsignalledPaymentOf(worker(), id);
    assert.equal(told?.payment.receipt, `R-${id}`);
    const payment = await getTransaction(desk.database, told?.transactionId ?? '');
    assert.deepEqual([payment?.mode, payment?.status, payment?.amount], ['number', 'completed', 300_000]);
    assert.equal((await desk.eventsOf(payment?.id ?? '')).length, 1);
  });

  desk
    .itRaced(12, '200 at once for one bill are one', async () => {
      const { id: billId } = await bill('flexible');
      const asked = times(200, () => ask(billId));
      const answers = await atOnce(12, desk.database, asked);
      assert.equal(answers.filter(({ mine }) => mine).length, 1);
      assert.match(answers.find(({ mine }) => !mine)?.said ?? '', /waiting on a phone/);
    })
    .timeout(120_000);

  it('keep an exact bill for their phone, and give it back when they fail', async () => {
    const { id: billId, number } = await bill();
    const msisdn = newPhone();
    const { id } = await ask(billId, 25_000, msisdn);
    const other = await validateBillPayment(door(), paymentOf(number, 25_000));
    assert.deepEqual(other, { outcome: 'refused', reason: 'in_progress' });
    const own = await validateBillPayment(door(), paymentOf(number, 25_000, { msisdn, receipt: 'OWN' }));
    assert.equal(own.outcome, 'accepted');
    await desk.endClaims();
    await fail(id);
    const second = await ask(billId);
    assert.equal(second.mine, true);
    await fail(second.id);
    assert.equal((await payBill(door(), paymentOf(number, 25_000))).outcome, 'accepted');
  });

  it("hold a stranger's bill twice and no more, and are five in all", async () => {
    const { id: billId, number } = await bill();
    const heldFor: boolean[] = [];
    for (let i = 0; i < promptLimits.of_bill; i += 1) {
      const { id, mine } = await ask(billId);
      assert.equal(mine, true);
      const { outcome } = await validateBillPayment(door(), paymentOf(number, 25_000, { receipt: `${i}` }));
      heldFor.push(outcome === 'refused');
      await desk.endClaims();
      await fail(id);
    }
    assert.deepEqual(heldFor, [true, true, false, false, false]);
    assert.match((await ask(billId)).said, /reached their limit/);
    assert.equal((await payBill(door(), paymentOf(number, 25_000))).outcome, 'accepted');
  });

  it('are three an hour for a phone over all pages, and the refusal says when', async () => {
    const msisdn = newPhone();
    for (let i = 0; i < promptLimits.of_phone.most; i += 1) {
      const { id, mine } = await ask((await bill()).id, 25_000, msisdn);
      assert.equal(mine, true);
      await fail(id);
    }
    const number = await makeNumber(desk.database, desk.merchant);
    assert.match(
      (await ask(number.id, 3_000, msisdn)).said,
      /again at \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/,
    );
    await desk.sql`UPDATE transactions SET created_at = created_at - interval '1 hour'
      WHERE msisdn = ${msisdn}`;
    assert.equal((await ask(number.id, 3_000, msisdn)).mine, true);
  });

  desk.itRaced(8, "are one open for each phone of a number, and never stop another's", async () => {
    const number = await makeNumber(desk.database, desk.merchant);
    const msisdn = newPhone();
    const asked = times(8, () => ask(number.id, 3_000, msisdn));
    const answers = await atOnce(8, desk.database, asked);
    assert.equal(answers.filter(({ mine }) => mine).length, 1);
    assert.equal((await ask(number.id, 3_000)).mine, true);
  });

  it('are sixty an hour for a number, and the refusal says when', async () => {
    const number = await makeNumber(desk.database, desk.merchant);
    for (let i = 0; i < promptLimits.of_number.most; i += 1)
      assert.equal((await ask(number.id, 3_000)).mine, true);
    assert.match((await ask(number.id, 3_000)).said, /again at \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/);
    const other = await makeNumber(desk.database, desk.merchant);
    assert.equal((await ask(other.id, 3_000)).mine, true);
  });

  it('are six hundred a minute for an account', async () => {
    const { of_account: most, of_number: each } = promptLimits;
    for (let left = most.most; left > 0; left -= each.most) {
      const { id } = await makeNumber(desk.database, desk.merchant);
      for (let n = Math.min(left, each.most); n > 0; n -= 1) assert.ok((await ask(id, 3_000)).mine);
    }
    // However long it took until here.
    await desk.sql`UPDATE transactions SET created_at = now() WHERE account_id = ${desk.merchant.accountId}`;
    const other = await makeNumber(desk.database, desk.merchant);
    assert.match((await ask(other.id, 3_000)).said, /again at \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/);
  }).timeout(60_000);

  it('cost what the bill says', async () => {
    const { id: billId, number } = await bill('flexible');
    assert.equal((await ask(billId, 1_000)).mine, false);
    await payBill(door(), paymentOf(number, 5_000));
    assert.equal((await ask(billId, 25_000)).mine, false);
    const { id } = await ask(billId, 20_000);
    await pay(id, 20_000);
    assert.equal((await desk.stored(billId)).status, 'completed');
  });

  it('are refused for what is paid, over, closed, unknown or frozen', async () => {
    const paid = await bill();
    await payBill(door(), paymentOf(paid.number, 25_000));
    const number = await makeNumber(desk.database, desk.merchant);
    const { id, accountId } = number;
    await setNumberStatus(door(), { id, accountId, status: 'closed' });
    for (const pays of [paid.id, number.id, randomUUID()])
      assert.match((await ask(pays)).said, /cannot be paid/, pays);
    const frozen = await bill();
    await desk.sql`INSERT INTO freezes (account_id, frozen_by, reason)
      VALUES (${desk.merchant.accountId}, 'test', 'test')`;
    assert.match((await ask(frozen.id)).said, /frozen/);
  });

  it('keep a bill from being cancelled or over while its customer is asked', async () => {
    const { id: billId } = await bill('flexible');
    const { id } = await ask(billId);
    assert.equal((await tryToEnd(worker(), billId, { kind: 'cancel' })).status, 'pending');
    await desk.sql`UPDATE bills SET expires_at = now() WHERE transaction_id = ${billId}`;
    assert.equal((await tryToEnd(worker(), billId, { kind: 'expired' })).status, 'pending');
    await pay(id);
    assert.equal((await desk.stored(billId)).status, 'completed');
  });

  /** 2,000 are in the long tests. */
  const races = Number(process.env.PROMPT_RACES ?? 60);
  desk
    .itRaced(
      20,
      `in ${races} races of number against push: one is taken, the other refused or in suspense`,
      async () => {
        const before = (await balanceOf(desk.database, desk.merchant.accountId, 'TZS')).current;
        let suspended = 0;
        const prepare = async () => {
          const { id: billId, number } = await bill();
          const { id, mine } = await ask(billId);
          assert.equal(mine, true);
          await desk.sql`UPDATE bills SET claimed_until = now() WHERE transaction_id = ${billId}`;
          return { billId, number, id };
        };
        type Racing = Awaited<ReturnType<typeof prepare>>;
        const byNumber =
          ({ number }: Racing) =>
          async () =>
            (await receiveBillPayment(door(), paymentOf(number, 25_000))).outcome;
        const byPush =
          ({ id }: Racing) =>
          async () =>
            (await pay(id)).status;
        const check = async ({ billId }: Racing, outcome: string | undefined) => {
          const inSuspense = (await desk.suspenseOf(billId)).length;
          suspended += inSuspense;
          assert.equal(`${outcome},${inSuspense}`, outcome === 'accepted' ? 'accepted,1' : 'refused,0');
          assert.equal((await desk.stored(billId)).bill.payments, 1);
        };
        for (let done = 0; done < races; done += 10) {
          // An account has 600 a minute.
          if (done % 500 === 0)
            await desk.sql`UPDATE transactions SET created_at = created_at - interval '1 minute'
            WHERE pays IS NOT NULL`;
          const racing: Racing[] = [];
          while (racing.length < 10) racing.push(await prepare());
          const works = racing.flatMap((one) => [byNumber(one), byPush(one)]);
          const outcomes = await atOnce(20, desk.database, works);
          for (const [i, one] of racing.entries()) await check(one, outcomes[2 * i]);
        }
        assert.equal(
          (await balanceOf(desk.database, desk.merchant.accountId, 'TZS')).current - before,
          races * 2_462_500,
        );
        assert.ok(suspended <= races);
      },
    )
    .timeout(300_000);
});
