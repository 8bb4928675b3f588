// tests: slow
import assert from 'node:assert/strict';
import type { Cause } from '../../src/domain/ending.ts';
import type { Submission } from '../../src/domain/operation.ts';
import { balanceOf } from '../../src/ledger/accounts.ts';
import { recordSend } from '../../src/transactions/channel/sends.ts';
import { tryToEnd } from '../../src/transactions/ending/end.ts';
import { refundsOf } from '../../src/transactions/odd-money/refunds.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { accept } from '../support/accept.ts';
import { payBill, paymentOf } from '../support/bill-customer.ts';
import { openBillDesk } from '../support/bill-desk.ts';
import { ConnectionLost, failingDatabase } from '../support/failing-database.ts';
import { billRequest, refundRequest, submissionFor } from '../support/merchant.ts';
import { plantPaidPush } from '../support/paid-push.ts';
import { succeeded } from '../support/scripted-channel.ts';

/** A connection that breaks at any statement, before it is run or when its answer is lost. */
describe('a refund whose connection to Postgres breaks', () => {
  const desk = openBillDesk();
  const reserved = async () => (await balanceOf(desk.database, desk.merchant.accountId, 'TZS')).reserved;
  const NOTHING_BREAKS = { at: 0, answerLost: false };

  const payments = {
    push: () => plantPaidPush(desk.database, desk.merchant, { msisdn: '255754123456' }),
    bill: async () => {
      const { id, number } = await desk.bill(billRequest(5_000));
      await payBill(desk.database, paymentOf(number, 5_000));
      return id;
    },
  };

  for (const [what, pay] of Object.entries(payments))
    it(`at any statement of its acceptance (of a ${what}) is accepted once when it is run again`, async () => {
      const submissionOf = async (): Promise<Submission> =>
        submissionFor(desk.merchant, refundRequest(await pay(), { amount: 1_000 }));
      const whole = failingDatabase(desk.database, NOTHING_BREAKS);
      await accept(whole.database, await submissionOf());
      assert.ok(whole.statements() > 10, `${whole.statements()}`);
      for (let at = 1; at <= whole.statements(); at += 1)
        for (const answerLost of [false, true]) {
          const submission = await submissionOf();
          const before = await reserved();
          const failing = failingDatabase(desk.database, { at, answerLost });
          await assert.rejects(accept(failing.database, submission), ConnectionLost);
          const { answer, mine } = await accept(desk.database, submission);
          assert.deepEqual([mine, answer.refused], [true, null], `at ${at}`);
          assert.equal(await reserved(), before + 130_000, `held once, broken at ${at}`);
          assert.deepEqual((await accept(desk.database, submission)).answer, answer);
        }
    }).timeout(120_000);

  it('at any statement of its refusal is refused for ever, and leaves nothing behind', async () => {
    const id = await payments.push();
    await accept(desk.database, submissionFor(desk.merchant, refundRequest(id)));
    const whole = failingDatabase(desk.database, NOTHING_BREAKS);
    await accept(whole.database, submissionFor(desk.merchant, refundRequest(id)));
    for (let at = 1; at <= whole.statements(); at += 1)
      for (const answerLost of [false, true]) {
        const submission = submissionFor(desk.merchant, refundRequest(id));
        const failing = failingDatabase(desk.database, { at, answerLost });
        await assert.rejects(accept(failing.database, submission), ConnectionLost);
        const { answer } = await accept(desk.database, submission);
        assert.match(answer.body, /refund_exceeds_payment/);
        assert.deepEqual((await accept(desk.database, submission)).answer, answer);
      }
    assert.equal((await refundsOf(desk.database, id)).length, 1);
  }).timeout(60_000);

  const blocked = { kind: 'failed', code: 'account_blocked', channelReference: null } as const;
  const endings: [string, (id: string) => Cause, string][] = [
    ['paid', (id) => ({ kind: 'answer', result: succeeded(1_000, id) }), 'paid'],
    ['failed', () => ({ kind: 'answer', result: blocked }), 'failed'],
    ['cancelled', () => ({ kind: 'cancel' }), 'cancelled'],
  ];
  for (const [what, causeOf, status] of endings)
    it(`at any statement of its end (${what}) ends once when it is run again`, async () => {
      const refund = async () => {
        const submission = submissionFor(
          desk.merchant,
          refundRequest(await payments.push(), { amount: 1_000 }),
        );
        await accept(desk.database, submission);
        const id = submission.transactionId;
        if (what !== 'cancelled') await recordSend(desk.database, { transactionId: id, number: 1 });
        return id;
      };
      const whole = failingDatabase(desk.database, NOTHING_BREAKS);
      const first = await refund();
      await tryToEnd(whole.database, first, causeOf(first));
      for (let at = 1; at <= whole.statements(); at += 1)
        for (const answerLost of [false, true]) {
          const id = await refund();
          const cause = causeOf(id);
          const before = await balanceOf(desk.database, desk.merchant.accountId, 'TZS');
          const failing = failingDatabase(desk.database, { at, answerLost });
          await assert.rejects(tryToEnd(failing.database, id, cause), ConnectionLost);
          assert.equal((await tryToEnd(desk.database, id, cause)).status, status);
          assert.equal((await tryToEnd(desk.database, id, cause)).events.length, 1);
          const after = await balanceOf(desk.database, desk.merchant.accountId, 'TZS');
          const back = status === 'paid' ? 0 : 130_000;
          assert.deepEqual(after, {
            current: before.current + back,
            reserved: before.reserved - 130_000,
          });
          assert.equal((await getTransaction(desk.database, id))?.status, status);
        }
    }).timeout(120_000);
});
