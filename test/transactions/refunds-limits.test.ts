import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Cause } from '../../src/domain/ending.ts';
import { type RefundRequest, statusOf } from '../../src/domain/operation.ts';
import { suspenseItemsOf } from '../../src/ledger/suspense.ts';
import { type Destination, postRelease } from '../../src/ledger/suspense-postings.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import { recordSend } from '../../src/transactions/channel/sends.ts';
import { tryToEnd } from '../../src/transactions/ending/end.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { accept } from '../support/accept.ts';
import { atOnce, times } from '../support/at-once.ts';
import { openBillDesk } from '../support/bill-desk.ts';
import { plantDecision, plantProposal } from '../support/decision.ts';
import { createMerchant, refundRequest, submissionFor } from '../support/merchant.ts';
import { plantPaidPush } from '../support/paid-push.ts';
import { failure, succeeded } from '../support/scripted-channel.ts';

const look: Cause = { kind: 'notifications' };
const failed: Cause = { kind: 'answer', result: failure('network_error') };
const paid = (shillings: number): Cause => ({ kind: 'answer', result: succeeded(shillings, randomUUID()) });

describe('the refunds of one payment', () => {
  const desk = openBillDesk();
  const payment = () => plantPaidPush(desk.database, desk.merchant, { msisdn: '255754123456' });
  const refund = async (request: RefundRequest) => {
    const submission = submissionFor(desk.merchant, request);
    const { answer } = await accept(desk.database, submission);
    return { id: submission.transactionId, status: statusOf(answer), body: JSON.parse(answer.body) };
  };

  /** The row of a refund again, `times` over and past the service: only the database can refuse it. */
  async function copyOf(refundId: string, changes: Record<string, unknown>, times = 1): Promise<void> {
    const columns = `account_id, api_key_id, submission_id, type, mode, status, event, amount, currency, fee, fee_version,
      channel, connection, msisdn, timing, refund_of, refund_payment, failure_code`;
    await desk.database.query(
      `INSERT INTO transactions (id, reference, ${columns})
       SELECT gen_random_uuid(), gen_random_uuid()::text, ${columns} FROM generate_series(1, $3),
         jsonb_populate_record(null::transactions, (SELECT to_jsonb(t) || $2 FROM transactions t WHERE id = $1))`,
      [refundId, changes, times],
    );
  }

  desk
    .itRaced(12, '200 at once never exceed the payment', async () => {
      const id = await payment();
      const refunds = times(200, () => refund(refundRequest(id, { amount: 100 })));
      const answers = await atOnce(12, desk.database, refunds);
      const codes = answers.map(({ status, body }) => body.code ?? status);
      assert.equal(codes.filter((code) => code === 200).length, 50);
      assert.equal(codes.filter((code) => code === 'refund_exceeds_payment').length, 150);
      const stored = await getTransaction(desk.database, id);
      assert.equal(stored && 'refunded' in stored && stored.refunded, 500_000);
    })
    .timeout(60_000);

  it('end with 500, those that failed included', async () => {
    const id = await payment();
    const { id: refundId } = await refund(refundRequest(id, { amount: 1 }));
    await tryToEnd(desk.database, refundId, { kind: 'cancel' });
    await copyOf(refundId, { status: 'cancelled' }, 499);
    assert.match((await refund(refundRequest(id))).body.message, /^There were 500 refunds/);
    await desk.sql`DELETE FROM transactions WHERE refund_of = ${id} AND id <> ${refundId}`;
  });

  describe('count what reached the payer although it had failed', () => {
    const VALUE = 5_000;
    /** A refund that failed, and what the channel says of it afterwards. */
    async function paidLate(payment: string, request: { amount?: number } = {}) {
      const { id } = await refund(refundRequest(payment, request));
      await tryToEnd(desk.database, id, failed);
      await tryToEnd(desk.database, id, paid(request.amount ?? VALUE));
      assert.equal((await getTransaction(desk.database, id))?.status, 'failed');
      assert.equal((await desk.suspenseOf(id)).length, 1);
      return id;
    }
    const exceeds = async (payment: string, request: { amount?: number } = {}) => {
      const { status, body } = await refund(refundRequest(payment, request));
      assert.deepEqual([status, body.code], [409, 'refund_exceeds_payment']);
      return body.message as string;
    };
    const release = async (id: string, to: Destination) => {
      const [item] = await suspenseItemsOf(desk.database, { transactionIds: [id] });
      assert.ok(item);
      const proposalId = await plantProposal(desk.database, 'suspense');
      await inTransaction(desk.database, (db) =>
        postRelease(db, item, { ...to, proposalId, note: 'a test' }),
      );
    };

    it('so nothing is left once all of it did, and a part where a part did', async () => {
      const whole = await payment();
      await paidLate(whole);
      assert.match(await exceeds(whole), /^5,000\.00 of this payment .* 0\.00 can still/);
      const part = await payment();
      await paidLate(part, { amount: 2_000 });
      await exceeds(part, { amount: 3_001 });
      assert.equal((await refund(refundRequest(part))).body.amount.value, 3_000);
    });

    it('also where its second refund was on its way already: nothing more leaves', async () => {
      const id = await payment();
      const { id: first } = await refund(refundRequest(id));
      await tryToEnd(desk.database, first, failed);
      const { id: second, status } = await refund(refundRequest(id, { amount: 4_000 }));
      assert.equal(status, 200);
      await tryToEnd(desk.database, first, paid(VALUE));
      assert.match(await exceeds(id), /^9,000\.00 of this payment .* 0\.00 can still/);
      const send = (transactionId: string) => recordSend(desk.database, { transactionId, number: 1 });
      await assert.rejects(send(second), /has the money of this refund already/);
      await tryToEnd(desk.database, second, { kind: 'unsent' });
      const { status: ended } = (await getTransaction(desk.database, second)) ?? {};
      assert.equal(ended, 'failed');
    });

    it('but what is left of it may leave', async () => {
      const id = await payment();
      await paidLate(id, { amount: 2_000 });
      const { id: rest } = await refund(refundRequest(id));
      const permit = await recordSend(desk.database, { transactionId: rest, number: 1 });
      assert.equal(permit.granted, true);
    });

    it('also where one was paid twice', async () => {
      const id = await payment();
      const { id: first } = await refund(refundRequest(id, { amount: 2_000 }));
      for (let time = 0; time < 2; time += 1) await tryToEnd(desk.database, first, paid(2_000));
      assert.equal((await refund(refundRequest(id))).body.amount.value, 1_000);
    });

    it('whoever bears it, unless its channel took it back', async () => {
      const { accountId } = desk.merchant;
      for (const to of [{ to: 'us' }, { to: 'merchant', accountId }] as const) {
        const id = await payment();
        await release(await paidLate(id), to);
        await exceeds(id);
      }
      const id = await payment();
      await release(await paidLate(id), { to: 'channel' });
      assert.equal((await refund(refundRequest(id))).body.amount.value, VALUE);
    });

    it('once, where two operators had said that it was paid and the channel said both', async () => {
      const id = await payment();
      const { id: first } = await refund(refundRequest(id, { amount: 2_000 }));
      await plantDecision(desk.database, first, 'paid');
      for (const cause of [look, failed, paid(2_000)]) await tryToEnd(desk.database, first, cause);
      assert.equal((await desk.suspenseOf(first)).length, 2);
      assert.equal((await refund(refundRequest(id))).body.amount.value, 3_000);
    });
  });

  it('are held to the payment’s value by the database itself', async () => {
    const id = await payment();
    const { id: refundId } = await refund(refundRequest(id, { amount: 3_000 }));
    const more = (changes: Record<string, unknown>) => copyOf(refundId, changes);
    await assert.rejects(
      more({ amount: 200_001 }),
      /the refunds of .* are worth 500001, more than the 500000/,
    );
    const stranger = await createMerchant(desk.database);
    await assert.rejects(more({ amount: 1, account_id: stranger.accountId }), /of another account/);
    await assert.rejects(more({ amount: 1, refund_payment: 1 }), /foreign key|more than the 0/);
    await assert.rejects(more({ refund_of: null }), /refund_has_its_payment/);
    await assert.rejects(more({ mode: 'mobile', amount: 1 }), /refund_has_its_payment/);
  });
});
