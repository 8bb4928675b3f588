import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Cause } from '../../src/domain/ending.ts';
import { type RefundRequest, statusOf } from '../../src/domain/operation.ts';
import { balanceOf } from '../../src/ledger/accounts.ts';
import { recordSend } from '../../src/transactions/channel/sends.ts';
import { tryToEnd } from '../../src/transactions/ending/end.ts';
import { refundsOf } from '../../src/transactions/odd-money/refunds.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { accept } from '../support/accept.ts';
import { atOnce, times } from '../support/at-once.ts';
import { expireBill, payBill, paymentOf } from '../support/bill-customer.ts';
import { openBillDesk } from '../support/bill-desk.ts';
import {
  billRequest,
  createMerchant,
  pushRequest,
  qrRequest,
  refundRequest,
  submissionFor,
} from '../support/merchant.ts';
import { pick } from '../support/pick.ts';
import { failure, succeeded } from '../support/scripted-channel.ts';
import { withdraw } from '../support/withdraw.ts';

/** Every test leaves books that add up: the desk checks them. */
describe('refunds', () => {
  const desk = openBillDesk();

  const paid = (amount: number, receipt: string = randomUUID()): Cause => ({
    kind: 'answer',
    result: succeeded(amount, receipt),
  });
  const failed: Cause = { kind: 'answer', result: failure('account_blocked') };

  /** A completed push of this many TZS. */
  async function payment(amount = 5_000): Promise<string> {
    const submission = submissionFor(desk.merchant, pushRequest(amount));
    await accept(desk.database, submission);
    await tryToEnd(desk.database, submission.transactionId, paid(amount));
    return submission.transactionId;
  }

  async function refund(request: RefundRequest) {
    const submission = submissionFor(desk.merchant, request);
    const { answer, mine } = await accept(desk.database, submission);
    return { id: submission.transactionId, status: statusOf(answer), body: JSON.parse(answer.body), mine };
  }

  const refusalOf = async (request: RefundRequest) => {
    const { id, status, body, mine } = await refund(request);
    assert.equal(status, 409);
    assert.equal(mine, false);
    assert.equal(await getTransaction(desk.database, id), null);
    return [body.code, body.message] as const;
  };

  const balance = () => balanceOf(desk.database, desk.merchant.accountId, 'TZS');
  const refundedOf = async (id: string) => {
    const transaction = await getTransaction(desk.database, id);
    return transaction && 'refunded' in transaction ? transaction.refunded : undefined;
  };

  it('pay the payer over the payer’s network, and hold value and fee until it is known how they end', async () => {
    const id = await payment(5_000);
    const before = await balance();
    const { body, id: refundId } = await refund(
      refundRequest(id, { amount: 2_000, reason: 'One came back' }),
    );
    assert.deepEqual([body.refund_of, body.amount], [id, { value: 2_000, currency: 'TZS', fee: 300 }]);
    const stored = await getTransaction(desk.database, refundId);
    assert.ok(stored?.mode === 'refund');
    assert.deepEqual(
      [stored.msisdn, stored.channel, stored.connection, stored.fullName, stored.refundOf, stored.reason],
      ['255754123456', 'm-pesa', 'test', 'ASHA JUMA', id, 'One came back'],
    );
    assert.match(stored.reference, /^PO[0-9A-HJKMNP-TV-Z]{16}$/);
    assert.deepEqual(await balance(), { current: before.current - 230_000, reserved: 230_000 });
    assert.equal(await refundedOf(id), 200_000);

    await recordSend(desk.database, { transactionId: refundId, number: 1 });
    await tryToEnd(desk.database, refundId, paid(2_000));
    assert.deepEqual(await balance(), { current: before.current - 230_000, reserved: 0 });
    const [event] = await desk.eventsOf(refundId);
    assert.deepEqual(
      [event.event, event.transaction_mode, event.refund_of, event.amount.value, event.fee],
      ['payout.completed', 'refund', id, '2,000.00', '300.00'],
    );
    assert.equal((await getTransaction(desk.database, id))?.status, 'completed');
  });

  it('without an amount give back all that is left', async () => {
    const id = await payment(5_000);
    assert.equal((await refund(refundRequest(id, { amount: 1 }))).status, 200);
    assert.equal((await refund(refundRequest(id))).body.amount.value, 4_999);
    const [code, message] = await refusalOf(refundRequest(id));
    assert.equal(code, 'refund_exceeds_payment');
    assert.match(
      message,
      /^5,000\.00 of this payment are refunded or on their way; 0\.00 can still .* new Idempotency-Key$/,
    );
    const shown = await refundsOf(desk.database, id);
    assert.deepEqual(pick(shown, 'amount', 'status'), [
      [100, 'pending'],
      [499_900, 'pending'],
    ]);
  });

  it('that failed or were cancelled give the money back to the merchant, and may be asked for again', async () => {
    const id = await payment(5_000);
    const before = await balance();
    const first = await refund(refundRequest(id));
    await tryToEnd(desk.database, first.id, failed);
    assert.equal(await refundedOf(id), 0);
    const second = await refund(refundRequest(id));
    assert.equal((await tryToEnd(desk.database, second.id, { kind: 'cancel' })).status, 'cancelled');
    assert.deepEqual(await balance(), before);
    assert.equal((await refund(refundRequest(id))).status, 200);
    assert.equal(await refundedOf(id), 500_000);
    assert.equal((await refundsOf(desk.database, id)).length, 3);
  });

  desk
    .itRaced(12, 'and the endings of others, all at once, deadlock nobody', async () => {
      const ids = [await payment(), await payment(), await payment(), await payment()];
      const flexible = await desk.bill(billRequest(50_000, { mode: 'flexible' }));
      const exact = await desk.bill(billRequest(5_000));
      await payBill(desk.database, paymentOf(flexible.number, 5_000, { receipt: 'F1' }));
      const deadlocks = async () => {
        const rows =
          await desk.sql`SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`;
        return rows[0].deadlocks;
      };
      const before = await deadlocks();
      const one = async (id: string, i: number) => {
        const { id: refundId, status } = await refund(refundRequest(id, { amount: 500 }));
        if (status === 200) await tryToEnd(desk.database, refundId, i % 2 === 0 ? paid(500) : failed);
      };
      await atOnce<unknown>(12, desk.database, [
        ...Array.from({ length: 40 }, (_, i) => () => one(ids[i % ids.length] ?? '', i)),
        ...times(10, () => refund(refundRequest(flexible.id, { amount: 300, receipt: 'F1' }))),
        ...times(10, () => payBill(desk.database, paymentOf(flexible.number, 1_000))),
        () => payBill(desk.database, paymentOf(exact.number, 5_000)),
        () => refund(refundRequest(exact.id)),
      ]);
      assert.equal(await deadlocks(), before);
    })
    .timeout(60_000);

  it('of one payment of a bill name its receipt, and are worth no more than that payment', async () => {
    const { id, number } = await desk.bill(billRequest(12_500.5, { mode: 'flexible' }));
    await payBill(desk.database, paymentOf(number, 10_000, { receipt: 'R1' }));
    assert.equal((await refund(refundRequest(id, { amount: 4_000 }))).status, 200, 'there is one only');
    const late = paymentOf(number, 2_500.5, {
      receipt: 'R2',
      channel: 'airtel-money',
      msisdn: '255784555666',
    });
    await payBill(desk.database, late);
    assert.match((await refusalOf(refundRequest(id)))[1], /^Several payments match; name one/);
    assert.match(
      (await refusalOf(refundRequest(id, { receipt: 'R3' })))[1],
      /^No payment .* has this receipt/,
    );
    const first = await refund(refundRequest(id, { receipt: ' r1 ' }));
    assert.equal(first.body.amount.value, 6_000);
    const second = await refund(refundRequest(id, { receipt: 'R2', channel: 'airtel-money' }));
    assert.equal(second.body.amount.value, 2_500.5);
    const stored = await getTransaction(desk.database, second.id);
    assert.ok(stored?.mode === 'refund');
    assert.deepEqual([stored.msisdn, stored.channel], ['255784555666', 'airtel-money']);
    assert.equal(await refundedOf(id), 1_250_050);
    assert.equal((await refusalOf(refundRequest(id, { receipt: 'R1' })))[0], 'refund_exceeds_payment');
  });

  it('of two networks that gave one receipt number cannot tell them apart, and say so', async () => {
    const { id, number } = await desk.bill(billRequest(25_000, { mode: 'flexible' }));
    for (const channel of ['m-pesa', 'airtel-money'])
      await payBill(
        desk.database,
        paymentOf(number, 5_000, { channel, connection: channel, receipt: `SAME-${number}` }),
      );
    const [code, message] = await refusalOf(refundRequest(id, { receipt: `SAME-${number}` }));
    assert.equal(code, 'not_refundable');
    assert.match(message, /^Several payments match, because networks number their receipts apart/);
  });

  it('of a QR code, and of a bill that expired partly paid, give back what was paid', async () => {
    const qr = await desk.bill(qrRequest(15_000));
    assert.equal((await refusalOf(refundRequest(qr.id, { channel: 'dynamic-qr' })))[0], 'not_refundable');
    await payBill(desk.database, paymentOf(qr.number, 15_000));
    assert.equal((await refund(refundRequest(qr.id))).body.amount.value, 15_000);

    const bill = await desk.bill(billRequest(12_000, { mode: 'flexible' }));
    await payBill(desk.database, paymentOf(bill.number, 7_000));
    await expireBill(desk.database, bill.id);
    assert.equal((await refund(refundRequest(bill.id))).body.amount.value, 7_000);
  });

  it('are refused where nothing can be given back, and the refusal says why and is kept', async () => {
    const pending = submissionFor(desk.merchant, pushRequest());
    await accept(desk.database, pending);
    const submission = submissionFor(desk.merchant, refundRequest(pending.transactionId));
    const first = await accept(desk.database, submission);
    assert.match(first.answer.body, /"message":"It is pending, and not paid .*"code":"not_refundable"/);
    await tryToEnd(desk.database, pending.transactionId, paid(5_000));
    const again = await accept(desk.database, { ...submission, submissionId: randomUUID() });
    assert.deepEqual(again.answer, first.answer);

    const late = submissionFor(desk.merchant, pushRequest());
    await accept(desk.database, late);
    const why = async () => (await refusalOf(refundRequest(late.transactionId)))[1];
    await tryToEnd(desk.database, late.transactionId, failed);
    assert.match(await why(), /^Nothing was paid: /);
    await tryToEnd(desk.database, late.transactionId, paid(5_000));
    assert.match(await why(), /^Its money came late or with another amount, /);

    const unnamed = await desk.bill(billRequest(5_000));
    await payBill(desk.database, paymentOf(unnamed.number, 5_000, { msisdn: null }));
    assert.match((await refusalOf(refundRequest(unnamed.id)))[1], /did not say who paid/);

    const fromABank = await desk.bill(billRequest(5_000));
    await payBill(desk.database, paymentOf(fromABank.number, 5_000, { channel: 'bank' }));
    assert.match(
      (await refusalOf(refundRequest(fromABank.id, { channel: 'bank' })))[1],
      /did not say from which/,
    );

    const id = await payment();
    assert.match((await refusalOf(refundRequest(id, { connection: null })))[1], /are not offered here/);
    assert.match((await refusalOf(refundRequest(id, { channel: 'billpay' })))[1], /only after this refund/);
  });

  it('are possible until 180 days after the payment', async () => {
    const id = await payment();
    const age = (days: number) =>
      desk.sql`UPDATE transactions SET status_at = now() - ${days} * interval '1 day' + interval '1 minute'
        WHERE id = ${id}`;
    await age(180);
    assert.equal((await refund(refundRequest(id, { amount: 1_000 }))).status, 200);
    await age(181);
    assert.match((await refusalOf(refundRequest(id, { amount: 1_000 })))[1], /^Too much time has passed/);
  });

  it('that the balance does not cover are refused and leave nothing behind', async () => {
    const id = await payment(5_000);
    const { accountId } = desk.merchant;
    const { current: amount } = await balance();
    await withdraw(desk.database, { accountId, amount, actor: 'test', dedupeKey: 'all' });
    const [code] = await refusalOf(refundRequest(id));
    assert.equal(code, 'insufficient_balance');
    assert.equal(await refundedOf(id), null);
  });

  it('of somebody else’s payment, or of a payout, are never accepted', async () => {
    const id = await payment();
    const { id: refundId } = await refund(refundRequest(id, { amount: 1_000 }));
    for (const wrong of [refundId, randomUUID()])
      await assert.rejects(refund(refundRequest(wrong)), /is no payment of its account/);
    const stranger = await createMerchant(desk.database);
    await assert.rejects(
      accept(desk.database, submissionFor(stranger, refundRequest(id))),
      /is no payment of its account/,
    );
  });
});
