import assert from 'node:assert/strict';
import type { Succeeded } from '../../src/domain/channel.ts';
import type { Cause } from '../../src/domain/ending.ts';
import { minor } from '../../src/domain/money.ts';
import { balanceOf } from '../../src/ledger/accounts.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { raiseAttention } from '../../src/transactions/care/attention.ts';
import { checkDecidable } from '../../src/transactions/care/decisions.ts';
import { closeFence, liftFence } from '../../src/transactions/care/fence.ts';
import { recordSendOutcome } from '../../src/transactions/channel/sends.ts';
import { endReported, tryToEnd } from '../../src/transactions/ending/end.ts';
import { takeUnconfirmed, unreadNews } from '../../src/transactions/rescue/orphans.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { useTestDatabase } from '../support/database.ts';
import { getDecision, plantDecision } from '../support/decision.ts';
import { handedOver, notify } from '../support/handed-over.ts';
import { mobilePayoutRequest, pushRequest } from '../support/merchant.ts';
import { succeeded } from '../support/scripted-channel.ts';
import { listAttention } from '../support/unexplained.ts';

const look: Cause = { kind: 'notifications' };
const failed: Cause = {
  kind: 'answer',
  result: { kind: 'failed', code: 'network_error', channelReference: null },
};
const success = (receipt: string | null): Succeeded => succeeded(50_000, receipt);
const answered = (receipt: string | null): Cause => ({ kind: 'answer', result: success(receipt) });

describe('what people decided', () => {
  const test = useTestDatabase({ each: true });

  const payout = async () => {
    const { id, merchant } = await handedOver(test.database, mobilePayoutRequest(50_000), {
      balance: 100_000,
    });
    return { id, balance: () => balanceOf(test.database, merchant.accountId, 'TZS') };
  };
  const decided = async (outcome: 'paid' | 'failed') => {
    const one = await payout();
    await plantDecision(test.database, one.id, outcome);
    await tryToEnd(test.database, one.id, look);
    return one;
  };
  const answerOf = async (id: string) => (await getDecision(test.database, id))?.answer;
  const reasonsOf = async (id: string) =>
    (await listAttention(test.database)).filter(({ subject }) => subject === id).map(({ reason }) => reason);
  /** What the books say about one transaction, summed by account. */
  const bookOf = async (id: string) => {
    const { rows } = await test.database.query(
      `SELECT a.kind, sum(e.amount)::bigint AS sum FROM entries e JOIN transfers t ON t.id = e.transfer_id
       JOIN ledger_accounts a ON a.id = e.ledger_account_id WHERE t.transaction_id = $1 GROUP BY a.kind`,
      [id],
    );
    return Object.fromEntries(rows.map(({ kind, sum }) => [kind, sum]));
  };

  it('ends the transaction when it is looked at, once, however often', async () => {
    const { id, balance } = await payout();
    await plantDecision(test.database, id, 'failed');
    assert.equal((await getTransaction(test.database, id))?.status, 'pending', 'the row alone ends nothing');
    const first = await tryToEnd(test.database, id, look);
    assert.deepEqual([first.status, first.unconfirmed], ['failed', true]);
    assert.deepEqual(await tryToEnd(test.database, id, look), first);
    assert.deepEqual(await balance(), { current: 10_000_000, reserved: 0 });
    assert.equal(await answerOf(id), null);
  });

  it('is read whatever made somebody look, but an explicit answer of the channel wins', async () => {
    for (const cause of [look, { kind: 'cancel' }, { kind: 'unsent' }] as const) {
      const { id } = await payout();
      await plantDecision(test.database, id, 'paid');
      assert.equal((await tryToEnd(test.database, id, cause)).status, 'paid', cause.kind);
    }
    const { id } = await payout();
    await plantDecision(test.database, id, 'paid');
    const { status, unconfirmed } = await tryToEnd(test.database, id, failed);
    assert.deepEqual([status, unconfirmed], ['failed', false]);
    assert.equal((await getDecision(test.database, id))?.appliedAt, null);
  });

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
    await test.database.query('DROP TRIGGER break ON hold_resolutions');
    assert.equal((await tryToEnd(test.database, id, look)).status, 'paid');
  });

  it('is confirmed by the channel, which leaves the books alone; any other receipt is another movement', async () => {
    const { id } = await decided('paid');
    const before = await bookOf(id);
    await endReported(test.database, id, success('R1'));
    await tryToEnd(test.database, id, answered('R1'));
    assert.equal(await answerOf(id), 'confirmed');
    assert.deepEqual(await bookOf(id), before);
    assert.deepEqual(await reasonsOf(id), []);
    await tryToEnd(test.database, id, answered('R2'));
    assert.deepEqual(await reasonsOf(id), ['late_success']);
    assert.equal((await bookOf(id)).suspense, -5_000_000);
  });

  it('is confirmed by a receipt that is not the number of the acceptance, and that one counts from then on', async () => {
    const { id } = await payout();
    await recordSendOutcome(test.database, {
      transactionId: id,
      number: 1,
      outcome: 'accepted',
      channelReference: 'A1',
    });
    await plantDecision(test.database, id, 'paid');
    await tryToEnd(test.database, id, look);
    const before = await bookOf(id);
    for (let time = 0; time < 2; time += 1) await endReported(test.database, id, success('R1'));
    assert.equal(await answerOf(id), 'confirmed');
    assert.deepEqual(await bookOf(id), before, 'it moved once');
    assert.deepEqual(await reasonsOf(id), []);
    await tryToEnd(test.database, id, answered('R2'));
    assert.deepEqual(await reasonsOf(id), ['late_success']);
  });

  it('is contradicted by a success: booked to suspense once, and flagged', async () => {
    const { id, balance } = await decided('failed');
    for (let time = 0; time < 3; time += 1) await tryToEnd(test.database, id, answered('R1'));
    assert.equal(await answerOf(id), 'contradicted');
    assert.deepEqual(await reasonsOf(id), ['late_success']);
    const { clearing, suspense } = await bookOf(id);
    assert.deepEqual([clearing, suspense], [5_000_000, -5_000_000]);
    assert.equal((await balance()).current, 10_000_000, 'the merchant has its money back');
  });

  for (const [name, cause, code] of [
    ['a failure', failed, 'network_error'],
    ['what never arrived', { kind: 'never_arrived' }, 'network_unavailable'],
  ] as const)
    it(`is contradicted by ${name}: clearing says again that nothing moved, suspense has it, once`, async () => {
      const { id } = await payout();
      // Unclear, as it is when people decide: the channel never said that it has it.
      await test.database.query("UPDATE sends SET outcome = 'unknown' WHERE transaction_id = $1", [id]);
      await plantDecision(test.database, id, 'paid');
      await tryToEnd(test.database, id, look);
      for (let time = 0; time < 3; time += 1) await tryToEnd(test.database, id, cause);
      assert.equal(await answerOf(id), 'contradicted');
      assert.deepEqual(await reasonsOf(id), ['conflicting_failure']);
      const [entry] = (await listAttention(test.database)).filter(({ subject }) => subject === id);
      assert.match(entry?.detail ?? '', new RegExp(`reported a failure \\(${code}\\) after .* was paid$`));
      const items = await test.database.query('SELECT detail FROM suspense_items WHERE transaction_id = $1', [
        id,
      ]);
      assert.deepEqual(items.rows, [{ detail: `${entry?.detail} by a decision` }]);
      const { clearing, suspense } = await bookOf(id);
      assert.deepEqual([clearing, suspense], [0, 5_000_000]);
    });

  for (const [known, how] of [
    [null, 'with the first receipt'],
    ['R1', 'with the receipt of its send'],
    ['A1', 'with another receipt than the number of its acceptance'],
  ] as const)
    it(`is paid after all, ${how}: clearing says so again, the item has its opposite, once`, async () => {
      const { id } = await payout();
      await test.database.query('UPDATE transactions SET channel_reference = $2 WHERE id = $1', [id, known]);
      await plantDecision(test.database, id, 'paid');
      await tryToEnd(test.database, id, look);
      await tryToEnd(test.database, id, failed);
      for (const receipt of ['R1', null, 'R1']) await tryToEnd(test.database, id, answered(receipt));
      const { clearing, suspense } = await bookOf(id);
      assert.deepEqual([clearing, suspense], [5_000_000, 0]);
      assert.deepEqual(await reasonsOf(id), ['conflicting_failure', 'late_success']);
      const [, entry] = (await listAttention(test.database)).filter(({ subject }) => subject === id);
      assert.match(
        entry?.detail ?? '',
        /moved 50,000\.00 TZS \(R1\).*failed:PO\w+ and succeeded:PO\w+ .* neither without the other/,
      );
      assert.equal((await getTransaction(test.database, id))?.channelReference, 'R1');
      await tryToEnd(test.database, id, answered(`another, ${known}`));
      assert.equal((await bookOf(id)).suspense, -5_000_000, 'another receipt is another movement');
    });

  it('is paid after all without a receipt, as a notification says: a contradiction, and shown so', async () => {
    const { id } = await decided('paid');
    await tryToEnd(test.database, id, failed);
    await notify(test.database, id, success(null));
    const { rows } = await test.database.query('SELECT state FROM notifications WHERE transaction_id = $1', [
      id,
    ]);
    assert.deepEqual(rows, [{ state: 'contradicting' }]);
    const [, entry] = (await listAttention(test.database)).filter(({ subject }) => subject === id);
    assert.match(entry?.detail ?? '', /moved 50,000\.00 TZS \(no receipt\) after it had reported a failure/);
  });

  it('is neither right nor wrong by a success of another amount: that is another movement', async () => {
    const { id } = await decided('paid');
    const result = { ...success('W1'), amount: minor(4_999_900) };
    await tryToEnd(test.database, id, { kind: 'answer', result });
    assert.equal(await answerOf(id), null);
    assert.deepEqual(await reasonsOf(id), ['wrong_amount']);
  });

  it('books a collection that was decided and failed the other way round', async () => {
    const { id } = await handedOver(test.database, pushRequest(), { balance: 0 });
    await plantDecision(test.database, id, 'paid');
    assert.equal((await tryToEnd(test.database, id, look)).status, 'completed');
    await tryToEnd(test.database, id, failed);
    const { clearing, suspense = 0 } = await bookOf(id);
    assert.equal(clearing, 0);
    assert.ok(suspense < 0);
  });

  it('is confirmed by a failure where it was failed, and may stay without an answer', async () => {
    const { id } = await decided('failed');
    await tryToEnd(test.database, id, failed);
    assert.equal(await answerOf(id), 'confirmed');
    const { id: other } = await decided('failed');
    assert.equal((await tryToEnd(test.database, other, { kind: 'unanswered' })).unconfirmed, false);
    assert.equal(await answerOf(other), 'none');
    assert.deepEqual(await reasonsOf(other), []);
  });

  it('is the sweep’s: signalled until it is applied, and its transaction resumed until it is answered', async () => {
    const { id } = await payout();
    await plantDecision(test.database, id, 'paid');
    assert.ok((await unreadNews(test.database, 0)).includes(id));
    await tryToEnd(test.database, id, look);
    assert.ok(!(await unreadNews(test.database, 0)).includes(id));
    const unattended = async () => (await takeUnconfirmed(test.database, 0)).some((one) => one.id === id);
    assert.equal(await unattended(), true);
    await test.database.query('UPDATE transactions SET due_at = now() WHERE id = $1', [id]);
    await tryToEnd(test.database, id, answered('R1'));
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

  it('leaves the books right', async () => {
    assert.deepEqual(await checkInvariants(test.database), []);
  });
});
