import assert from 'node:assert/strict';
import { balanceOf } from '../../src/ledger/accounts.ts';
import { fundingActions } from '../../src/operators/actions/funding-actions.ts';
import { recordSend } from '../../src/transactions/channel/sends.ts';
import { receiveBillPayment } from '../../src/transactions/ending/bills.ts';
import { accept } from '../support/accept.ts';
import { beforeCommit } from '../support/before-statements.ts';
import { paymentOf } from '../support/bill-customer.ts';
import { asRole } from '../support/database.ts';
import { answered } from '../support/handed-over.ts';
import { untilLockAwaited } from '../support/lock-wait.ts';
import {
  bankPayoutRequest,
  CONNECTION,
  createMerchant,
  type Merchant,
  submissionFor,
} from '../support/merchant.ts';
import { makeNumber } from '../support/numbers.ts';
import { succeeded } from '../support/scripted-channel.ts';
import { importMoves } from '../support/statements-of-accounts.ts';
import { agree } from '../transactions/agree.ts';
import { useReconciliation } from './desk.ts';

describe('a number of the bank that people type', () => {
  const { test, desk, bank } = useReconciliation();
  const api = () => asRole(test.database, 'api');
  const worker = () => asRole(test.database, 'worker');

  type Kind = 'accounts.top-up' | 'accounts.withdraw';
  /** What is said where it is refused, when it is proposed or when it is approved; null: it was posted. */
  async function typed(action: Kind, { accountId }: Merchant, amount: number, reference: string) {
    const payload = { account_id: accountId, amount: amount * 100, currency: 'TZS', reference };
    const { status, body } = await desk.call('asha', 'POST', 'proposals', { action, payload, reason: 'r' });
    if (status >= 300) return String(body.message);
    const { id, payload_hash } = body.proposal;
    const approved = await desk.call('juma', 'POST', `proposals/${id}/approve`, { payload_hash });
    return approved.status >= 300 || approved.body.proposal.state === 'failed'
      ? String(approved.body.message ?? approved.body.proposal.outcome)
      : null;
  }
  const available = async ({ accountId }: Merchant) =>
    (await balanceOf(test.database, accountId, 'TZS')).current / 100;
  async function paidNumber(merchant: Merchant, receipt: string) {
    const { controlNumber } = await makeNumber(test.database, merchant, { purpose: 'top_up' });
    const over = { channel: 'bank', connection: CONNECTION, receipt, refusalReturnsMoney: false } as const;
    const pay = () => receiveBillPayment(api(), paymentOf(controlNumber, 900, over));
    return { controlNumber, pay };
  }

  for (const [spelled, reference] of [
    ['as it is', 'FT2483'],
    ['otherwise', 'ft 24-83'],
  ] as const)
    it(`is no top-up where a number was paid with it, spelled ${spelled}`, async () => {
      const merchant = await createMerchant(test.database, { balance: 0 });
      const { pay } = await paidNumber(merchant, 'FT2483');
      assert.equal((await pay()).outcome, 'accepted');
      const before = await available(merchant);
      assert.match(
        (await typed('accounts.top-up', merchant, 900, reference)) ?? '',
        /is FT2483 of the transaction/,
      );
      assert.equal(await available(merchant), before);
    });

  it('is no top-up while a line of it waits for its payment', async () => {
    const merchant = await createMerchant(test.database, { balance: 0 });
    const { controlNumber, pay } = await paidNumber(merchant, 'FT2484');
    const line = { receipt: 'FT2484', amount: 900, kind: 'payment', reference: controlNumber } as const;
    assert.deepEqual((await importMoves(api(), bank, [line])).outcome.classes, { waiting: 1 });
    assert.match((await typed('accounts.top-up', merchant, 900, 'FT2484')) ?? '', /is line ln_\d+ of bank/);
    await pay();
    assert.ok((await available(merchant)) <= 900, 'credited once');
  });

  it('is no withdrawal where it is the number of a payout of ours', async () => {
    const merchant = await createMerchant(test.database, { balance: 1_000_000 });
    const payout = submissionFor(merchant, bankPayoutRequest(400_000));
    await accept(worker(), payout);
    await recordSend(worker(), { transactionId: payout.transactionId, number: 1 });
    const result = succeeded(400_000, 'FT2486');
    await answered(worker(), payout.transactionId, result);
    const before = await available(merchant);
    const said = await typed('accounts.withdraw', merchant, 400_000, 'FT 2486');
    assert.match(said ?? '', new RegExp(`is FT2486 of the transaction ${payout.transactionId}`));
    assert.equal(await available(merchant), before);
  });

  it('is no line where a payment at a door has its very receipt: a door is never refused', async () => {
    const merchant = await createMerchant(test.database, { balance: 0 });
    assert.equal(await typed('accounts.top-up', merchant, 900, 'r-1'), null);
    const { pay } = await paidNumber(merchant, 'R1');
    assert.equal((await pay()).outcome, 'accepted');
    const line = { receipt: 'R1', amount: 900, kind: 'payment' } as const;
    const { outcome } = await importMoves(api(), bank, [line]);
    assert.deepEqual([outcome.classes.receipt, outcome.classes.theirs_only], [1, undefined]);
    const rows = await test.sql`SELECT m.told_by
        FROM line_matches x JOIN entries e ON e.id = x.entry_id JOIN movements m ON m.id = e.movement_id`;
    assert.deepEqual(rows, [{ told_by: 'door' }], 'the top-up is what no statement shows');
  });

  it('is told again by a door where a line has shown it', async () => {
    const merchant = await createMerchant(test.database, { balance: 0 });
    const { pay } = await paidNumber(merchant, 'R1');
    assert.equal(await typed('accounts.top-up', merchant, 900, 'r-1'), null);
    await importMoves(api(), bank, [{ receipt: 'R1', amount: 900, kind: 'funding' }]);
    await pay();
    assert.equal(await available(merchant), 900, 'credited once');
  });

  for (const [action, amount] of [
    ['accounts.top-up', 900],
    ['accounts.withdraw', -900],
  ] as const)
    it(`is found by its line however it was typed: ${action}`, async () => {
      const merchant = await createMerchant(test.database, { balance: 5_000 });
      assert.equal(await typed(action, merchant, 900, 'ft 24-81'), null);
      const { outcome } = await importMoves(
        api(),
        bank,
        [{ receipt: 'FT2481', amount, kind: 'funding' }],
        5_000,
      );
      assert.deepEqual([outcome.classes.receipt, outcome.classes.theirs_only], [1, undefined]);
    });

  const known = fundingActions(new Map([[bank.id, bank]]));
  async function asTopUp() {
    const merchant = await createMerchant(test.database, { balance: 0 });
    const { pay } = await paidNumber(merchant, 'FT2490');
    return { merchant, action: 'accounts.top-up', tell: pay, left: 900 };
  }
  async function asWithdrawal() {
    const merchant = await createMerchant(test.database, { balance: 5_000 });
    const payout = submissionFor(merchant, bankPayoutRequest(900));
    await accept(worker(), payout);
    await recordSend(worker(), { transactionId: payout.transactionId, number: 1 });
    const before = await available(merchant);
    const tell = () => answered(worker(), payout.transactionId, succeeded(900, 'FT2490'));
    return { merchant, action: 'accounts.withdraw', tell, left: before };
  }
  for (const make of [asTopUp, asWithdrawal])
    it(`is one movement where the bank tells it while people's ${make === asTopUp ? 'top-up' : 'withdrawal'} is booked`, async () => {
      const { merchant, action, tell, left } = await make();
      const { accountId } = merchant;
      const payload = { account_id: accountId, amount: 90_000, currency: 'TZS', reference: 'FT2490' };
      const paused = beforeCommit(api());
      const typed = agree(paused.database, action, payload, known);
      await paused.reached;
      const told = tell();
      await Promise.race([told, untilLockAwaited(test.database)]);
      paused.goOn();
      await Promise.all([typed, told]);
      const isIn = make === asTopUp;
      const rows =
        await test.sql`SELECT count(*)::int AS movements FROM movements WHERE direction = ${isIn ? 'in' : 'out'}`;
      assert.deepEqual(rows, [{ movements: 1 }]);
      assert.equal(await available(merchant), isIn ? left : left - 900);
    });
});
