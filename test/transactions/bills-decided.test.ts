import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { makeControlNumber } from '../../src/domain/control-number.ts';
import { minor } from '../../src/domain/money.ts';
import { postSuspense } from '../../src/ledger/suspense-postings.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import { raiseAttention } from '../../src/transactions/care/attention.ts';
import {
  type BillNotification,
  findBillDecision,
  receiveBillPayment,
  validateBillPayment,
} from '../../src/transactions/ending/bills.ts';
import { tryToEnd } from '../../src/transactions/ending/end.ts';
import { receiveNotification } from '../../src/transactions/ending/notifications.ts';
import { closedBillOf, lookUpBill } from '../../src/transactions/rows/bill-store.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { expireBill, payBill, paymentOf } from '../support/bill-customer.ts';
import { openBillDesk } from '../support/bill-desk.ts';
import { nameItem } from '../support/item-names.ts';
import { billRequest, CONNECTION } from '../support/merchant.ts';
import { succeeded } from '../support/scripted-channel.ts';
import { importMoves, walletAccount } from '../support/statements-of-accounts.ts';
import { attentionOf } from '../support/unexplained.ts';

describe('what is decided about payments of bills', () => {
  const desk = openBillDesk();
  const receive = (payment: BillNotification) => receiveBillPayment(desk.database, payment);
  const detailsOf = async (subject: string) =>
    (await attentionOf(desk.database, subject)).map(({ reason, detail }) => [reason, detail]);

  it('writes each payment as it is accepted, and with the last one what the merchant gets of them all', async () => {
    const { id, number } = await desk.bill(billRequest(25_000, { mode: 'flexible' }));
    const written = async () => {
      const rows =
        await desk.sql`SELECT status, event, channel, channel_reference AS receipt, msisdn, full_name AS name, fee::int AS fee, settled::int AS settled
         FROM transactions WHERE id = ${id}`;
      return rows[0];
    };
    const first = paymentOf(number, 10_000);
    const last = paymentOf(number, 15_000, {
      channel: 'airtel-money',
      msisdn: '255784123456',
      fullName: 'JUMA',
    });
    await payBill(desk.database, { ...first, connection: 'one of two' });
    const receipts = 'SELECT connection FROM bill_receipts WHERE receipt = $1';
    const { rows } = await desk.database.query(receipts, [first.receipt]);
    assert.deepEqual(rows, [{ connection: 'one of two' }]);
    const { fee: firstFee, ...partly } = await written();
    assert.deepEqual(partly, {
      status: 'pending',
      event: 'payment.received',
      channel: 'm-pesa',
      receipt: first.receipt,
      msisdn: first.msisdn,
      name: first.fullName,
      settled: null,
    });
    await payBill(desk.database, last);
    const { fee, ...paid } = await written();
    assert.ok(firstFee > 0 && fee > firstFee);
    assert.deepEqual(paid, {
      status: 'completed',
      event: 'payment.received',
      channel: 'airtel-money',
      receipt: last.receipt,
      msisdn: last.msisdn,
      name: last.fullName,
      settled: 2_500_000 - fee,
    });
    assert.equal(await desk.earned(), 2_500_000 - fee);
  });

  it('says in full what a person has to look at', async () => {
    const kept = { refusalReturnsMoney: false, controlNumberAsSent: 'BILL 17' };
    const { id, number } = await desk.bill();
    await receive(paymentOf(number, 24_000, { ...kept, receipt: 'R1' }));
    assert.deepEqual(await detailsOf(id), [
      [
        'unexpected_payment',
        'm-pesa (test) took 24,000.00 TZS from a customer (R1) for BILL 17: amount_too_low',
      ],
    ]);
    const other = await desk.bill();
    await receive({ ...paymentOf(other.number, 0, { ...kept, receipt: 'R2' }), amount: null });
    assert.deepEqual(await detailsOf(other.id), [
      [
        'unexpected_payment',
        'm-pesa (test) took no readable amount ("0") from a customer (R2) for BILL 17: amount_invalid',
      ],
    ]);
    assert.deepEqual(await desk.suspenseOf(other.id), []);
  });

  it('credits nothing that is in suspense already under the same receipt: a person looks at it', async () => {
    const { id, number } = await desk.bill();
    const payment = paymentOf(number, 25_000);
    const { channel, connection, currency, receipt } = payment;
    const item = {
      channel,
      connection,
      currency,
      receipt,
      amount: minor(2_500_000),
      note: 'of something else',
    };
    await inTransaction(desk.database, (db) =>
      postSuspense(db, { ...item, transactionId: null, direction: 'collection' }),
    );
    const suspended = { outcome: 'suspended', transactionId: id };
    for (const _ of [1, 2]) assert.deepEqual(await receive(payment), suspended);
    assert.equal(await desk.earned(), 0);
    assert.equal((await desk.stored(id)).status, 'pending');
    assert.deepEqual(await desk.sql`SELECT amount FROM suspense_items WHERE receipt = ${receipt}`, [
      { amount: 2_500_000 },
    ]);
    const [[, detail] = []] = await detailsOf(id);
    assert.match(detail ?? '', /: counted_before$/);
  });

  it('credits nothing that is in suspense under a name of ours and got its receipt later', async () => {
    const { number } = await desk.bill();
    const payment = paymentOf(number, 25_000);
    const { channel, connection, currency, receipt } = payment;
    const item = { channel, connection, currency, receipt: 'PY0000000000000001', amount: minor(2_500_000) };
    await inTransaction(desk.database, (db) =>
      postSuspense(db, { ...item, isOurs: true, note: 'late', transactionId: null, direction: 'collection' }),
    );
    const rows = await desk.sql`SELECT id FROM suspense_items WHERE receipt = ${item.receipt}`;
    await nameItem(desk.database, rows[0]?.id, receipt);
    // The check of the ledger after each test finds it in suspense, too.
    assert.equal((await receive(payment)).outcome, 'suspended');
    assert.equal(await desk.earned(), 0);
  });

  it('answers with its last payment what a person was asked about it', async () => {
    const { id, number } = await desk.bill(billRequest(25_000, { mode: 'flexible' }));
    for (const reason of ['stuck', 'broken', 'unexpected_payment'] as const)
      await raiseAttention(desk.database, { transactionId: id, reason, detail: 'A question.' });
    await payBill(desk.database, paymentOf(number, 24_999));
    assert.equal((await desk.reasonsOf(id)).length, 3);
    await payBill(desk.database, paymentOf(number, 1));
    assert.deepEqual(await desk.reasonsOf(id), ['unexpected_payment']);
  });

  it('says what is another when a receipt comes twice', async () => {
    const [one, other] = [await desk.bill(), await desk.bill()];
    const first = paymentOf(one.number, 25_000, { receipt: `R${randomUUID()}` });
    await payBill(desk.database, first);
    const moved = { ...first, controlNumber: other.number, controlNumberAsSent: other.number };
    assert.equal((await receive(moved)).outcome, 'repeated', 'a refusal would give the money back');
    assert.equal((await desk.stored(other.id)).status, 'pending');
    assert.deepEqual(await detailsOf(one.id), [
      [
        'receipt_mismatch',
        `m-pesa (test) notified ${first.receipt} twice, with another control number: ${other.number}`,
      ],
    ]);
    const third = await desk.bill();
    const second = paymentOf(third.number, 25_000, { receipt: `R${randomUUID()}` });
    await payBill(desk.database, second);
    const { amount } = paymentOf(third.number, 24_000);
    assert.deepEqual(await receive({ ...second, amount }), { outcome: 'suspended', transactionId: null });
    assert.deepEqual(await detailsOf(third.id), [
      [
        'receipt_mismatch',
        `m-pesa (test) notified ${second.receipt} twice, with another amount or currency: 24,000.00 TZS`,
      ],
    ]);
    await receive({ ...second, amount });
    assert.equal((await detailsOf(third.id)).length, 1, 'the same story is told once');
    await receive({ ...second, amount: paymentOf(third.number, 23_000).amount });
    assert.equal((await detailsOf(third.id)).length, 2, 'a third story is not lost while the second is open');
  });

  it('books nothing more when a receipt comes with the amount that its statement shows', async () => {
    const { id, number } = await desk.bill();
    const payment = paymentOf(number, 25_000);
    await payBill(desk.database, payment);
    await importMoves(desk.database, walletAccount(), [{ amount: 26_000, receipt: payment.receipt }]);
    assert.deepEqual(await desk.suspenseOf(id), [100_000], 'the difference');
    const more = { ...payment, amount: minor(2_600_000) };
    for (const _ of [1, 2]) assert.equal((await receive(more)).outcome, 'repeated');
    assert.deepEqual(
      (await detailsOf(id)).map(([reason]) => reason),
      ['receipt_mismatch'],
    );
    const { rows } = await desk.database.query(
      `SELECT sum(amount)::int AS sum FROM movements m
       WHERE EXISTS (SELECT FROM movement_names n WHERE n.movement_id = m.id AND n.plain = plain_name($1))`,
      [payment.receipt],
    );
    assert.deepEqual(rows, [{ sum: 2_600_000 }]);
  });

  it('shows a customer whether it can still be paid, and its merchant why it never can be again', async () => {
    const seen = async ({ id, number }: { id: string; number: string }) => [
      (await lookUpBill(desk.database, number))?.open,
      await closedBillOf(desk.database, id),
    ];
    const [paid, over, cancelled] = [await desk.bill(), await desk.bill(), await desk.bill()];
    assert.deepEqual(await seen(paid), [true, null]);
    await payBill(desk.database, paymentOf(paid.number, 25_000));
    assert.deepEqual(await seen(paid), [false, null]);
    await desk.sql`UPDATE bills SET expires_at = now() WHERE transaction_id = ${over.id}`;
    assert.deepEqual(await seen(over), [false, null], 'its flow has not ended it yet');
    await expireBill(desk.database, over.id);
    assert.deepEqual(await seen(over), [false, 'expired']);
    await tryToEnd(desk.database, cancelled.id, { kind: 'cancel' });
    assert.deepEqual(await seen(cancelled), [false, 'cancelled']);
    assert.equal(await lookUpBill(desk.database, makeControlNumber('77', 999_999_997)), null);
  });

  it('is found by the receipt, or by our number of an accepted payment of that payer', async () => {
    const { id, number } = await desk.bill();
    const payment = paymentOf(number, 25_000, { receipt: `R${randomUUID()}` });
    const find = (name: string, changes: { channel?: string; msisdn?: string | null } = {}) =>
      findBillDecision(desk.database, {
        channel: 'm-pesa',
        connection: 'test',
        name,
        msisdn: null,
        ...changes,
      });
    assert.deepEqual([await find(payment.receipt), await find(id)], [null, null]);
    await payBill(desk.database, payment);
    assert.deepEqual(await find(payment.receipt), {
      outcome: 'repeated',
      transactionId: id,
      unsignalled: true,
    });
    const found = { outcome: 'accepted', transactionId: id };
    assert.deepEqual(await find(id), found);
    assert.deepEqual(await find(id.toUpperCase(), { msisdn: payment.msisdn }), found);
    assert.equal(await find(id, { msisdn: '255754999999' }), null);
    assert.equal(await find(id, { channel: 'airtel-money' }), null);
    assert.equal(await find('no receipt'), null);
  });

  it('is found as it was: refused, or in suspense', async () => {
    const { id, number } = await desk.bill();
    const find = (name: string) =>
      findBillDecision(desk.database, { channel: 'm-pesa', connection: 'test', name, msisdn: null });
    const refused = paymentOf(number, 24_000);
    const suspended = paymentOf(number, 24_000, { refusalReturnsMoney: false });
    for (const payment of [refused, suspended]) await receive(payment);
    assert.deepEqual(await find(refused.receipt), { outcome: 'refused', reason: 'amount_too_low' });
    assert.deepEqual(await find(suspended.receipt), { outcome: 'suspended', transactionId: id });
    assert.equal(await find(id), null, 'nothing was accepted');
  });

  it('keeps a bill for its customer for longer when he tries again', async () => {
    const { id, number } = await desk.bill();
    const mine = paymentOf(number, 25_000);
    await validateBillPayment(desk.database, mine);
    await desk.sql`UPDATE bills SET claimed_until = clock_timestamp() + interval '5 seconds'
      WHERE transaction_id = ${id}`;
    await validateBillPayment(desk.database, { ...mine, receipt: 'another try' });
    const rows = await desk.sql`SELECT claimed_until > now() + interval '60 seconds' AS longer FROM bills
        WHERE transaction_id = ${id}`;
    assert.deepEqual(rows, [{ longer: true }]);
  });

  it('asks no database about a mistyped number', async () => {
    const silent = { query: () => assert.fail('asked'), connect: () => assert.fail('asked') } as never;
    const payment = paymentOf('770000000048', 25_000, { controlNumber: null });
    const refused = { outcome: 'refused', reason: 'unknown_reference' };
    assert.deepEqual(await validateBillPayment(silent, payment), refused);
  });

  it('tells of a cancelled bill without a customer or a receipt', async () => {
    const { id } = await desk.bill();
    await tryToEnd(desk.database, id, { kind: 'cancel' });
    const [event] = await desk.eventsOf(id);
    assert.deepEqual([event.event, event.failure_code], ['payment.failed', 'cancelled']);
    assert.deepEqual(event.customer, { phone_number: null, full_name: null });
    assert.deepEqual(event.channel, { name: 'BILLPAY', reference: null });
  });

  it('takes none of a channel’s notifications: a bill is paid through its own door', async () => {
    const { id, number } = await desk.bill(billRequest(25_000, { mode: 'flexible' }));
    await receiveBillPayment(desk.database, paymentOf(number, 5_000));
    const content = succeeded(25_000, 'X1');
    const channel = {
      verifyNotification: () => true,
      translateNotification: () => ({ eventKey: 'k', subject: { reference: number }, content }),
    };
    const received = await receiveNotification(desk.database, {
      connections: [{ id: CONNECTION, channel }],
      raw: { method: 'PUT', transactionId: id, token: null, headers: {}, body: Buffer.from('x') },
    });
    assert.equal(received.outcome, 'refused');
    await tryToEnd(desk.database, id, { kind: 'notifications' });
    assert.equal((await getTransaction(desk.database, id))?.status, 'pending');
  });
});
