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

  /** The status, its event, why it failed, what its merchant gets, the receipt, the name, and whether it says when it was paid. */
  async function written(request: MoneyRequest, ending: Ending): Promise<string> {
    const { id } = await handedOver(test.database, request);
    await endIt(id, ending);
    const rows =
      await test.sql`SELECT status, failure_code, settled, channel_reference, full_name, paid_at, event, next_enquiry_at,
         status_at = updated_at AS timed, (SELECT array_agg(e.event) FROM callback_events e WHERE e.transaction_id = ${id}) AS callbacks
       FROM transactions WHERE id = ${id}`;
    const [{ status, failure_code, settled, channel_reference, full_name, paid_at, ...of }] = rows;
    assert.deepEqual([of.next_enquiry_at, of.timed, of.callbacks], [null, true, [of.event]]);
    const paid = paid_at && 'paid_at';
    const cells = [status, of.event, failure_code, settled, channel_reference, full_name, paid];
    return cells.map((cell) => cell ?? '-').join(' ');
  }

  // A push of 5,000 costs 100, and the fee is taken from it.
  const push = pushRequest(5_000);
  const [payout, bank] = [mobilePayoutRequest(), bankPayoutRequest()];

  for (const [what, request, ending, expected] of [
    ['push that is paid', push, SUCCEEDED, 'completed payment.received - 490000 R1 ASHA JUMA -'],
    ['push that failed', push, FAILED, 'failed payment.failed customer_declined - R1 - -'],
    ['payout that is paid', payout, SUCCEEDED, 'paid payout.completed - - R1 ASHA JUMA paid_at'],
    ['payout that failed', payout, FAILED, 'failed payout.failed customer_declined - R1 - -'],
    ['payout that was cancelled', payout, CANCELLED, 'cancelled payout.failed - - - - -'],
    // It keeps the name that its merchant gave.
    ['bank payout that is paid', bank, SUCCEEDED, 'paid payout.completed - - R1 Asha Juma paid_at'],
  ] as const)
    it(`of a ${what} writes: ${expected}`, async () =>
      assert.equal(await written(request, ending), expected));

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
