import assert from 'node:assert/strict';
import { createFlows } from '../../src/api/kit/flows.ts';
import { recover } from '../../src/app/recover/recover.ts';
import { closeFence, fenceOf } from '../../src/transactions/care/fence.ts';
import { receiveBillPayment } from '../../src/transactions/ending/bills.ts';
import { noteSignalled } from '../../src/transactions/rows/bill-receipts.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { controlNumberOf, paymentOf } from '../support/bill-customer.ts';
import { startFlows } from '../support/flows.ts';
import { submissionKeys } from '../support/key-rings.ts';
import { billRequest, createMerchant, submissionFor } from '../support/merchant.ts';
import { createScriptedChannel } from '../support/scripted-channel.ts';
import { until } from '../support/wait.ts';
import { useLostPostgres } from './lost-postgres.ts';

/** The bills are in the copy, their payments are not. */
describe('a Postgres that lost payments of bills', function () {
  this.timeout(60_000);
  const { temporal, lost, copy } = useLostPostgres();
  let flows: Awaited<ReturnType<typeof startFlows>>;
  const delivery = { attempt: async () => ({ kind: 'delivered' }) as const };
  const script = createScriptedChannel();
  let bills: Record<'expired' | 'taken' | 'returned' | 'unsignalled', string>;

  before(async () => {
    const merchant = await createMerchant(lost.database);
    await createMerchant(copy.database, { as: merchant });
    flows = await startFlows(temporal.environment, { database: lost.database, script, delivery });
    const bill = async () => {
      const submission = submissionFor(merchant, billRequest());
      await flows.submit(submission);
      return submission.transactionId;
    };
    bills = { expired: await bill(), taken: await bill(), returned: await bill(), unsignalled: await bill() };
    await bringBack(4);
    assert.equal(await fenceOf(copy.database), null, 'the copy has the bills');
  });
  after(() => flows?.stop());

  /** Temporal lists a workflow, and its end, a moment later. */
  async function bringBack(count: number) {
    await closeFence(copy.database, 'a test');
    const { client } = temporal.environment;
    const deps = { database: copy.database, client, submissionKeys, actor: 'test', agreed: null };
    await until(async () => (await recover({ ...deps, isDry: true })).workflows === count, {
      deadlineMs: 30_000,
      what: 'Temporal lists all',
    });
    return recover({ ...deps, isDry: false });
  }

  /** As the door does it; without its signal the sweep has to give one. */
  async function pay(id: string, { signalled = true } = {}) {
    const payment = paymentOf(await controlNumberOf(lost.database, id), 25_000);
    assert.equal((await receiveBillPayment(lost.database, payment)).outcome, 'accepted');
    const { client, connection } = temporal.environment;
    if (signalled) {
      await createFlows({ client, connection, submissionKeys }).signal(id, 'stored', payment);
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
    await closeFence(copy.database, 'a test');
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
      const report = await bringBack(4);
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
