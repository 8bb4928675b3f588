// tests: slow, many connections
import assert from 'node:assert/strict';
import { type Minor, minor } from '../../src/domain/money.ts';
import { pageOfSuspense } from '../../src/ledger/suspense.ts';
import { receiveBillPayment, validateBillPayment } from '../../src/transactions/ending/bills.ts';
import { tryToEnd } from '../../src/transactions/ending/end.ts';
import { noteSignalled } from '../../src/transactions/rows/bill-receipts.ts';
import { accept } from '../support/accept.ts';
import { atOnce } from '../support/at-once.ts';
import { beforeCommit, beforeStatements } from '../support/before-statements.ts';
import { controlNumberOf, paymentOf } from '../support/bill-customer.ts';
import { openBillDesk } from '../support/bill-desk.ts';
import { asRole } from '../support/database.ts';
import { untilLockAwaited } from '../support/lock-wait.ts';
import { billRequest, mobilePayoutRequest, qrRequest, submissionFor } from '../support/merchant.ts';
import type { Database } from '../support/queryable.ts';
import { agree } from './agree.ts';

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

  it('that are booked while a repeat of them is read are the same answer to it, and call nobody', async () => {
    const { id, number } = await desk.bill();
    const payment = paymentOf(number, 25_000);
    let first: ReturnType<typeof receiveBillPayment> | null = null;
    const between = beforeStatements(desk.database, async (_on, query) => {
      const text = typeof query === 'string' ? query : query.text;
      // The repeat has looked for the receipt, and looks for its money now.
      if (!text.includes('movement_names')) return;
      first ??= receiveBillPayment(desk.database, payment);
      await first;
    });
    const repeat = await receiveBillPayment(between, payment);
    assert.deepEqual(await first, { outcome: 'accepted', transactionId: id });
    assert.deepEqual(repeat, { outcome: 'repeated', transactionId: id, unsignalled: true });
    assert.deepEqual(await desk.reasonsOf(id), []);
    assert.equal(await desk.earned(), 2_462_500);
  });

  it('are in the log of callbacks in their order, also where the second one came first and waited', async () => {
    const { id, number } = await desk.bill(billRequest(25_000, { mode: 'flexible' }));
    let other: Promise<unknown> | null = null;
    const waiting = beforeStatements(desk.database, async (_on, query) => {
      const text = typeof query === 'string' ? query : query.text;
      if (!text.includes('bill_receipts')) return;
      other ??= receiveBillPayment(desk.database, paymentOf(number, 1_000));
      await other;
    });
    await receiveBillPayment(waiting, paymentOf(number, 2_000));
    const { rows } = await desk.database.query(
      `SELECT sequence, body::json->'amount'->>'value' AS value FROM callback_events
       WHERE transaction_id = $1 ORDER BY created_at`,
      [id],
    );
    assert.deepEqual(rows, [
      { sequence: 1, value: '1,000.00' },
      { sequence: 2, value: '2,000.00' },
    ]);
  });

  it('are booked once where the network tells a readable amount while two operators name it', async () => {
    const { number } = await desk.bill();
    const told = (receipt: string, amount: Minor | null) =>
      paymentOf(number, 0, { receipt, amount, channel: 'halopesa', refusalReturnsMoney: false });
    const report = (database: Database, receipt: string) =>
      receiveBillPayment(database, told(receipt, minor(250_00)));
    const items = async () =>
      (await pageOfSuspense(desk.database, { page: 1, perPage: 200 })).items.filter(({ receipt }) =>
        /^N\d/.test(receipt),
      );
    const named = async (database: Database, of: string, amount = 250_00) => {
      const item = (await items()).find(({ receipt }) => receipt === of)?.id;
      const payload = { item, receipt: of, amount, currency: 'TZS', note: 'a test' };
      return (await agree(database, 'suspense.name-amount', payload)) !== null;
    };
    for (const [receipt, first, second] of [
      ['N1', report, named],
      ['N2', named, report],
    ] as const) {
      await receiveBillPayment(desk.database, told(receipt, null));
      const held = beforeCommit(desk.database);
      const its = first(held.database, receipt);
      await held.reached;
      const others = second(desk.database, receipt);
      await untilLockAwaited(desk.database);
      held.goOn();
      assert.deepEqual([await its, await others].includes(true), receipt === 'N2', 'whether it was named');
    }
    assert.deepEqual((await items()).map(({ receipt, amount }) => `${receipt}: ${amount}`).sort(), [
      'N1 over test/halopesa: 25000',
      'N1: 0',
      'N2: 25000',
    ]);
    assert.ok(await named(desk.database, 'N1', 0));
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
