import assert from 'node:assert/strict';
import { feeFor, feesAt } from '../../src/domain/fees.ts';
import { minor } from '../../src/domain/money.ts';
import { statusOf } from '../../src/domain/operation.ts';
import { entriesOf } from '../../src/ledger/accounts.ts';
import { receiveBillPayment, validateBillPayment } from '../../src/transactions/ending/bills.ts';
import { lookUpNumber, numbersById, setNumberStatus } from '../../src/transactions/rows/number-store.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { accept } from '../support/accept.ts';
import { atOnce, times } from '../support/at-once.ts';
import { payBill, paymentOf } from '../support/bill-customer.ts';
import { openBillDesk } from '../support/bill-desk.ts';
import { asRole } from '../support/database.ts';
import { ConnectionLost, failingDatabase } from '../support/failing-database.ts';
import { CONNECTION, refundRequest, submissionFor } from '../support/merchant.ts';
import { makeNumber, type NumberChanges } from '../support/numbers.ts';
import type { Database } from '../support/queryable.ts';

describe('payments of standing numbers', () => {
  const desk = openBillDesk();
  const door = () => asRole(desk.database, 'api');
  const make = (changes: NumberChanges = {}) => makeNumber(desk.database, desk.merchant, changes);
  const paymentsOf = async (id: string) =>
    (
      await desk.database.query('SELECT id FROM transactions WHERE number_id = $1 ORDER BY created_at', [id])
    ).rows.map((row) => row.id);

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

  it(
    'that are notified again, at once or later, are one transaction and posted once',
    desk.raced(8, async () => {
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
    }),
  );

  it('survive a connection that breaks at any statement: notified again, they are posted once', async () => {
    const number = await make();
    const whole = failingDatabase(desk.database, { at: 0, answerLost: false });
    await receiveBillPayment(whole.database, paymentOf(number.controlNumber, 25_000));
    const statements = whole.statements();
    assert.ok(statements >= 10, `${statements} statements`);
    const outcomes: string[] = [];
    for (let at = 1; at <= statements; at += 1)
      for (const answerLost of [false, true]) {
        const payment = paymentOf(number.controlNumber, 25_000);
        const failing = failingDatabase(desk.database, { at, answerLost });
        await assert.rejects(receiveBillPayment(failing.database, payment), ConnectionLost);
        const decided = await receiveBillPayment(desk.database, payment);
        outcomes.push(decided.outcome);
        assert.ok('transactionId' in decided && decided.transactionId);
        assert.equal((await desk.eventsOf(decided.transactionId)).length, 1);
        assert.equal((await entriesOf(desk.database, decided.transactionId)).length, 3);
      }
    // Only when the answer to COMMIT itself was lost had it happened.
    assert.deepEqual(outcomes.pop(), 'repeated');
    assert.ok(outcomes.every((outcome) => outcome === 'accepted'));
    assert.equal((await paymentsOf(number.id)).length, 1 + 2 * statements);
    assert.equal(await desk.earned(), (1 + 2 * statements) * 2_462_500);
  }).timeout(30_000);

  it('are refused outside of the bounds of the number, and where it is closed; opened, it takes them again', async () => {
    const number = await make({ minimum: 1_000, maximum: 2_000 });
    const { id, accountId } = number;
    const ask = async (amount: number) => {
      const decided = await payBill(door(), paymentOf(number.controlNumber, amount));
      return decided.outcome === 'refused' ? decided.reason : decided.outcome;
    };
    assert.equal(await ask(999.99), 'amount_too_low');
    assert.equal(await ask(2_000.01), 'amount_too_high');
    assert.equal(await ask(1_000), 'accepted');
    await setNumberStatus(door(), { id, accountId, status: 'closed' });
    assert.equal(await ask(1_000), 'bill_closed');
    await setNumberStatus(door(), { id, accountId, status: 'open' });
    assert.equal(await ask(2_000), 'accepted');
    assert.equal((await paymentsOf(id)).length, 2);
  });

  it('of a closed number that cannot go back are kept in suspense and credited to nobody', async () => {
    const number = await make();
    await setNumberStatus(door(), { id: number.id, accountId: number.accountId, status: 'closed' });
    const payment = paymentOf(number.controlNumber, 5_000, { refusalReturnsMoney: false });
    assert.deepEqual(await receiveBillPayment(door(), payment), {
      outcome: 'suspended',
      transactionId: null,
    });
    assert.equal((await receiveBillPayment(door(), payment)).outcome, 'suspended');
    assert.deepEqual(await paymentsOf(number.id), []);
    assert.equal(await desk.earned(), 0);
    const { rows } = await desk.database.query('SELECT amount FROM suspense_items WHERE receipt = $1', [
      payment.receipt,
    ]);
    assert.deepEqual(rows, [{ amount: 500_000 }]);
  });

  it(
    'wait for a closing that is under way, and the closing for payments that are',
    desk.raced(12, async () => {
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
    }),
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
    const { rows } = await desk.database.query('SELECT msisdn FROM transactions WHERE refund_of = $1', [id]);
    assert.deepEqual(
      rows.map(({ msisdn }) => msisdn),
      ['255754123456', '255754123456'],
    );
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

  it(
    'find one number, however often and by however many it is made at once',
    desk.raced(10, async () => {
      const { accountId } = desk.merchant;
      const makeSame = () => make({ customerReference: 'SAME' });
      const numbers = await atOnce(10, desk.database, times(10, makeSame));
      assert.equal(new Set(numbers.map(({ controlNumber }) => controlNumber)).size, 1);
      assert.equal(
        (await numbersById(desk.database, { accountId, ids: numbers.map(({ id }) => id) })).size,
        1,
      );
    }),
  );
});
