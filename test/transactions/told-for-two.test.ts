import assert from 'node:assert/strict';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { recordSend } from '../../src/transactions/channel/sends.ts';
import { findBillDecision, receiveBillPayment } from '../../src/transactions/ending/bills.ts';
import { accept } from '../support/accept.ts';
import { beforeCommit } from '../support/before-statements.ts';
import { paymentOf } from '../support/bill-customer.ts';
import { asRole, useTestDatabase } from '../support/database.ts';
import { answered } from '../support/handed-over.ts';
import { untilLockAwaited } from '../support/lock-wait.ts';
import { createMerchant, pushRequest, submissionFor } from '../support/merchant.ts';
import { makeNumber } from '../support/numbers.ts';
import { failure, succeeded } from '../support/scripted-channel.ts';
import { importMoves, walletAccount } from '../support/statements-of-accounts.ts';

const SHILLINGS = 50_000;

describe('a receipt that is told for two', () => {
  const test = useTestDatabase({ each: true, poolMax: 8 });
  afterEach(async () => assert.deepEqual(await checkInvariants(test.database), []));
  const [api, worker] = [() => asRole(test.database, 'api'), () => asRole(test.database, 'worker')];
  const wallet = walletAccount({ graceMs: 1 });

  /** Whole shillings: what networks have for us, and what is in suspense by open items. */
  async function books() {
    const rows =
      await test.sql`SELECT coalesce(-sum(e.amount) FILTER (WHERE a.kind = 'clearing'), 0)::bigint AS theirs,
         coalesce(sum(e.amount) FILTER (WHERE a.kind = 'suspense'), 0)::bigint AS suspense
       FROM entries e JOIN ledger_accounts a ON a.id = e.ledger_account_id`;
    return { theirs: rows[0].theirs / 100, suspense: rows[0].suspense / 100 };
  }
  const says = (id: string, receipt: string) => answered(worker(), id, succeeded(SHILLINGS, receipt));

  async function started(phone: string) {
    const merchant = await createMerchant(test.database);
    const submission = submissionFor(merchant, pushRequest(SHILLINGS, phone));
    await accept(worker(), submission);
    await recordSend(worker(), { transactionId: submission.transactionId, number: 1 });
    return { merchant, id: submission.transactionId };
  }
  const mismatches = async () =>
    (
      await test.sql`SELECT transaction_id FROM attention
        WHERE reason = 'receipt_mismatch' AND resolved_at IS NULL`
    ).map(({ transaction_id: id }) => id);

  it('is a repeat at a door where a push has its receipt: never a refusal, which would send it back', async () => {
    const { id, merchant } = await started('255754020004');
    await says(id, 'SAME');
    const { controlNumber } = await makeNumber(test.database, merchant);
    for (const receipt of ['SAME', 'same']) {
      const payment = paymentOf(controlNumber, SHILLINGS, { receipt, refusalReturnsMoney: true });
      assert.equal((await receiveBillPayment(api(), payment)).outcome, 'suspended');
      assert.equal((await books()).theirs, SHILLINGS);
    }
    assert.deepEqual(new Set(await mismatches()), new Set([id]));
  });

  it('is known at a door also where nobody can read its amount, or where its network asks', async () => {
    const { id, merchant } = await started('255754020006');
    await says(id, 'SAME');
    const { controlNumber } = await makeNumber(test.database, merchant);
    const unreadable = { amount: null, amountAsSent: 'many', receipt: 'SAME', refusalReturnsMoney: true };
    const payment = { ...paymentOf(controlNumber, SHILLINGS), ...unreadable };
    assert.equal((await receiveBillPayment(api(), payment)).outcome, 'suspended');
    const { channel, connection } = payment;
    const asked = await findBillDecision(api(), { channel, connection, name: 'same', msisdn: null });
    assert.equal(asked?.outcome, 'suspended');
    assert.equal((await books()).theirs, SHILLINGS);
  });

  it('is one where a late success and a door tell of it at the same moment', async () => {
    const { id, merchant } = await started('255754020005');
    const failed = failure('network_error');
    await answered(worker(), id, failed);
    const { controlNumber } = await makeNumber(test.database, merchant);
    const paused = beforeCommit(worker());
    const first = answered(paused.database, id, succeeded(SHILLINGS, 'SAME'));
    await paused.reached;
    const second = receiveBillPayment(api(), paymentOf(controlNumber, SHILLINGS, { receipt: 'SAME' }));
    await untilLockAwaited(test.database);
    paused.goOn();
    await first;
    assert.equal((await second).outcome, 'suspended');
    assert.equal((await books()).theirs, SHILLINGS);
  });

  it('takes the item of its line at a door', async () => {
    const { controlNumber } = await makeNumber(test.database, await createMerchant(test.database));
    await importMoves(api(), wallet, [{ receipt: 'R1', amount: 5_000 }]);
    assert.deepEqual(await books(), { theirs: 5_000, suspense: 5_000 });
    const pay = () => receiveBillPayment(api(), paymentOf(controlNumber, 5_000, { receipt: 'r1' }));
    assert.deepEqual([(await pay()).outcome, (await pay()).outcome], ['accepted', 'repeated']);
    assert.deepEqual(await books(), { theirs: 5_000, suspense: 0 });
  });
});
