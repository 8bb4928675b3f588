import assert from 'node:assert/strict';
import type { Cause } from '../../src/domain/ending.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { raiseAttention } from '../../src/transactions/care/attention.ts';
import { checkDecidable } from '../../src/transactions/care/decisions.ts';
import { closeFence, liftFence } from '../../src/transactions/care/fence.ts';
import { tryToEnd } from '../../src/transactions/ending/end.ts';
import { takeUnconfirmed, unreadNews } from '../../src/transactions/rescue/orphans.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { useTestDatabase } from '../support/database.ts';
import { getDecision, plantDecision } from '../support/decision.ts';
import { answered, handedOver } from '../support/handed-over.ts';
import { mobilePayoutRequest } from '../support/merchant.ts';
import { succeeded } from '../support/scripted-channel.ts';

const look: Cause = { kind: 'notifications' };

describe('what people decided', () => {
  const test = useTestDatabase({ each: true });

  const payout = () => handedOver(test.database, mobilePayoutRequest(50_000));
  const decided = async (outcome: 'paid' | 'failed') => {
    const one = await payout();
    await plantDecision(test.database, one.id, outcome);
    await tryToEnd(test.database, one.id, look);
    return one;
  };
  it('keeps nothing when the settlement breaks, and takes effect when it runs again', async () => {
    const { id } = await payout();
    await plantDecision(test.database, id, 'paid');
    await test.database.query(
      `CREATE FUNCTION break() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'broken'; END $$;
       CREATE TRIGGER break BEFORE INSERT ON hold_resolutions FOR EACH ROW EXECUTE FUNCTION break()`,
    );
    await assert.rejects(tryToEnd(test.database, id, look), /broken/);
    assert.equal((await getDecision(test.database, id))?.appliedAt, null);
    assert.equal((await getTransaction(test.database, id))?.status, 'pending');
    await test.sql`DROP TRIGGER break ON hold_resolutions`;
    assert.equal((await tryToEnd(test.database, id, look)).status, 'paid');
  });

  it('is the sweep’s: signalled until it is applied, and its transaction resumed until it is answered', async () => {
    const { id } = await payout();
    await plantDecision(test.database, id, 'paid');
    assert.ok((await unreadNews(test.database, 0)).includes(id));
    await tryToEnd(test.database, id, look);
    assert.ok(!(await unreadNews(test.database, 0)).includes(id));
    const unattended = async () => (await takeUnconfirmed(test.database, 0)).some((one) => one.id === id);
    assert.equal(await unattended(), true);
    await test.sql`UPDATE transactions SET due_at = now() WHERE id = ${id}`;
    await answered(test.database, id, succeeded(50_000));
    assert.equal(await unattended(), false);
  });

  it('needs an open question', async () => {
    const { id } = await payout();
    const check = async () => {
      const transaction = await getTransaction(test.database, id);
      assert.ok(transaction);
      await checkDecidable(test.database, transaction);
    };
    await assert.rejects(check(), /not on the attention list as unknown/);
    await raiseAttention(test.database, { transactionId: id, reason: 'wrong_amount', detail: '' });
    await assert.rejects(check(), /not on the attention list as unknown/);
    await raiseAttention(test.database, { transactionId: id, reason: 'unknown_outcome', detail: '' });
    await check();
    await closeFence(test.database, 'a test');
    await assert.rejects(check(), { code: 'conflict', message: /run recover first/ });
    await liftFence(test.database, null);
    await plantDecision(test.database, id, 'paid');
    await assert.rejects(check(), /decided already/);
    await tryToEnd(test.database, id, look);
    await assert.rejects(check(), /It is paid already/);
  });

  it('cannot be changed or removed in the database', async () => {
    const { id } = await decided('paid');
    for (const sql of [
      "UPDATE decisions SET outcome = 'failed' WHERE transaction_id = $1",
      'UPDATE decisions SET applied_at = NULL WHERE transaction_id = $1',
      'DELETE FROM decisions WHERE transaction_id = $1',
    ])
      await assert.rejects(test.database.query(sql, [id]), /cannot be changed|append-only/, sql);
  });

  it('leaves the books right', async () => assert.deepEqual(await checkInvariants(test.database), []));
});
