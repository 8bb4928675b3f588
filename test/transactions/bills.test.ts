import assert from 'node:assert/strict';
import { settle } from '../../src/activities/settle.ts';
import type { BillRequest } from '../../src/domain/operation.ts';
import { balanceOf, entriesOf } from '../../src/ledger/accounts.ts';
import { checkInvariants } from '../../src/ledger/invariants.ts';
import { accept } from '../../src/transactions/accept.ts';
import { listAttention } from '../../src/transactions/attention.ts';
import { billPaymentsOf, lookUpBill } from '../../src/transactions/bill-store.ts';
import { receiveBillPayment, validateBillPayment } from '../../src/transactions/bills.ts';
import { getTransaction } from '../../src/transactions/store.ts';
import { controlNumberOf, payBill, paymentOf } from '../support/bill-customer.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { ConnectionLost, failingDatabase } from '../support/failing-database.ts';
import { billRequest, createMerchant, type Merchant, qrRequest, submissionFor } from '../support/merchant.ts';

describe('payments of bills', () => {
  let test: TestDatabase;
  let merchant: Merchant;
  before(async () => {
    test = await createTestDatabase({ poolMax: 10 });
  });
  after(() => test.drop());
  beforeEach(async () => {
    merchant = await createMerchant(test.database);
  });
  afterEach(async () => {
    assert.deepEqual(await checkInvariants(test.database), []);
  });

  async function bill(request: BillRequest = billRequest()) {
    const submission = submissionFor(merchant, request);
    await accept(test.database, submission);
    const id = submission.transactionId;
    return { id, number: await controlNumberOf(test.database, id) };
  }
  const available = async () => (await balanceOf(test.database, merchant.accountId, 'TZS')).current;
  const eventsOf = async (id: string) => {
    const { rows } = await test.database.query(
      'SELECT body FROM callback_events WHERE transaction_id = $1 ORDER BY sequence',
      [id],
    );
    return rows.map((row) => JSON.parse(row.body));
  };
  const reasonsOf = async (subject: string) =>
    (await listAttention(test.database))
      .filter((entry) => entry.subject === subject)
      .map((entry) => entry.reason);
  const suspenseOf = async (id: string) =>
    (await entriesOf(test.database, id))
      .filter((entry) => entry.account === 'suspense')
      .map((entry) => entry.amount);

  it('credit the value less the fee and complete an exact bill, once', async () => {
    const { id, number } = await bill();
    assert.equal((await payBill(test.database, paymentOf(number, 25_000))).outcome, 'accepted');
    const paid = await getTransaction(test.database, id);
    assert.deepEqual(
      [paid?.status, paid?.event, paid?.channel, paid?.fee, paid?.settled, paid?.bill?.paid],
      ['completed', 'payment.received', 'm-pesa', 37_500, 2_462_500, 2_500_000],
    );
    assert.equal(await available(), 2_462_500);
    const [event] = await eventsOf(id);
    assert.deepEqual(event.amount, { value: '25,000.00', fee: '375.00', settled: '24,625.00' });
    assert.deepEqual(event.bill, {
      amount: '25,000.00',
      reference: number,
      mode: 'exact',
      payment_number: paid?.bill?.paymentNumber,
      paid: '25,000.00',
      outstanding: '0.00',
    });
  });

  it('of a flexible bill are taken until the sum reaches it; the last one is taken whole', async () => {
    const { id, number } = await bill(billRequest(12_500.5, { mode: 'flexible' }));
    const first = paymentOf(number, 10_000, { receipt: 'CKL6A1B2C3' });
    const second = paymentOf(number, 3_000, {
      channel: 'airtel-money',
      receipt: 'AM261122.0917.K00231',
      msisdn: '255784555666',
      fullName: null,
    });
    assert.equal((await payBill(test.database, first)).outcome, 'accepted');
    assert.equal((await getTransaction(test.database, id))?.status, 'pending');
    assert.equal((await payBill(test.database, second)).outcome, 'accepted');
    const late = await payBill(test.database, paymentOf(number, 1));
    assert.deepEqual(late, { outcome: 'refused', reason: 'bill_closed' });

    const paid = await getTransaction(test.database, id);
    assert.deepEqual([paid?.status, paid?.fee, paid?.settled], ['completed', 19_500, 1_280_500]);
    const [one, two, ...more] = await eventsOf(id);
    assert.deepEqual(more, []);
    assert.deepEqual([one.sequence, one.amount.value, one.bill.outstanding], [1, '10,000.00', '2,500.50']);
    assert.deepEqual([two.sequence, two.amount.fee, two.bill.paid], [2, '45.00', '13,000.00']);
    assert.deepEqual(two.customer, { phone_number: '0784555666', full_name: null });
    assert.equal(one.updated_at, one.timestamp);
    assert.equal((await billPaymentsOf(test.database, id)).length, 2);
  });

  it('that are notified again and again are the same answer and posted once', async () => {
    const { id, number } = await bill();
    const payment = paymentOf(number, 25_000);
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => receiveBillPayment(test.database, payment)),
    );
    assert.deepEqual(answers.map((answer) => answer.outcome).sort(), [
      'accepted',
      ...Array.from({ length: 4 }, () => 'repeated'),
    ]);
    assert.equal(await available(), 2_462_500);
    assert.equal((await eventsOf(id)).length, 1);
  });

  it('survive a connection that breaks at any statement: notified again, they are posted once', async () => {
    const whole = failingDatabase(test.database, { at: 0, answerLost: false });
    const sample = await bill();
    await receiveBillPayment(whole.database, paymentOf(sample.number, 25_000));
    const statements = whole.statements();
    assert.ok(statements >= 10, `${statements} statements`);
    const before = await available();
    const outcomes: string[] = [];
    for (let at = 1; at <= statements; at += 1)
      for (const answerLost of [false, true]) {
        const { id, number } = await bill();
        const payment = paymentOf(number, 25_000);
        const failing = failingDatabase(test.database, { at, answerLost });
        await assert.rejects(receiveBillPayment(failing.database, payment), ConnectionLost);
        outcomes.push((await receiveBillPayment(test.database, payment)).outcome);
        assert.equal((await eventsOf(id)).length, 1);
        assert.equal((await entriesOf(test.database, id)).length, 3);
      }
    // Only when the answer to COMMIT itself was lost had it happened.
    assert.deepEqual(outcomes.pop(), 'repeated');
    assert.ok(outcomes.every((outcome) => outcome === 'accepted'));
    assert.equal(await available(), before + 2 * statements * 2_462_500);
  }).timeout(30_000);

  it('of six customers on six networks at once: one is accepted, five are refused before any money moves', async () => {
    const { number } = await bill();
    const networks = ['m-pesa', 'airtel-money', 'tigo-pesa', 'halopesa', 't-pesa', 'azampesa'];
    const payments = networks.map((channel, i) =>
      paymentOf(number, 25_000, { channel, msisdn: `25575412345${i}` }),
    );
    const validated = await Promise.all(
      payments.map((payment) => validateBillPayment(test.database, payment)),
    );
    const winner = validated.findIndex((one) => one.outcome === 'accepted');
    assert.equal(validated.filter((one) => one.outcome === 'accepted').length, 1);
    assert.ok(validated.every((one) => one.outcome === 'accepted' || 'reason' in one));
    // A network that leaves out the validation cannot push in either.
    const pushy = payments[(winner + 1) % 6];
    assert.ok(pushy && payments[winner]);
    assert.deepEqual(await receiveBillPayment(test.database, pushy), {
      outcome: 'refused',
      reason: 'in_progress',
    });
    const accepted = await receiveBillPayment(test.database, payments[winner]);
    assert.equal(accepted.outcome, 'accepted');
    assert.equal(await available(), 2_462_500);
  });

  it('without validation, all at once, are accepted once', async () => {
    const { number } = await bill();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        receiveBillPayment(test.database, paymentOf(number, 25_000, { msisdn: `2557541234${10 + i}` })),
      ),
    );
    assert.equal(answers.filter((answer) => answer.outcome === 'accepted').length, 1);
    assert.equal(await available(), 2_462_500);
  });

  it('can be tried again by the same customer, and by another when the claim is over', async () => {
    const { number } = await bill();
    const mine = paymentOf(number, 25_000);
    const other = paymentOf(number, 25_000, { msisdn: '255784555666', channel: 'airtel-money' });
    const validate = (payment: typeof mine) => validateBillPayment(test.database, payment);
    assert.equal((await validate(mine)).outcome, 'accepted');
    assert.equal((await validate({ ...mine, receipt: 'another try' })).outcome, 'accepted');
    assert.deepEqual(await validate(other), { outcome: 'refused', reason: 'in_progress' });
    await test.database.query(
      "UPDATE bills SET claimed_until = now() - interval '1 second' WHERE claimed_by IS NOT NULL",
    );
    assert.equal((await validate(other)).outcome, 'accepted');
  });

  it('of another amount than an exact bill are refused, to the cent', async () => {
    const { number } = await bill();
    const reasonFor = async (amount: number) => {
      const answer = await validateBillPayment(test.database, paymentOf(number, amount));
      return 'reason' in answer ? answer.reason : answer.outcome;
    };
    assert.equal(await reasonFor(25_001), 'amount_too_high');
    assert.equal(await reasonFor(25_000.01), 'amount_too_high');
    assert.equal(await reasonFor(24_999.99), 'amount_too_low');
    assert.equal(await reasonFor(0), 'amount_invalid');
    assert.equal(await reasonFor(-25_000), 'amount_invalid');
    assert.equal(await reasonFor(25_000), 'accepted');
    const dollars = paymentOf(number, 25_000, { currency: 'USD' });
    assert.deepEqual(await receiveBillPayment(test.database, dollars), {
      outcome: 'refused',
      reason: 'amount_invalid',
    });
  });

  it('of one shilling or less pay no more fee than they are', async () => {
    const { id, number } = await bill(billRequest(1.5, { mode: 'flexible' }));
    await payBill(test.database, paymentOf(number, 1));
    await payBill(test.database, paymentOf(number, 0.01));
    await payBill(test.database, paymentOf(number, 100));
    const fees = (await billPaymentsOf(test.database, id)).map((payment) => payment.fee);
    assert.deepEqual(fees, [100, 1, 1_000]);
    assert.equal(await available(), 9_000);
  });

  it('for a mistyped number are refused without asking the database', async () => {
    const silent = { query: () => assert.fail('asked'), connect: () => assert.fail('asked') } as never;
    const payment = paymentOf('770000000048', 25_000, { controlNumber: null });
    const refused = { outcome: 'refused', reason: 'unknown_reference' };
    assert.deepEqual(await validateBillPayment(silent, payment), refused);
    assert.deepEqual(await receiveBillPayment(silent, payment), refused);
  });

  const endings = {
    cancelled: (id: string) => settle(test.database, id, { kind: 'cancel' }),
    failed: (id: string) => settle(test.database, id, { kind: 'expired' }),
    completed: async (id: string) => {
      const number = await controlNumberOf(test.database, id);
      await receiveBillPayment(test.database, paymentOf(number, 25_000, { msisdn: '255711111111' }));
    },
  };
  for (const [status, end] of Object.entries(endings)) {
    it(`that come after it was ${status} are refused where the money goes back`, async () => {
      const { id, number } = await bill();
      await end(id);
      assert.equal((await getTransaction(test.database, id))?.status, status);
      const before = await available();
      const payment = paymentOf(number, 25_000);
      for (const _ of [1, 2])
        assert.deepEqual(await receiveBillPayment(test.database, payment), {
          outcome: 'refused',
          reason: 'bill_closed',
        });
      assert.equal(await available(), before);
      assert.deepEqual(await reasonsOf(id), []);
    });

    it(`that come after it was ${status} go to suspense, once and flagged, where it does not`, async () => {
      const { id, number } = await bill();
      await end(id);
      const before = await available();
      const payment = paymentOf(number, 25_000, { channel: 'halopesa', refusalReturnsMoney: false });
      for (const _ of [1, 2])
        assert.deepEqual(await receiveBillPayment(test.database, payment), {
          outcome: 'suspended',
          transactionId: id,
        });
      assert.equal(await available(), before);
      assert.deepEqual(await suspenseOf(id), [2_500_000]);
      assert.deepEqual(await reasonsOf(id), ['unexpected_payment']);
    });
  }

  it('for nobody’s number are in suspense without a transaction where the money does not go back', async () => {
    const payment = paymentOf('770000000048', 700, {
      controlNumber: null,
      channel: 'halopesa',
      refusalReturnsMoney: false,
    });
    for (const _ of [1, 2])
      assert.deepEqual(await receiveBillPayment(test.database, payment), {
        outcome: 'suspended',
        transactionId: null,
      });
    assert.deepEqual(await reasonsOf(`halopesa:${payment.receipt}`), ['unexpected_payment']);
    const { rows } = await test.database.query(
      'SELECT sum(e.amount) AS amount FROM entries e JOIN transfers t ON t.id = e.transfer_id JOIN ledger_accounts a ON a.id = e.ledger_account_id WHERE t.dedupe_key = $1 AND a.kind = $2',
      [`suspense:halopesa:${payment.receipt}`, 'suspense'],
    );
    assert.equal(Number(rows[0].amount), 70_000);
  });

  it('keep their first answer, whatever becomes of the bill: what was given back is not taken later', async () => {
    const { id, number } = await bill();
    const rival = paymentOf(number, 25_000, { msisdn: '255784555666', channel: 'airtel-money' });
    await validateBillPayment(test.database, rival);
    const mine = paymentOf(number, 25_000);
    const refused = { outcome: 'refused', reason: 'in_progress' };
    assert.deepEqual(await receiveBillPayment(test.database, mine), refused);
    await test.database.query(
      "UPDATE bills SET claimed_until = now() - interval '1 second' WHERE claimed_by IS NOT NULL",
    );
    assert.deepEqual(await receiveBillPayment(test.database, mine), refused);
    assert.equal((await getTransaction(test.database, id))?.status, 'pending');
  });

  it('with a receipt that says something else now are refused and flagged', async () => {
    const { id, number } = await bill(billRequest(25_000, { mode: 'flexible' }));
    const other = await bill();
    const payment = paymentOf(number, 5_000);
    await receiveBillPayment(test.database, payment);
    const changed = { ...payment, amount: paymentOf(number, 6_000).amount };
    assert.deepEqual(await receiveBillPayment(test.database, changed), {
      outcome: 'refused',
      reason: 'amount_invalid',
    });
    const moved = { ...payment, controlNumber: other.number, controlNumberAsSent: other.number };
    assert.deepEqual(await receiveBillPayment(test.database, moved), {
      outcome: 'refused',
      reason: 'unknown_reference',
    });
    assert.deepEqual(await reasonsOf(id), ['receipt_mismatch']);
    assert.equal((await getTransaction(test.database, other.id))?.status, 'pending');
  });

  it('end with the 500th: more would fill a bill that is never paid up', async () => {
    const { id, number } = await bill(billRequest(1_000, { mode: 'flexible' }));
    await test.database.query(
      `INSERT INTO bill_receipts (channel, receipt, transaction_id, control_number, amount, currency, outcome, number, fee)
       SELECT 'm-pesa', 'r' || n, $1, $2, 100, 'TZS', 'accepted', n, 100 FROM generate_series(1, 499) n`,
      [id, number],
    );
    await test.database.query('UPDATE bills SET paid = 49900, payments = 499 WHERE transaction_id = $1', [
      id,
    ]);
    assert.equal((await payBill(test.database, paymentOf(number, 1))).outcome, 'accepted');
    assert.deepEqual(await payBill(test.database, paymentOf(number, 1)), {
      outcome: 'refused',
      reason: 'bill_closed',
    });
  });

  it('are not cancelled away: a bill is cancelled only while nothing is paid and nobody is paying', async () => {
    const flexible = await bill(billRequest(25_000, { mode: 'flexible' }));
    await payBill(test.database, paymentOf(flexible.number, 5_000));
    assert.equal((await settle(test.database, flexible.id, { kind: 'cancel' })).status, 'pending');

    const { id, number } = await bill();
    await validateBillPayment(test.database, paymentOf(number, 25_000));
    assert.equal((await settle(test.database, id, { kind: 'cancel' })).status, 'pending');
    await test.database.query(
      "UPDATE bills SET claimed_until = now() - interval '1 second' WHERE claimed_by IS NOT NULL",
    );
    assert.equal((await settle(test.database, id, { kind: 'cancel' })).status, 'cancelled');
    const [event] = await eventsOf(id);
    assert.deepEqual([event.event, event.failure_code], ['payment.failed', 'cancelled']);
    assert.deepEqual(event.customer, { phone_number: null, full_name: null });
    assert.deepEqual(event.channel, { name: 'BILLPAY', reference: null });
  });

  it('are kept when the bill expires partly paid, and the merchant is told once', async () => {
    const { id, number } = await bill(billRequest(25_000, { mode: 'flexible' }));
    await payBill(test.database, paymentOf(number, 5_000));
    for (const _ of [1, 2]) await settle(test.database, id, { kind: 'expired' });
    const failed = await getTransaction(test.database, id);
    assert.deepEqual([failed?.status, failed?.failureCode], ['failed', 'expired_partially_paid']);
    assert.equal(await available(), 492_500);
    const events = await eventsOf(id);
    assert.deepEqual(
      events.map((event) => [event.sequence, event.event]),
      [
        [1, 'payment.received'],
        [2, 'payment.failed'],
      ],
    );
    assert.equal(events[1].amount.value, '25,000.00');
  });

  it('after the bill’s time are refused even before its flow has ended it', async () => {
    const { id, number } = await bill(billRequest(25_000, { lifeMs: -1 }));
    assert.deepEqual(await payBill(test.database, paymentOf(number, 25_000)), {
      outcome: 'refused',
      reason: 'bill_closed',
    });
    assert.equal((await lookUpBill(test.database, number))?.open, false);
    assert.equal((await getTransaction(test.database, id))?.status, 'pending');
  });

  it('of a QR code are those of an exact bill, with the fee of QR codes and no bill in the event', async () => {
    const submission = submissionFor(merchant, qrRequest(15_000));
    const { answer } = await accept(test.database, submission);
    const { qr } = JSON.parse(answer.body);
    assert.match(qr.image, /^data:image\/png;base64,/);
    const number = await controlNumberOf(test.database, submission.transactionId);
    assert.ok(qr.payload.includes(number));
    assert.deepEqual(await payBill(test.database, paymentOf(number, 14_999)), {
      outcome: 'refused',
      reason: 'amount_too_low',
    });
    assert.equal((await payBill(test.database, paymentOf(number, 15_000))).outcome, 'accepted');
    const [event] = await eventsOf(submission.transactionId);
    assert.deepEqual(event.amount, { value: '15,000.00', fee: '150.00', settled: '14,850.00' });
    assert.equal('bill' in event, false);
    assert.equal(event.transaction_mode, 'qr');
  });
});
