import assert from 'node:assert/strict';
import { minor } from '../../src/domain/money.ts';
import { entriesOf } from '../../src/ledger/accounts.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import { largeMovements } from '../../src/reconciliation/extracts.ts';
import { receiveBillPayment, validateBillPayment } from '../../src/transactions/ending/bills.ts';
import { billPaymentsOf, lookUpBill } from '../../src/transactions/rows/bill-store.ts';
import { getTransaction, lockTransaction } from '../../src/transactions/rows/store.ts';
import { EVER, wholeStatement } from '../ledger/statement-support.ts';
import { accept } from '../support/accept.ts';
import { atOnce, times } from '../support/at-once.ts';
import { controlNumberOf, expireBill, payBill, paymentOf } from '../support/bill-customer.ts';
import { openBillDesk } from '../support/bill-desk.ts';
import { asRole } from '../support/database.ts';
import { untilLockAwaited } from '../support/lock-wait.ts';
import { billRequest, qrRequest, submissionFor } from '../support/merchant.ts';
import { pick } from '../support/pick.ts';

describe('payments of bills', () => {
  const desk = openBillDesk();

  it('credit the value less the fee and complete an exact bill, once', async () => {
    const { id, number } = await desk.bill();
    assert.equal((await payBill(desk.database, paymentOf(number, 25_000))).outcome, 'accepted');
    const paid = await desk.stored(id);
    assert.deepEqual(
      [paid.status, paid.event, paid.channel, paid.fee, paid.settled, paid.bill.paid],
      ['completed', 'payment.received', 'm-pesa', 37_500, 2_462_500, 2_500_000],
    );
    assert.equal(await desk.earned(), 2_462_500);
    const [event] = await desk.eventsOf(id);
    assert.deepEqual(event.amount, { value: '25,000.00', fee: '375.00', settled: '24,625.00' });
    assert.deepEqual(event.bill, {
      amount: '25,000.00',
      reference: number,
      mode: 'exact',
      payment_number: paid.bill.paymentNumber,
      paid: '25,000.00',
      outstanding: '0.00',
    });
  });

  it('count in what whoever waited for the bill reads of it', async () => {
    const { id } = await desk.bill(billRequest(12_500, { mode: 'flexible' }));
    // Each by a pool of its own: a pool may have one connection.
    const { waiting } = await inTransaction(asRole(desk.database, 'worker'), async (db) => {
      await lockTransaction(db, id);
      const waiting = inTransaction(asRole(desk.database, 'api'), (other) => lockTransaction(other, id));
      await untilLockAwaited(desk.database);
      await db.query('UPDATE bills SET paid = 100, payments = 1 WHERE transaction_id = $1', [id]);
      return { waiting };
    });
    const read = await waiting;
    assert.ok(read && 'bill' in read);
    assert.equal(read.bill.paid, 100);
    await desk.sql`UPDATE bills SET paid = 0, payments = 0 WHERE transaction_id = ${id}`;
  });

  it('of a flexible bill are taken until the sum reaches it; the last one is taken whole', async () => {
    const { id, number } = await desk.bill(billRequest(12_500.5, { mode: 'flexible' }));
    const first = paymentOf(number, 10_000, { receipt: 'CKL6A1B2C3' });
    const second = paymentOf(number, 3_000, {
      channel: 'airtel-money',
      receipt: 'AM261122.0917.K00231',
      msisdn: '255784555666',
      fullName: null,
    });
    assert.equal((await payBill(desk.database, first)).outcome, 'accepted');
    assert.equal((await getTransaction(desk.database, id))?.status, 'pending');
    assert.equal((await payBill(desk.database, second)).outcome, 'accepted');
    const late = await payBill(desk.database, paymentOf(number, 1));
    assert.deepEqual(late, { outcome: 'refused', reason: 'bill_closed' });

    const paid = await getTransaction(desk.database, id);
    assert.deepEqual([paid?.status, paid?.fee, paid?.settled], ['completed', 19_500, 1_280_500]);
    const [one, two, ...more] = await desk.eventsOf(id);
    assert.deepEqual(more, []);
    assert.deepEqual([one.sequence, one.amount.value, one.bill.outstanding], [1, '10,000.00', '2,500.50']);
    assert.deepEqual([two.sequence, two.amount.fee, two.bill.paid], [2, '45.00', '13,000.00']);
    assert.deepEqual(two.customer, { phone_number: '0784555666', full_name: null });
    assert.equal(one.updated_at, one.timestamp);
    assert.equal((await billPaymentsOf(desk.database, id)).length, 2);
  });

  it('over two connections that gave one receipt number are two payments, of one amount too, each credited once', async () => {
    const { id, number } = await desk.bill(billRequest(25_000, { mode: 'flexible' }));
    const one = paymentOf(number, 10_000, { connection: 'one', receipt: 'SAME1', msisdn: '255754000001' });
    const two = paymentOf(number, 10_000, { connection: 'two', receipt: 'SAME1', msisdn: '255754000002' });
    for (const payment of [one, two]) {
      assert.equal((await payBill(desk.database, payment)).outcome, 'accepted');
      assert.equal((await payBill(desk.database, payment)).outcome, 'repeated');
    }
    // 1.5 % of each is the fee.
    assert.equal(await desk.earned(), 2_000_000 - 30_000);
    const channels = (await entriesOf(desk.database, id)).filter((entry) => entry.account === 'clearing');
    assert.deepEqual(channels.map((entry) => entry.amount).sort(), [-1_000_000, -1_000_000]);
    const { lines } = await wholeStatement(desk.database, desk.merchant.accountId);
    const own = lines.filter(({ transactionId, type }) => transactionId === id && type === 'payment');
    assert.deepEqual(pick(own, 'part', 'amount'), [
      [1, 1_000_000],
      [2, 1_000_000],
    ]);
    const large = await largeMovements(desk.database, { ...EVER, least: minor(1), after: 0, count: 500 });
    assert.deepEqual(
      pick(
        large.filter(({ transactionId }) => transactionId === id),
        'party',
      ),
      [one.msisdn, two.msisdn],
    );
  });

  desk.itRaced(5, 'that are notified again and again are the same answer and posted once', async () => {
    const { id, number } = await desk.bill();
    const payment = paymentOf(number, 25_000);
    const receive = () => receiveBillPayment(desk.database, payment);
    const answers = await atOnce(5, desk.database, times(5, receive));
    assert.deepEqual(answers.map((answer) => answer.outcome).sort(), [
      'accepted',
      ...Array.from({ length: 4 }, () => 'repeated'),
    ]);
    assert.equal(await desk.earned(), 2_462_500);
    assert.equal((await desk.eventsOf(id)).length, 1);
  });

  desk.itRaced(
    6,
    'of six customers on six networks at once: one is accepted, five are refused before any money moves',
    async () => {
      const { number } = await desk.bill();
      const networks = ['m-pesa', 'airtel-money', 'tigo-pesa', 'halopesa', 't-pesa', 'azampesa'];
      const payments = networks.map((channel, i) =>
        paymentOf(number, 25_000, { channel, msisdn: `25575412345${i}` }),
      );
      const validations = payments.map((payment) => () => validateBillPayment(desk.database, payment));
      const validated = await atOnce(6, desk.database, validations);
      const winner = validated.findIndex((one) => one.outcome === 'accepted');
      assert.equal(validated.filter((one) => one.outcome === 'accepted').length, 1);
      assert.ok(validated.every((one) => one.outcome === 'accepted' || 'reason' in one));
      // A network that leaves out the validation cannot push in either.
      const pushy = payments[(winner + 1) % 6];
      assert.ok(pushy && payments[winner]);
      assert.deepEqual(await receiveBillPayment(desk.database, pushy), {
        outcome: 'refused',
        reason: 'in_progress',
      });
      const accepted = await receiveBillPayment(desk.database, payments[winner]);
      assert.equal(accepted.outcome, 'accepted');
      assert.equal(await desk.earned(), 2_462_500);
    },
  );

  desk.itRaced(12, 'without validation, all at once, are accepted once', async () => {
    const { number } = await desk.bill();
    const payments = Array.from({ length: 20 }, (_, i) =>
      paymentOf(number, 25_000, { msisdn: `2557541234${10 + i}` }),
    );
    const received = payments.map((payment) => () => receiveBillPayment(desk.database, payment));
    const answers = await atOnce(12, desk.database, received);
    assert.equal(answers.filter((answer) => answer.outcome === 'accepted').length, 1);
    assert.equal(await desk.earned(), 2_462_500);
  });

  it('of one shilling or less pay no more fee than they are', async () => {
    const { id, number } = await desk.bill(billRequest(1.5, { mode: 'flexible' }));
    await payBill(desk.database, paymentOf(number, 1));
    await payBill(desk.database, paymentOf(number, 0.01));
    await payBill(desk.database, paymentOf(number, 100));
    const fees = (await billPaymentsOf(desk.database, id)).map((payment) => payment.fee);
    assert.deepEqual(fees, [100, 1, 1_000]);
    assert.equal(await desk.earned(), 9_000);
  });

  it('end with the 500th: more would fill a bill that is never paid up', async () => {
    const { id, number } = await desk.bill(billRequest(1_000, { mode: 'flexible' }));
    await desk.sql`INSERT INTO bill_receipts (space, connection, channel, receipt, transaction_id, control_number, amount, currency, outcome, number, fee)
       SELECT 'test', 'test', 'm-pesa', 'r' || n, ${id}, ${number}, 100, 'TZS', 'accepted', n, 100 FROM generate_series(1, 499) n`;
    await desk.sql`UPDATE bills SET paid = 49900, payments = 499 WHERE transaction_id = ${id}`;
    const isOpen = async () => (await lookUpBill(desk.database, number))?.open;
    assert.equal(await isOpen(), true);
    assert.equal((await payBill(desk.database, paymentOf(number, 1))).outcome, 'accepted');
    assert.equal(await isOpen(), false);
    assert.deepEqual(await payBill(desk.database, paymentOf(number, 1)), {
      outcome: 'refused',
      reason: 'bill_closed',
    });
  });

  it('are kept when the bill expires partly paid, and the merchant is notified once', async () => {
    const { id, number } = await desk.bill(billRequest(25_000, { mode: 'flexible' }));
    await payBill(desk.database, paymentOf(number, 5_000));
    for (const _ of [1, 2]) await expireBill(desk.database, id);
    const failed = await getTransaction(desk.database, id);
    assert.deepEqual([failed?.status, failed?.failureCode], ['failed', 'expired_partially_paid']);
    assert.equal(await desk.earned(), 492_500);
    const events = await desk.eventsOf(id);
    assert.deepEqual(pick(events, 'sequence', 'event'), [
      [1, 'payment.received'],
      [2, 'payment.failed'],
    ]);
    assert.equal(events[1].amount.value, '25,000.00');
  });

  it('of a QR code are those of an exact bill, with the fee of QR codes and no bill in the event', async () => {
    const submission = submissionFor(desk.merchant, qrRequest(15_000));
    const { answer } = await accept(desk.database, submission);
    const { qr } = JSON.parse(answer.body);
    assert.match(qr.image, /^data:image\/png;base64,/);
    const number = await controlNumberOf(desk.database, submission.transactionId);
    assert.ok(qr.payload.includes(number));
    assert.deepEqual(await payBill(desk.database, paymentOf(number, 14_999)), {
      outcome: 'refused',
      reason: 'amount_too_low',
    });
    assert.equal((await payBill(desk.database, paymentOf(number, 15_000))).outcome, 'accepted');
    const [event] = await desk.eventsOf(submission.transactionId);
    assert.deepEqual(event.amount, { value: '15,000.00', fee: '150.00', settled: '14,850.00' });
    assert.equal('bill' in event, false);
    assert.equal(event.transaction_mode, 'qr');
  });
});
