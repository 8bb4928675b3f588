import assert from 'node:assert/strict';
import { fenceOf } from '../../src/transactions/care/fence.ts';
import { receiveBillPayment } from '../../src/transactions/ending/bills.ts';
import { noteSignalled } from '../../src/transactions/rows/bill-receipts.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { controlNumberOf, paymentOf } from '../support/bill-customer.ts';
import { startFlows } from '../support/flows.ts';
import { billRequest, createMerchant, submissionFor } from '../support/merchant.ts';
import { createScriptedChannel } from '../support/scripted-channel.ts';
import { useLostPostgres } from './lost-postgres.ts';

/** The bills are in the copy, their payments are not. */
describe('a Postgres that lost payments of bills', function () {
  this.timeout(60_000);
  const { temporal, lost, copy, recoverCopy, untilListed, apiFlows } = useLostPostgres();
  let flows: Awaited<ReturnType<typeof startFlows>>;
  let bills: Record<'expired' | 'taken' | 'returned' | 'unsignalled', string>;

  before(async () => {
    const merchant = await createMerchant(lost.database);
    await createMerchant(copy.database, { as: merchant });
    flows = await startFlows(temporal.environment, {
      database: lost.database,
      script: createScriptedChannel(),
    });
    const bill = async () => {
      const submission = submissionFor(merchant, billRequest());
      await flows.submit(submission);
      return submission.transactionId;
    };
    bills = { expired: await bill(), taken: await bill(), returned: await bill(), unsignalled: await bill() };
    await bringBack();
    assert.equal(await fenceOf(copy.database), null, 'the copy has the bills');
  });
  after(() => flows?.stop());

  async function bringBack() {
    await untilListed(({ workflows }) => workflows === 4);
    return recoverCopy();
  }

  /** As the door does it; without its signal the sweep has to give one. */
  async function pay(id: string, { signalled = true } = {}) {
    const payment = paymentOf(await controlNumberOf(lost.database, id), 25_000);
    assert.equal((await receiveBillPayment(lost.database, payment)).outcome, 'accepted');
    if (signalled) {
      await apiFlows().signal(id, 'stored', payment);
      await noteSignalled(lost.database, payment);
    } else assert.equal((await flows.sweep.sweep()).signalled, 1);
    assert.equal((await flows.handle(id).result()).status, 'completed');
    return payment;
  }

  it('credits what came in time, keeps what somebody else has paid since, and names what was refused', async () => {
    const [inTime, first, repeated] = [
      await pay(bills.expired),
      await pay(bills.taken),
      await pay(bills.returned),
    ];
    const unsignalled = await pay(bills.unsignalled, { signalled: false });
    await copy.database.query(
      "UPDATE bills SET expires_at = now() - interval '1 second' WHERE transaction_id = ANY($1)",
      [[bills.expired, bills.returned]],
    );
    const another = paymentOf(first.controlNumber ?? '', 25_000, { msisdn: '255754999999' });
    assert.equal((await receiveBillPayment(copy.database, another)).outcome, 'accepted');
    assert.deepEqual(await receiveBillPayment(copy.database, repeated), {
      outcome: 'refused',
      reason: 'bill_closed',
    });

    for (const counts of [
      [2, 1],
      [0, 0],
    ]) {
      const report = await bringBack();
      assert.deepEqual([report.billPayments, report.suspended], counts);
      assert.deepEqual(report.problems, [
        `${bills.returned}: its payment m-pesa:${repeated.receipt} was accepted before the restore, and refused after it (bill_closed)`,
      ]);
      assert.equal(report.isLifted, false, 'a person asks the network who has the money');
    }
    const statusOf = async (id: string) => (await getTransaction(copy.database, id))?.status;
    assert.equal(await statusOf(bills.expired), 'completed', `${inTime.receipt} came in time`);
    assert.equal(await statusOf(bills.taken), 'completed');
    assert.equal(await statusOf(bills.unsignalled), 'completed');
    assert.equal(await statusOf(bills.returned), 'pending');
    const { rows } = await copy.database.query('SELECT receipt, amount FROM suspense_items');
    assert.deepEqual(rows, [{ receipt: first.receipt, amount: first.amount }], 'the payer’s money is kept');
    const receipts = await copy.database.query(
      "SELECT receipt FROM bill_receipts WHERE outcome = 'accepted' ORDER BY received_at",
    );
    assert.deepEqual(
      receipts.rows.map(({ receipt }) => receipt),
      [another, inTime, unsignalled].map(({ receipt }) => receipt),
    );
  });
});
