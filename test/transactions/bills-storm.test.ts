// tests: slow, many connections
import assert from 'node:assert/strict';
import { receiveBillPayment, validateBillPayment } from '../../src/transactions/ending/bills.ts';
import { tryToEnd } from '../../src/transactions/ending/end.ts';
import { noteSignalled } from '../../src/transactions/rows/bill-receipts.ts';
import { accept } from '../support/accept.ts';
import { atOnce } from '../support/at-once.ts';
import { controlNumberOf, paymentOf } from '../support/bill-customer.ts';
import { openBillDesk } from '../support/bill-desk.ts';
import { asRole } from '../support/database.ts';
import { untilLockAwaited } from '../support/lock-wait.ts';
import { billRequest, mobilePayoutRequest, qrRequest, submissionFor } from '../support/merchant.ts';

describe('bills under everything at once', () => {
  const desk = openBillDesk();

  desk
    .itRaced(12, 'keep books that add up and events without gaps', async () => {
      const { database, merchant } = desk;
      const one = async (i: number) => {
        const isFlexible = i % 3 === 0;
        const request =
          i % 4 === 1 ? qrRequest(15_000) : billRequest(15_000, isFlexible ? { mode: 'flexible' } : {});
        const submission = submissionFor(merchant, request);
        await Promise.all([
          accept(database, submission),
          accept(database, submission),
          accept(database, submissionFor(merchant, mobilePayoutRequest(100_000))),
        ]);
        const id = submission.transactionId;
        const number = await controlNumberOf(database, id);
        const amount = isFlexible ? 9_000 : 15_000;
        const mine = paymentOf(number, amount, { refusalReturnsMoney: i % 2 === 0 });
        const theirs = paymentOf(number, amount, {
          channel: 't-pesa',
          refusalReturnsMoney: false,
          msisdn: '255654000001',
        });
        const acts = [
          () => tryToEnd(database, id, { kind: 'cancel' }),
          () => receiveBillPayment(database, mine),
          () => receiveBillPayment(database, mine),
          () => validateBillPayment(database, theirs),
          () => receiveBillPayment(database, theirs),
          () => tryToEnd(database, id, { kind: i % 5 === 0 ? 'expired' : 'notifications' }),
          () => tryToEnd(database, id, { kind: 'cancel' }),
        ];
        // A different order for each, the same on every run.
        const shifted = [...acts.slice(i % acts.length), ...acts.slice(0, i % acts.length)];
        await Promise.all(shifted.map((act) => act()));
      };
      await atOnce(
        12,
        database,
        Array.from({ length: 40 }, (_, i) => () => one(i)),
      );
      const gaps = await database.query(
        'SELECT transaction_id FROM callback_events GROUP BY 1 HAVING max(sequence) <> count(*)',
      );
      assert.deepEqual(gaps.rows, []);
    })
    .timeout(60_000);

  it('tell of times that never go back from one event to the next', async () => {
    const { database } = desk;
    const { id, number } = await desk.bill(billRequest(15_000, { mode: 'flexible' }));
    const holder = await database.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT 1 FROM transactions WHERE id = $1 FOR NO KEY UPDATE', [id]);
    const paying = receiveBillPayment(database, paymentOf(number, 5_000));
    await untilLockAwaited(database);
    const ending = receiveBillPayment(database, paymentOf(number, 10_000));
    await untilLockAwaited(database, 2);
    await holder.query('COMMIT');
    holder.release();
    await Promise.all([paying, ending]);
    const moments = (await desk.eventsOf(id)).map((event) => event.timestamp);
    assert.equal(moments.length, 2);
    assert.deepEqual(moments, [...moments].sort());
  });

  it('are told of once more only while Temporal may not know them', async () => {
    const { id, number } = await desk.bill(billRequest(15_000, { mode: 'flexible' }));
    const payment = paymentOf(number, 5_000);
    await receiveBillPayment(desk.database, payment);
    const repeated = { outcome: 'repeated', transactionId: id };
    assert.deepEqual(await receiveBillPayment(desk.database, payment), { ...repeated, unsignalled: true });
    await tryToEnd(desk.database, id, { kind: 'notifications' });
    assert.deepEqual(await receiveBillPayment(desk.database, payment), { ...repeated, unsignalled: true });
    await noteSignalled(asRole(desk.database, 'api'), payment);
    assert.deepEqual(await receiveBillPayment(desk.database, payment), { ...repeated, unsignalled: false });
  });
});
