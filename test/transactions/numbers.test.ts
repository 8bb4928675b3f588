import assert from 'node:assert/strict';
import { feeFor, feesAt } from '../../src/domain/fees.ts';
import { minor } from '../../src/domain/money.ts';
import { statusOf } from '../../src/domain/operation.ts';
import { receiveBillPayment, validateBillPayment } from '../../src/transactions/ending/bills.ts';
import { lookUpNumber, numbersById, setNumberStatus } from '../../src/transactions/rows/number-store.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { accept } from '../support/accept.ts';
import { atOnce, times } from '../support/at-once.ts';
import { payBill, paymentOf } from '../support/bill-customer.ts';
import { openBillDesk } from '../support/bill-desk.ts';
import { asRole } from '../support/database.ts';
import { CONNECTION, refundRequest, submissionFor } from '../support/merchant.ts';
import { makeNumber, type NumberChanges } from '../support/numbers.ts';
import { pick } from '../support/pick.ts';
import type { Database } from '../support/queryable.ts';

describe('payments of standing numbers', () => {
  const desk = openBillDesk();
  const door = () => asRole(desk.database, 'api');
  const make = (changes: NumberChanges = {}) => makeNumber(desk.database, desk.merchant, changes);
  const paymentsOf = async (id: string) =>
    (await desk.sql`SELECT id FROM transactions WHERE number_id = ${id} ORDER BY created_at`).map(
      (row) => row.id,
    );

  it('are each a transaction of its own that is completed with its fee, its event and its money', async () => {
    const number = await make({ description: 'School fees', metadata: '{"class": "2 B"}' });
    const first = await payBill(door(), paymentOf(number.controlNumber, 10_000, { receipt: 'CKL6A1B2C3' }));
    assert.equal(first.outcome, 'accepted');
    const second = await payBill(
      door(),
      paymentOf(number.controlNumber, 3_000, {
        channel: 'airtel-money',
        receipt: 'AM261122',
        fullName: null,
      }),
    );
    assert.equal(second.outcome, 'accepted');
    const [one, two] = await paymentsOf(number.id);
    assert.ok(one && two && one !== two);
    const paid = await getTransaction(desk.database, one);
    assert.deepEqual(
      [paid?.mode, paid?.status, paid?.event, paid?.channel, paid?.amount, paid?.fee, paid?.settled],
      ['number', 'completed', 'payment.received', 'm-pesa', 1_000_000, 15_000, 985_000],
    );
    const [event, ...more] = await desk.eventsOf(one);
    assert.deepEqual(more, []);
    assert.deepEqual(event.number, {
      id: number.id,
      reference: number.controlNumber,
      customer_reference: number.customerReference,
    });
    assert.deepEqual(
      [event.sequence, event.transaction_mode, event.amount, event.metadata, event.channel.reference],
      [
        1,
        'number',
        { value: '10,000.00', fee: '150.00', settled: '9,850.00' },
        { class: '2 B' },
        'CKL6A1B2C3',
      ],
    );
    assert.equal(event.customer.phone_number, '0754123456');
    assert.equal(await desk.earned(), 985_000 + 295_500);
  });

  desk.itRaced(
    8,
    'that are notified again, at once or later, are one transaction and posted once',
    async () => {
      const number = await make();
      const payment = paymentOf(number.controlNumber, 25_000);
      const receive = () => receiveBillPayment(door(), payment);
      const answers = await atOnce(8, desk.database, times(8, receive));
      const again = await receiveBillPayment(door(), payment);
      assert.deepEqual(answers.map(({ outcome }) => outcome).sort(), [
        'accepted',
        ...Array.from({ length: 7 }, () => 'repeated'),
      ]);
      const ids = [again, ...answers].map((answer) => 'transactionId' in answer && answer.transactionId);
      assert.deepEqual([...new Set(ids)], await paymentsOf(number.id));
      assert.equal(await desk.earned(), 2_462_500);
      // Asked before it was paid, the number answered with the id that the payment got.
      const validated = await validateBillPayment(door(), payment);
      assert.deepEqual(validated, { outcome: 'accepted', transactionId: ids[0] });
    },
  );

  desk.itRaced(
    12,
    'wait for a closing that is under way, and the closing for payments that are',
    async () => {
      const number = await make();
      const { id, accountId } = number;
      const pay = async () =>
        (await receiveBillPayment(door(), paymentOf(number.controlNumber, 1_000))).outcome === 'accepted';
      const close = async () => {
        await setNumberStatus(door(), { id, accountId, status: 'closed' });
        return false;
      };
      const results = await atOnce(12, desk.database, [...times(8, pay), close, ...times(12, pay)]);
      const accepted = results.filter(Boolean).length;
      assert.equal((await paymentsOf(id)).length, accepted);
      assert.equal(await desk.earned(), accepted * 98_500);
      const late = await receiveBillPayment(door(), paymentOf(number.controlNumber, 1_000));
      assert.deepEqual(late, { outcome: 'refused', reason: 'bill_closed' });
    },
  );

  it('are refunded to whoever paid, up to what was paid', async () => {
    const number = await make();
    await payBill(door(), paymentOf(number.controlNumber, 10_000));
    const [id] = await paymentsOf(number.id);
    const refund = (amount: number) =>
      accept(desk.database, submissionFor(desk.merchant, refundRequest(id ?? '', { amount })));
    assert.equal((await refund(6_000)).answer.refused, null);
    const answer = await refund(4_000.01);
    assert.match(answer.answer.body, /refund_exceeds_payment/);
    const left = await refund(4_000);
    assert.equal(left.answer.refused, null, left.answer.body);
    const rows = await desk.sql`SELECT msisdn FROM transactions WHERE refund_of = ${id}`;
    assert.deepEqual(pick(rows, 'msisdn'), ['255754123456', '255754123456']);
  });

  it('of a number for top-ups cost what its own row says, and are not refunded', async () => {
    const number = await make({ purpose: 'top_up', payers: ['255754123456'] });
    await payBill(door(), paymentOf(number.controlNumber, 10_000));
    assert.equal(await desk.earned(), 1_000_000);
    const [id] = await paymentsOf(number.id);
    const { answer } = await accept(
      desk.database,
      submissionFor(desk.merchant, refundRequest(id ?? '', { amount: 1_000 })),
    );
    assert.equal(statusOf(answer), 409);
    assert.match(answer.body, /top-up.*not_refundable/);
  });

  const others: [who: string, payers: string[] | undefined, msisdn: string | null][] = [
    ['another phone than those it names', ['255754999999', '0150123456789'], '255754123456'],
    ['one whom the network does not name', ['255754123456'], null],
    ['anybody where it names none', undefined, '255754123456'],
  ];
  for (const [who, payers, msisdn] of others)
    it(`of a number for top-ups cost what a customer's does, paid by ${who}`, async () => {
      const number = await make({ purpose: 'top_up', ...(payers ? { payers } : {}) });
      const before = await desk.earned();
      for (const _ of ['once', 'told again'])
        await payBill(door(), paymentOf(number.controlNumber, 10_000, { receipt: `TOP ${who}`, msisdn }));
      const [id] = await paymentsOf(number.id);
      const paid = await getTransaction(desk.database, id ?? '');
      const customers = feeFor('number', minor(10_000_00), feesAt(new Date().toISOString(), null)).fee;
      assert.ok(customers > 0);
      assert.deepEqual([paid?.fee, (await desk.earned()) - before], [customers, 10_000_00 - customers]);
    });

  it('are not made up by the process with the doors: it writes one only from an accepted receipt', async () => {
    const number = await make();
    const open = (database: Database, receipt: string) =>
      database.query('SELECT open_number_payment($1, $2, $3, $4, $5, $6) AS opened', [
        CONNECTION,
        receipt,
        'v',
        'PY',
        'mac',
        {},
      ]);
    assert.deepEqual((await open(door(), 'NO-RECEIPT')).rows, [{ opened: false }]);
    const refused = paymentOf(number.controlNumber, 0.001, { refusalReturnsMoney: true });
    await receiveBillPayment(door(), { ...refused, amount: null });
    assert.deepEqual((await open(door(), refused.receipt)).rows, [{ opened: false }]);
    await assert.rejects(
      door().query('UPDATE numbers SET account_id = account_id WHERE id = $1' as never, [number.id] as never),
      /permission denied/,
    );
  });

  it('show the payer whom they pay, without an amount, until the number is closed', async () => {
    const number = await make({ description: 'Fees' });
    const view = await lookUpNumber(door(), number.controlNumber);
    assert.deepEqual([view?.open, view?.outstanding, view?.description], [true, null, 'Fees']);
    assert.equal(await lookUpNumber(door(), '779999999999'), null);
  });

  desk.itRaced(10, 'find one number, however often and by however many it is made at once', async () => {
    const { accountId } = desk.merchant;
    const makeSame = () => make({ customerReference: 'SAME' });
    const numbers = await atOnce(10, desk.database, times(10, makeSame));
    assert.equal(new Set(numbers.map(({ controlNumber }) => controlNumber)).size, 1);
    assert.equal((await numbersById(desk.database, { accountId, ids: numbers.map(({ id }) => id) })).size, 1);
  });
});
