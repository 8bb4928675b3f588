import assert from 'node:assert/strict';
import type { StandingNumber } from '../../src/domain/number.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { makeNumbers } from '../../src/transactions/acceptance/numbers.ts';
import { receiveBillPayment } from '../../src/transactions/ending/bills.ts';
import { noteSignalled } from '../../src/transactions/rows/bill-receipts.ts';
import { numbersById, withItsNumber } from '../../src/transactions/rows/number-store.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { paymentOf } from '../support/bill-customer.ts';
import { asRole } from '../support/database.ts';
import { startFlows } from '../support/flows.ts';
import { createMerchant, type Merchant } from '../support/merchant.ts';
import { numbersRequest } from '../support/numbers.ts';
import { flat, setOwnFees } from '../support/own-fees.ts';
import { createScriptedChannel } from '../support/scripted-channel.ts';
import { tellingInto, useLostPostgres } from './lost-postgres.ts';

/** The copy has the merchant and nothing of the numbers. */
describe('a Postgres that lost standing numbers', function () {
  this.timeout(60_000);
  const { temporal, lost, copy, recoverCopy, untilListed, apiFlows } = useLostPostgres();
  let flows: Awaited<ReturnType<typeof startFlows>>;
  let api: ReturnType<typeof apiFlows>;
  let merchant: Merchant;
  const { told, delivery } = tellingInto();

  before(async () => {
    merchant = await createMerchant(lost.database);
    await createMerchant(copy.database, { as: merchant });
    flows = await startFlows(temporal.environment, {
      database: lost.database,
      script: createScriptedChannel(),
      delivery,
    });
    api = apiFlows();
  });
  after(() => flows?.stop());

  async function make(customerReference: string): Promise<StandingNumber> {
    const wanted = numbersRequest(merchant, { customerReference, metadata: '{"class":"2 B"}', minimum: 500 });
    assert.equal(await api.makeNumbers(wanted), 'made');
    const ids = wanted.numbers.map(({ id }) => id);
    const found = await numbersById(lost.database, { accountId: merchant.accountId, ids });
    const { status: _, ...number } = found.get(ids[0] ?? '') ?? assert.fail('the number is there');
    return number;
  }

  /** As the door does it; without its start the sweep has to begin the flow. */
  async function pay(number: StandingNumber, { begun = true } = {}): Promise<string> {
    const payment = paymentOf(number.controlNumber, 10_000);
    const decided = await receiveBillPayment(asRole(lost.database, 'api'), payment);
    assert.ok(decided.outcome === 'accepted' && decided.isBegun);
    const { transactionId: id } = decided;
    if (begun) {
      const transaction = (await getTransaction(lost.database, id)) ?? assert.fail();
      const proof = await withItsNumber(lost.database, transaction, payment);
      for (const _ of [1, 2]) assert.equal(await api.beginPayment(transaction, proof), true);
      await noteSignalled(lost.database, payment);
    } else assert.equal((await flows.sweep.sweep()).signalled, 1);
    assert.deepEqual(await flows.handle(id).result(), { status: 'completed', failure_code: null });
    return id;
  }

  it('gets them back with their payments, and a payment brings its number where that is forgotten', async () => {
    const first = await make('PUPIL-1');
    const unpaid = await make('PUPIL-2');
    // Made when Temporal was not looking: only its payment remembers it.
    const { made } = await makeNumbers(
      asRole(lost.database, 'worker'),
      numbersRequest(merchant, { customerReference: 'PUPIL-3', purpose: 'top_up' }),
    );
    const forgotten = made[0] ?? assert.fail();
    // The copy knows neither these fees nor that they held then.
    await setOwnFees(lost.database, merchant.accountId, { rows: { number: flat(100) } });
    const ids = [await pay(first), await pay(first, { begun: false }), await pay(forgotten)];
    assert.equal(new Set(told).size, 3, 'each payment has its own event');

    await untilListed(({ workflows, numbers }) => workflows === 3 && numbers >= 2);
    assert.equal(
      (await numbersById(copy.database, { accountId: merchant.accountId, ids: [first.id] })).size,
      0,
    );
    for (const counts of [
      [3, 3, true],
      [0, 0, true],
    ]) {
      const report = await recoverCopy();
      assert.deepEqual(report.problems, []);
      assert.deepEqual([report.numbers, report.billPayments, report.isLifted], counts);
      // Nobody remembers whether one was closed: each is named.
      assert.equal(report.reopened.length, counts[0]);
    }
    const numberIds = [first.id, unpaid.id, forgotten.id];
    const found = await numbersById(copy.database, { accountId: merchant.accountId, ids: numberIds });
    for (const number of [first, unpaid, forgotten])
      assert.deepEqual(found.get(number.id), { ...number, status: 'open' });
    const shownIn = async ({ database }: typeof lost, id: string) => {
      const { status, amount, fee, feeVersion, metadata, channelReference } =
        (await getTransaction(database, id)) ?? assert.fail();
      return { status, amount, fee, feeVersion, metadata, channelReference };
    };
    for (const id of ids) assert.deepEqual(await shownIn(copy, id), await shownIn(lost, id));
    assert.deepEqual(await checkInvariants(copy.database), []);
    // A number that is drawn now is none that was given before the restore.
    const next = await makeNumbers(
      asRole(copy.database, 'worker'),
      numbersRequest(merchant, { customerReference: 'PUPIL-4' }),
    );
    assert.ok((next.made[0]?.controlNumber ?? '') > unpaid.controlNumber);
  });

  it('believes no number that a process of ours did not make', async () => {
    const { client } = temporal.environment;
    const stranger = numbersRequest(merchant, { customerReference: 'STRANGER' });
    const handle = await client.workflow.start('makeNumbers', {
      workflowId: 'numbers/stranger',
      taskQueue: 'money',
      args: [{ ...stranger, mac: 'test:AAAA' }],
    });
    await assert.rejects(handle.result());
    const found = await lost.database.query("SELECT FROM numbers WHERE customer_reference = 'STRANGER'");
    assert.equal(found.rowCount, 0);
  });
});
