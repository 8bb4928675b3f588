// tests: slow
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { minor } from '../../src/domain/money.ts';
import { balanceOf } from '../../src/ledger/accounts.ts';
import { readStatement } from '../../src/ledger/statement.ts';
import type { SuspenseItem } from '../../src/ledger/suspense.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import { unagreedTransfers } from '../../src/reconciliation/agreed-transfers.ts';
import { raiseAttention } from '../../src/transactions/care/attention.ts';
import { closeFence, liftFence } from '../../src/transactions/care/fence.ts';
import { takeLateSuccess } from '../../src/transactions/odd-money/suspense.ts';
import { lockTransaction } from '../../src/transactions/rows/store.ts';
import { atOnce } from '../support/at-once.ts';
import { asRole } from '../support/database.ts';
import { ConnectionLost, failingDatabase } from '../support/failing-database.ts';
import { untilLockAwaited } from '../support/lock-wait.ts';
import { createMerchant, type Merchant } from '../support/merchant.ts';
import { pick } from '../support/pick.ts';
import { attentionOf } from '../support/unexplained.ts';
import { openSuspenseDesk } from './suspense-desk.ts';

const BALANCE = 1_000_000_00;

describe('money that leaves suspense', () => {
  const desk = openSuspenseDesk();
  const { suspended, propose, toMerchant, toPayer, writeOff, approve, onAccount } = desk;
  const available = async ({ accountId }: Merchant) =>
    (await balanceOf(desk.database, accountId, 'TZS')).current;
  const release = async (item: SuspenseItem) => (await desk.itemOf(item)).release;

  for (const [what, direction, change] of [
    ['came in is credited to the merchant', 'collection', 500_00],
    ['went out is borne by the merchant', 'payout', -500_00],
  ] as const)
    it(`that ${what}, once, by the word of two`, async () => {
      const { item, merchant } = await suspended({ direction });
      const before = await onAccount('suspense');
      const { proposal } = await approve(await toMerchant(item));
      assert.equal(proposal.state, 'executed', proposal.outcome ?? '');
      assert.equal(await available(merchant), BALANCE + change);
      assert.equal(await onAccount('suspense'), before - change);
      const left = await release(item);
      assert.deepEqual(
        [left?.kind, left?.proposedBy, left?.approvedBy],
        ['suspense_release', 'asha', 'juma'],
      );
      await assert.rejects(toMerchant(item), /has left suspense already/);
      await assert.rejects(writeOff(item), /has left suspense already/);
    });

  for (const [what, direction, account, change] of [
    ['in our favour', 'collection', 'gains', 500_00],
    ['at our cost', 'payout', 'losses', -500_00],
  ] as const)
    it(`is written off ${what}, and no merchant’s balance moves`, async () => {
      const { item, merchant } = await suspended({ direction });
      const before = await onAccount(account);
      assert.equal((await approve(await writeOff(item))).proposal.state, 'executed');
      assert.equal(await onAccount(account), before + change);
      assert.equal(await available(merchant), BALANCE);
      assert.equal((await release(item))?.kind, 'write_off');
    });

  it('is given back by its channel, and the books no longer say that the channel has it', async () => {
    const { item, merchant } = await suspended();
    const before = await onAccount('clearing');
    const proposal = await propose('suspense.given-back', item, { return_receipt: 'QK7' });
    assert.match(proposal.summary, /^M-PESA gave 500\.00 TZS back to the payer by QK7/);
    assert.equal((await approve(proposal)).proposal.state, 'executed');
    assert.equal(await onAccount('clearing'), before + 500_00);
    assert.equal(await available(merchant), BALANCE);
    assert.equal((await release(item))?.kind, 'suspense_return');
  });

  it('is not given back by the return of another item, however that is spelled', async () => {
    const [{ item: first }, { item: second }] = [await suspended(), await suspended()];
    const givenBack = (item: SuspenseItem, return_receipt: string) =>
      propose('suspense.given-back', item, { return_receipt });
    const crossed = await givenBack(second, 'R.T.N/88');
    await approve(await givenBack(first, 'RTN-88'));
    for (const spelled of ['rtn-88', 'rtn88', 'RTN 88'])
      await assert.rejects(givenBack(second, spelled), {
        code: 'conflict',
        message: /RTN-88|the receipt of/,
      });
    const { state, outcome } = (await approve(crossed)).proposal;
    assert.deepEqual(
      [state, outcome],
      ['failed', 'R.T.N/88 is known as RTN-88: type it as the network writes it'],
    );
    assert.equal((await approve(await givenBack(second, 'RTN-89'))).proposal.state, 'executed');
  });

  it('is not given back twice by one return, however it is spelled, where two are approved at once', async () => {
    for (let n = 100; n < 103; n += 1) {
      const asked = [];
      for (const return_receipt of [`A-${n}`, `A${n}`])
        asked.push(await propose('suspense.given-back', (await suspended()).item, { return_receipt }));
      const works = asked.map((one) => async () => (await approve(one)).proposal.state);
      assert.deepEqual((await atOnce(2, desk.database, works)).sort(), ['executed', 'failed']);
    }
  });

  it('of another currency is written off in that currency, and is no merchant’s', async () => {
    const { item } = await suspended({ currency: 'USD' });
    await assert.rejects(toMerchant(item), /accounts in TZS only/);
    assert.equal((await approve(await writeOff(item))).proposal.state, 'executed');
    assert.equal(await onAccount('suspense', 'USD'), 0);
    assert.equal(await onAccount('gains', 'USD'), 500_00);
  });

  it('without a transaction becomes the merchant’s who is named', async () => {
    const { item } = await suspended({ transactionId: null });
    const other = await createMerchant(desk.database);
    assert.equal(item.accountId, null);
    await approve(await toMerchant(item, other.accountId));
    assert.deepEqual(await unagreedTransfers(desk.database, 'all'), [], 'ledger check finds who agreed');
    assert.equal(await available(other), 500_00);
  });

  it('names its transaction on the statement of its own merchant only', async () => {
    for (const isForeign of [false, true]) {
      const { item, merchant } = await suspended();
      const { accountId } = isForeign ? await createMerchant(desk.database) : merchant;
      await approve(await toMerchant(item, accountId));
      const { lines } = await readStatement(
        desk.database,
        { accountId, currency: 'TZS', from: '2000-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z' },
        { offset: 0, count: 100 },
      );
      const line = lines.at(-1);
      assert.deepEqual(
        [line?.amount, line?.reference, line?.transactionId],
        [500_00, item.receipt, isForeign ? null : item.transactionId],
      );
      assert.equal((await release(item))?.kind, 'suspense_release');
    }
  });

  it('is refused where item and proposal differ, or the merchant has less', async () => {
    const { item } = await suspended({ direction: 'payout', amount: minor(5_000_000_00) });
    await assert.rejects(toMerchant(item), /has less than 5,000,000\.00 TZS: nothing moved/);
    await assert.rejects(toMerchant(item, randomUUID()), /There is no account/);
    const misread = { ...item, amount: minor(-1) };
    await assert.rejects(writeOff(misread), /changed since you looked at it \(amount\)/);
    await assert.rejects(writeOff({ ...item, id: 'si_none' }), /There is no item si_none/);
    await approve(await writeOff(item));
  });

  it('fails, and stays where it is, when the balance is gone at the moment of the approval', async () => {
    const { item, merchant } = await suspended({ direction: 'payout', amount: minor(BALANCE) });
    const { item: first } = await suspended({ direction: 'payout', amount: minor(1_00) });
    const [proposal, before] = [await toMerchant(item), await toMerchant(first, merchant.accountId)];
    await approve(before);
    const { state, outcome } = (await approve(proposal)).proposal;
    assert.deepEqual(
      [state, outcome],
      ['failed', 'The account has less than 1,000,000.00 TZS: nothing moved'],
    );
    assert.equal(await release(item), null);
    await approve(await writeOff(item));
  });

  it('stays while Postgres does not remember what it did', async () => {
    const { item } = await suspended();
    const proposal = await writeOff(item);
    await closeFence(desk.database, 'a test');
    try {
      assert.match((await approve(proposal)).proposal.outcome ?? '', /run recover first/);
      assert.equal(await release(item), null);
    } finally {
      await inTransaction(desk.database, (db) => liftFence(db, null));
    }
  });

  it('leaves once, however many approve it and whichever way, at the same moment', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { item, merchant } = await suspended();
      const before = await onAccount('suspense');
      const [credit, write, pay] = [await toMerchant(item), await writeOff(item), await toPayer(item)];
      const all = await Promise.allSettled(
        [credit, pay, write, credit, write, pay].map((one) => approve(one)),
      );
      const executed = all.filter(
        (one) => one.status === 'fulfilled' && one.value.proposal.state === 'executed',
      );
      assert.equal(executed.length, 1);
      assert.equal(await onAccount('suspense'), before - 500_00);
      const { release: left, paybacks } = await desk.itemOf(item);
      assert.equal(paybacks.length, left?.kind === 'payback' ? 1 : 0);
      const isCredited = left?.kind === 'suspense_release';
      assert.equal(await available(merchant), BALANCE + (isCredited ? 500_00 : 0));
    }
  });

  for (const [what, proposeOf, change] of [
    ['to the merchant', toMerchant, 500_00],
    ['by being written off', writeOff, 0],
  ] as const)
    it(`${what}, once, when the connection breaks at any statement of the approval`, async () => {
      const NOTHING_BREAKS = { at: 0, answerLost: false };
      const whole = failingDatabase(asRole(desk.database, 'api'), NOTHING_BREAKS);
      await approve(await proposeOf((await suspended()).item), whole.database);
      assert.ok(whole.statements() > 10, `${whole.statements()}`);
      for (let at = 1; at <= whole.statements(); at += 1)
        for (const answerLost of [false, true]) {
          const { item, merchant } = await suspended();
          const before = await onAccount('suspense');
          const proposal = await proposeOf(item);
          const failing = failingDatabase(asRole(desk.database, 'api'), { at, answerLost });
          await assert.rejects(approve(proposal, failing.database), ConnectionLost);
          // The answer of the commit may be lost: then it is done, and a second approval says so.
          await approve(proposal).catch((error) =>
            assert.match(error.message, /executed already \(decided by juma\)/),
          );
          assert.notEqual(await release(item), null, `at ${at}`);
          assert.equal(await onAccount('suspense'), before - 500_00, `at ${at}`);
          assert.equal(await available(merchant), BALANCE + change, `at ${at}`);
        }
    }).timeout(60_000);

  it('keeps the alarm for what comes in for the same transaction at that moment', async () => {
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
    assert.deepEqual(pick(open, 'reason'), ['receipt_mismatch']);
  });

  it('moves by nobody’s word but that of two, says the database itself', async () => {
    const { item } = await suspended();
    await assert.rejects(
      desk.database.query("INSERT INTO transfers (kind, dedupe_key) VALUES ('write_off', $1)", [
        `release:${item.id}`,
      ]),
      /two_operators_agreed/,
    );
    await assert.rejects(desk.database.query('UPDATE suspense_items SET amount = 1'), /append-only/);
    await assert.rejects(desk.database.query('DELETE FROM suspense_items'), /append-only/);
    await approve(await writeOff(item));
    for (const change of ['left_by = NULL', 'is_void = true', 'detail = NULL', "receipt = 'R1'"])
      await assert.rejects(
        desk.database.query(`UPDATE suspense_items SET ${change} WHERE id = $1`, [item.id]),
        /append-only/,
        change,
      );
  });
});
