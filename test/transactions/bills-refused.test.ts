import assert from 'node:assert/strict';
import { entriesOf } from '../../src/ledger/accounts.ts';
import { receiveBillPayment, validateBillPayment } from '../../src/transactions/ending/bills.ts';
import { tryToEnd } from '../../src/transactions/ending/end.ts';
import { receiveNotification } from '../../src/transactions/ending/notifications.ts';
import { lookUpBill } from '../../src/transactions/rows/bill-store.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { controlNumberOf, expireBill, payBill, paymentOf } from '../support/bill-customer.ts';
import { openBillDesk } from '../support/bill-desk.ts';
import { billRequest, CONNECTION } from '../support/merchant.ts';
import { succeeded } from '../support/scripted-channel.ts';

describe('payments of bills that cannot be taken', () => {
  const desk = openBillDesk();

  it('can be tried again by the same customer, and by another when the claim is over', async () => {
    const { number } = await desk.bill();
    const mine = paymentOf(number, 25_000);
    const other = paymentOf(number, 25_000, { msisdn: '255784555666', channel: 'airtel-money' });
    const validate = (payment: typeof mine) => validateBillPayment(desk.database, payment);
    assert.equal((await validate(mine)).outcome, 'accepted');
    assert.equal((await validate({ ...mine, receipt: 'another try' })).outcome, 'accepted');
    assert.deepEqual(await validate(other), { outcome: 'refused', reason: 'in_progress' });
    await desk.endClaims();
    assert.equal((await validate(other)).outcome, 'accepted');
  });

  it('are kept for their customer for longer when he tries again', async () => {
    const { id, number } = await desk.bill();
    const mine = paymentOf(number, 25_000);
    await validateBillPayment(desk.database, mine);
    await desk.database.query(
      "UPDATE bills SET claimed_until = clock_timestamp() + interval '5 seconds' WHERE transaction_id = $1",
      [id],
    );
    await validateBillPayment(desk.database, { ...mine, receipt: 'another try' });
    const { rows } = await desk.database.query(
      "SELECT claimed_until > now() + interval '60 seconds' AS longer FROM bills WHERE transaction_id = $1",
      [id],
    );
    assert.deepEqual(rows, [{ longer: true }]);
  });

  it('of another currency are in suspense in that currency where the money does not go back', async () => {
    const { id, number } = await desk.bill();
    const dollars = paymentOf(number, 25_000, { currency: 'USD', refusalReturnsMoney: false });
    for (const _ of [1, 2])
      assert.equal((await receiveBillPayment(desk.database, dollars)).outcome, 'suspended');
    const entries = await entriesOf(desk.database, id);
    assert.deepEqual(
      entries.map(({ account, amount, currency }) => [account, amount, currency]),
      [
        ['clearing', -2_500_000, 'USD'],
        ['suspense', 2_500_000, 'USD'],
      ],
    );
  });

  it('for a mistyped number are refused, and asked about without the database', async () => {
    const silent = { query: () => assert.fail('asked'), connect: () => assert.fail('asked') } as never;
    const payment = paymentOf('770000000048', 25_000, { controlNumber: null });
    const refused = { outcome: 'refused', reason: 'unknown_reference' };
    assert.deepEqual(await validateBillPayment(silent, payment), refused);
    assert.deepEqual(await receiveBillPayment(desk.database, payment), refused);
  });

  const endings = {
    cancelled: (id: string) => tryToEnd(desk.database, id, { kind: 'cancel' }),
    failed: (id: string) => expireBill(desk.database, id),
    completed: async (id: string) => {
      const number = await controlNumberOf(desk.database, id);
      await receiveBillPayment(desk.database, paymentOf(number, 25_000, { msisdn: '255711111111' }));
    },
  };
  for (const [status, end] of Object.entries(endings)) {
    it(`that come after it was ${status} are refused where the money goes back`, async () => {
      const { id, number } = await desk.bill();
      await end(id);
      assert.equal((await getTransaction(desk.database, id))?.status, status);
      const before = await desk.earned();
      const payment = paymentOf(number, 25_000);
      for (const _ of [1, 2])
        assert.deepEqual(await receiveBillPayment(desk.database, payment), {
          outcome: 'refused',
          reason: 'bill_closed',
        });
      assert.equal(await desk.earned(), before);
      assert.deepEqual(await desk.reasonsOf(id), []);
    });

    it(`that come after it was ${status} go to suspense, once and flagged, where it does not`, async () => {
      const { id, number } = await desk.bill();
      await end(id);
      const before = await desk.earned();
      const payment = paymentOf(number, 25_000, { channel: 'halopesa', refusalReturnsMoney: false });
      for (const _ of [1, 2])
        assert.deepEqual(await receiveBillPayment(desk.database, payment), {
          outcome: 'suspended',
          transactionId: id,
        });
      assert.equal(await desk.earned(), before);
      assert.deepEqual(await desk.suspenseOf(id), [2_500_000]);
      assert.deepEqual(await desk.reasonsOf(id), ['unexpected_payment']);
    });
  }

  it('for nobody’s number are in suspense without a transaction where the money does not go back', async () => {
    const payment = paymentOf('770000000048', 700, {
      controlNumber: null,
      channel: 'halopesa',
      refusalReturnsMoney: false,
    });
    for (const _ of [1, 2])
      assert.deepEqual(await receiveBillPayment(desk.database, payment), {
        outcome: 'suspended',
        transactionId: null,
      });
    assert.deepEqual(await desk.reasonsOf(`test:${payment.receipt}`), ['unexpected_payment']);
    const { rows } = await desk.database.query(
      'SELECT sum(e.amount) AS amount FROM entries e JOIN transfers t ON t.id = e.transfer_id JOIN ledger_accounts a ON a.id = e.ledger_account_id WHERE t.dedupe_key = $1 AND a.kind = $2',
      [`suspense:test:${payment.receipt}`, 'suspense'],
    );
    assert.equal(Number(rows[0].amount), 70_000);
  });

  it('keep their first answer, whatever becomes of the bill: what was given back is not taken later', async () => {
    const { id, number } = await desk.bill();
    const rival = paymentOf(number, 25_000, { msisdn: '255784555666', channel: 'airtel-money' });
    await validateBillPayment(desk.database, rival);
    const mine = paymentOf(number, 25_000);
    const refused = { outcome: 'refused', reason: 'in_progress' };
    assert.deepEqual(await receiveBillPayment(desk.database, mine), refused);
    await desk.endClaims();
    assert.deepEqual(await receiveBillPayment(desk.database, mine), refused);
    assert.equal((await getTransaction(desk.database, id))?.status, 'pending');
  });

  it('are taken, claim or no claim, where the money does not go back: somebody paid, another only means to', async () => {
    const { id, number } = await desk.bill();
    const rival = paymentOf(number, 25_000, { msisdn: '255784555666', channel: 'airtel-money' });
    assert.equal((await validateBillPayment(desk.database, rival)).outcome, 'accepted');
    const paid = paymentOf(number, 25_000, { channel: 'halopesa', refusalReturnsMoney: false });
    assert.deepEqual(await receiveBillPayment(desk.database, paid), {
      outcome: 'accepted',
      transactionId: id,
    });
    assert.equal((await getTransaction(desk.database, id))?.status, 'completed');
    assert.deepEqual(await desk.suspenseOf(id), []);
    assert.deepEqual(await receiveBillPayment(desk.database, rival), {
      outcome: 'refused',
      reason: 'bill_closed',
    });
  });

  it('with the receipt of a payment that is in another currency now are an item of their own, and flagged', async () => {
    const { id, number } = await desk.bill(billRequest(25_000, { mode: 'flexible' }));
    const payment = paymentOf(number, 5_000);
    await receiveBillPayment(desk.database, payment);
    const before = await desk.earned();
    assert.deepEqual(await receiveBillPayment(desk.database, { ...payment, currency: 'USD' }), {
      outcome: 'suspended',
      transactionId: null,
    });
    assert.deepEqual(await desk.reasonsOf(id), ['receipt_mismatch']);
    assert.equal(await desk.earned(), before);
    assert.equal((await receiveBillPayment(desk.database, payment)).outcome, 'repeated');
  });

  it('are not cancelled away: a bill is cancelled only while nothing is paid and nobody is paying', async () => {
    const flexible = await desk.bill(billRequest(25_000, { mode: 'flexible' }));
    await payBill(desk.database, paymentOf(flexible.number, 5_000));
    assert.equal((await tryToEnd(desk.database, flexible.id, { kind: 'cancel' })).status, 'pending');

    const { id, number } = await desk.bill();
    await validateBillPayment(desk.database, paymentOf(number, 25_000));
    assert.equal((await tryToEnd(desk.database, id, { kind: 'cancel' })).status, 'pending');
    await desk.endClaims();
    assert.equal((await tryToEnd(desk.database, id, { kind: 'cancel' })).status, 'cancelled');
    const [event] = await desk.eventsOf(id);
    assert.deepEqual([event.event, event.failure_code], ['payment.failed', 'cancelled']);
    assert.deepEqual(event.customer, { phone_number: null, full_name: null });
    assert.deepEqual(event.channel, { name: 'BILLPAY', reference: null });
  });

  it('after the bill’s time are refused even before its flow has ended it', async () => {
    const { id, number } = await desk.bill(billRequest(25_000, { lifeMs: -1 }));
    assert.deepEqual(await payBill(desk.database, paymentOf(number, 25_000)), {
      outcome: 'refused',
      reason: 'bill_closed',
    });
    assert.equal((await lookUpBill(desk.database, number))?.open, false);
    assert.equal((await getTransaction(desk.database, id))?.status, 'pending');
  });

  it('are taken when only one of its steps names the payer: the receipt is the same in all', async () => {
    for (const [validated, notified] of [
      [null, '255754123456'],
      ['255754123456', null],
    ]) {
      const { number } = await desk.bill();
      const payment = paymentOf(number, 25_000);
      await validateBillPayment(desk.database, { ...payment, msisdn: validated ?? null });
      const taken = await receiveBillPayment(desk.database, { ...payment, msisdn: notified ?? null });
      assert.equal(taken.outcome, 'accepted');
    }
  });

  it('are none of a channel’s notifications: a bill is paid through its own door', async () => {
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

  it('are not of a customer who tried twice: each receipt of a claim that lives counts', async () => {
    const { number } = await desk.bill();
    const first = paymentOf(number, 25_000, { receipt: 'R1' });
    await validateBillPayment(desk.database, first);
    await validateBillPayment(desk.database, { ...first, receipt: 'R2' });
    const taken = await receiveBillPayment(desk.database, { ...first, msisdn: null });
    assert.equal(taken.outcome, 'accepted');
  });
});
