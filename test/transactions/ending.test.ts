import assert from 'node:assert/strict';
import { minor } from '../../src/domain/money.ts';
import type { MoneyRequest } from '../../src/domain/operation.ts';
import { postCollection } from '../../src/ledger/movement.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import { raiseAttention } from '../../src/transactions/care/attention.ts';
import { type Ending, end } from '../../src/transactions/ending/ending.ts';
import { getTransaction, lockTransaction } from '../../src/transactions/rows/store.ts';
import { useTestDatabase } from '../support/database.ts';
import { handedOver } from '../support/handed-over.ts';
import { bankPayoutRequest, mobilePayoutRequest, pushRequest } from '../support/merchant.ts';
import { attentionOf } from '../support/unexplained.ts';

const SUCCEEDED: Ending = { kind: 'succeeded', fullName: 'ASHA JUMA', channelReference: 'R1' };
const FAILED: Ending = { kind: 'failed', code: 'customer_declined', channelReference: 'R1' };
const CANCELLED: Ending = { kind: 'cancelled' };

describe('an ending', () => {
  const test = useTestDatabase({ each: true });

  const endIt = (id: string, ending: Ending) =>
    inTransaction(test.database, async (db) => {
      const transaction = await lockTransaction(db, id);
      assert.ok(transaction);
      return end(db, transaction, ending);
    });

  /** The columns that an ending writes; times as whether they are there. */
  async function written(request: MoneyRequest, ending: Ending) {
    const { id } = await handedOver(test.database, request);
    await endIt(id, ending);
    const rows =
      await test.sql`SELECT status, event, failure_code AS code, settled::int AS settled, channel_reference AS reference,
         full_name AS name, paid_at IS NOT NULL AS paid, next_enquiry_at, status_at = updated_at AS timed,
         (SELECT array_agg(e.event) FROM callback_events e WHERE e.transaction_id = ${id}) AS callbacks
       FROM transactions WHERE id = ${id}`;
    const [{ next_enquiry_at: nextEnquiry, timed, callbacks, ...rest }] = rows;
    assert.deepEqual([nextEnquiry, timed, callbacks], [null, true, [rest.event]]);
    return rest;
  }

  // A push of 5,000 costs 100, and the fee is taken from it.
  const push = pushRequest(5_000);
  const none = { code: null, settled: null, reference: null, name: null, paid: false };

  it('of a push that is paid writes what its merchant gets: the value without the fee', async () => {
    assert.deepEqual(await written(push, SUCCEEDED), {
      ...none,
      status: 'completed',
      event: 'payment.received',
      settled: 490_000,
      reference: 'R1',
      name: 'ASHA JUMA',
    });
  });

  it('of a push that failed writes why, and nothing that its merchant gets', async () => {
    assert.deepEqual(await written(push, FAILED), {
      ...none,
      status: 'failed',
      event: 'payment.failed',
      code: 'customer_declined',
      reference: 'R1',
    });
  });

  it('of a payout that is paid writes when, and settles nothing', async () => {
    assert.deepEqual(await written(mobilePayoutRequest(), SUCCEEDED), {
      ...none,
      status: 'paid',
      event: 'payout.completed',
      reference: 'R1',
      name: 'ASHA JUMA',
      paid: true,
    });
  });

  it('of a payout to a bank keeps the name that its merchant gave', async () => {
    assert.equal((await written(bankPayoutRequest(), SUCCEEDED)).name, 'Asha Juma');
  });

  it('of a payout that failed or was cancelled gives no time of payment', async () => {
    const failed = { ...none, status: 'failed', event: 'payout.failed', code: 'customer_declined' };
    assert.deepEqual(await written(mobilePayoutRequest(), FAILED), { ...failed, reference: 'R1' });
    assert.deepEqual(await written(mobilePayoutRequest(), CANCELLED), {
      ...failed,
      status: 'cancelled',
      code: null,
    });
  });

  it('never goes without its money: where that was posted before, nothing ends', async () => {
    const { id, merchant } = await handedOver(test.database, push);
    const money = { value: minor(100), fee: minor(0), receipt: null };
    await inTransaction(test.database, (db) =>
      postCollection(db, {
        transactionId: id,
        accountId: merchant.accountId,
        currency: 'TZS',
        channel: 'm-pesa',
        ...money,
      }),
    );
    await assert.rejects(endIt(id, SUCCEEDED), /posted before/);
    assert.equal((await getTransaction(test.database, id))?.status, 'pending');
  });

  for (const [ending, left] of [
    [SUCCEEDED, ['late_success']],
    [FAILED, ['broken', 'late_success']],
    [CANCELLED, ['broken', 'late_success']],
  ] as const)
    it(`that ${ending.kind} answers what a person was asked about it, and leaves: ${left}`, async () => {
      const { id } = await handedOver(test.database, push);
      for (const reason of ['unknown_outcome', 'broken', 'late_success'] as const)
        await raiseAttention(test.database, { transactionId: id, reason, detail: 'A question.' });
      await endIt(id, ending);
      const open = await attentionOf(test.database, id);
      assert.deepEqual(open.map(({ reason }) => reason).sort(), left);
    });
});
