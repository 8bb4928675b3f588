import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { minor } from '../../src/domain/money.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import { raiseAttention } from '../../src/transactions/care/attention.ts';
import { takeLateSuccess } from '../../src/transactions/odd-money/suspense.ts';
import { lockTransaction } from '../../src/transactions/rows/store.ts';
import { untilLockAwaited } from '../support/lock-wait.ts';
import { attentionOf } from '../support/unexplained.ts';
import { openSuspenseDesk } from './suspense-desk.ts';

describe('a release of money in suspense, and what else happens at that moment', () => {
  const desk = openSuspenseDesk();
  const { suspended, writeOff, toPayer, approve } = desk;

  it('keeps the alarm for what comes in for the same transaction at the moment of its release', async () => {
    const { item } = await suspended();
    const id = item.transactionId ?? '';
    const about = { transactionId: id, thing: item.id };
    await raiseAttention(desk.database, { ...about, reason: 'late_success', detail: 'a test' });
    const proposal = await writeOff(item);
    let approved: ReturnType<typeof approve> | undefined;
    await inTransaction(desk.database, async (db) => {
      const transaction = await lockTransaction(db, id);
      assert.ok(transaction);
      approved = approve(proposal);
      await untilLockAwaited(desk.database);
      const { amount, currency } = transaction;
      const report = { kind: 'succeeded', amount: minor(amount - 1), currency } as const;
      await takeLateSuccess(db, transaction, { ...report, channelReference: randomUUID(), fullName: null });
    });
    assert.equal((await approved)?.proposal.state, 'executed');
    assert.notEqual((await attentionOf(desk.database, id)).length, 0, 'the second movement is shown');
  });

  it('leaves a question about its receipt open: its money is no answer to it', async () => {
    const { item } = await suspended({ transactionId: null });
    const subject = `${item.space}:${item.receipt}`;
    for (const [reason, thing] of [
      ['unexpected_payment', item.id],
      ['receipt_mismatch', subject],
    ] as const)
      await raiseAttention(desk.database, { subject, reason, thing, detail: 'a test' });
    await approve(await writeOff(item));
    const open = await attentionOf(desk.database, subject);
    assert.deepEqual(
      open.map(({ reason }) => reason),
      ['receipt_mismatch'],
    );
  });

  it('goes one way, whoever approves which at once: to the payer, or written off', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { item } = await suspended();
      const before = await desk.onAccount('suspense');
      const [pay, write] = [await toPayer(item), await writeOff(item)];
      const all = await Promise.allSettled([approve(pay), approve(write), approve(pay), approve(write)]);
      const executed = all.filter(
        (one) => one.status === 'fulfilled' && one.value.proposal.state === 'executed',
      );
      assert.equal(executed.length, 1);
      const { release, paybacks } = await desk.itemOf(item);
      assert.equal(paybacks.length, release?.kind === 'payback' ? 1 : 0);
      assert.equal(await desk.onAccount('suspense'), before - 500_00);
    }
  });
});
