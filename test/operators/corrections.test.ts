// tests: slow
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { balanceOf } from '../../src/ledger/accounts.ts';
import { type ServiceBalance, serviceBalances } from '../../src/ledger/balances.ts';
import { readStatement } from '../../src/ledger/statement.ts';
import { createProposals } from '../../src/operators/actions/proposals.ts';
import { unagreedTransfers } from '../../src/reconciliation/agreed-transfers.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { closeFence, liftFence } from '../../src/transactions/care/fence.ts';
import { plantHealthy } from '../ledger/support.ts';
import { actions } from '../support/actions.ts';
import { asRole } from '../support/database.ts';
import { ConnectionLost, failingDatabase } from '../support/failing-database.ts';
import { by } from '../support/finance.ts';
import { createMerchant, type Merchant } from '../support/merchant.ts';
import { useOperatorDesk } from '../support/operator-desk.ts';
import { pick } from '../support/pick.ts';
import type { Database } from '../support/queryable.ts';

describe('a line of a statement that two operators correct', () => {
  const { test, desk } = useOperatorDesk({ poolMax: 10 });
  afterEach(async () => {
    assert.deepEqual(await checkInvariants(test.database), []);
    assert.deepEqual(await unagreedTransfers(test.database, 'all'), []);
  });

  const statementOf = ({ accountId }: Pick<Merchant, 'accountId'>) =>
    readStatement(
      test.database,
      { accountId, currency: 'TZS', from: '2000-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z' },
      { offset: 0, count: 1_000 },
    );
  async function onAccount(kind: ServiceBalance['kind']): Promise<number> {
    const all = await serviceBalances(test.database);
    return all.filter((one) => one.kind === kind).reduce((sum, { amount }) => sum + amount, 0);
  }
  const correct = (
    { accountId }: Merchant,
    line: number,
    way: 'credit' | 'debit',
    amount: string,
    reference: string = randomUUID(),
  ) =>
    desk.agree(
      'accounts',
      'correct',
      accountId,
      String(line),
      '--amount',
      `${way === 'debit' ? '-' : ''}${amount}`,
      '--reference',
      reference,
      '--note',
      'typed wrong',
    );

  it('is made good by an adjustment of today; the line stays', async () => {
    const merchant = await createMerchant(test.database, { balance: 1_000 });
    const before = await onAccount('settlement');
    assert.deepEqual(await correct(merchant, 1, 'debit', '100', 'ticket-7'), [
      'correction of line 1 by -100.00 TZS is posted',
    ]);
    const { lines, closing } = await statementOf(merchant);
    assert.deepEqual(pick(lines, 'type', 'amount', 'description', 'reference'), [
      ['top_up', 1_000_00, 'Top-up', `first ${merchant.accountId}`],
      ['adjustment', -100_00, 'Correction: line 1: typed wrong', 'ticket-7'],
    ]);
    assert.equal(closing, 900_00);
    assert.equal(await onAccount('settlement'), before + 100_00, 'less came to the bank than was thought');
    for (const spelled of ['ticket-7', 'TICKET 7', 'ticket7'])
      await assert.rejects(
        correct(merchant, 1, 'debit', '100', spelled),
        /7 was posted before: nothing moved/,
      );
    assert.equal((await statementOf(merchant)).closing, 900_00);
  });

  it('gives a fee back out of fees, and any other line out of our own money', async () => {
    const { merchant, payment } = await plantHealthy(test.database);
    const { lines } = await statementOf(merchant);
    const lineOf = (type: string) =>
      lines.find((line) => line.type === type && line.transactionId === payment.transactionId)?.line ?? 0;
    const [fees, losses, gains] = await Promise.all([
      onAccount('fees'),
      onAccount('losses'),
      onAccount('gains'),
    ]);
    await correct(merchant, lineOf('fee'), 'credit', '100');
    assert.equal(await onAccount('fees'), fees - 100_00);
    await correct(merchant, lineOf('payment'), 'credit', '30');
    assert.equal(await onAccount('losses'), losses - 30_00);
    await correct(merchant, lineOf('payment'), 'debit', '40');
    assert.equal(await onAccount('gains'), gains + 40_00);
    const last = (await statementOf(merchant)).lines.slice(-3);
    assert.ok(last.every((line) => line.transactionId === payment.transactionId));
  });

  it('is refused where there is no such line, no money, or no amount', async () => {
    const merchant = await createMerchant(test.database, { balance: 10 });
    await assert.rejects(correct(merchant, 2, 'debit', '1'), /has no line 2/);
    await assert.rejects(correct(merchant, 0, 'debit', '1'), /line must be at least 1/);
    await assert.rejects(correct(merchant, 1, 'debit', '11'), /has less than 11\.00 TZS: nothing moved/);
    await assert.rejects(correct(merchant, 1, 'credit', '0'), /must not be zero/);
    assert.equal((await statementOf(merchant)).closing, 10_00);
  });

  it('takes nothing, as a withdrawal does not, while Postgres does not remember what it did', async () => {
    const merchant = await createMerchant(test.database, { balance: 1_000 });
    const withdraw = ['accounts', 'withdraw', merchant.accountId, '100', '--reference'];
    const debit = `accounts correct ${merchant.accountId} 1 --amount -100 --note n --reference`.split(' ');
    const before = [await desk.cli('asha', ...withdraw, 'w1'), await desk.cli('asha', ...debit, 'd1')];
    await closeFence(test.database, 'a test');
    try {
      for (const proposed of before)
        await assert.rejects(desk.approve('juma', proposed), /run recover first/);
      await assert.rejects(desk.cli('asha', ...withdraw, 'w2'), /run recover first/);
      await assert.rejects(desk.cli('asha', ...debit, 'd2'), /run recover first/);
      assert.equal((await statementOf(merchant)).closing, 1_000_00);
      // What brings money back stays open: recover needs it.
      await desk.agree('accounts', 'top-up', merchant.accountId, '500', '--reference', 'bank-9');
      await correct(merchant, 1, 'credit', '1');
      assert.equal((await statementOf(merchant)).closing, 1_501_00);
    } finally {
      await liftFence(test.database, null);
    }
  });

  it('is corrected once when the connection breaks at any statement of the approval', async () => {
    const merchant = await createMerchant(test.database, { balance: 100_000 });
    const proposals = (database: Database) => createProposals({ database, actions, fourEyes: true });
    const api = asRole(test.database, 'api');
    const line = { account_id: merchant.accountId, line: 1, amount: -1_00, currency: 'TZS', note: 'n' };
    const propose = () => {
      const payload = { ...line, reference: randomUUID() };
      return proposals(api).propose({ action: 'statements.correct', reason: 'r', payload }, by('asha'));
    };
    const whole = failingDatabase(api, { at: 0, answerLost: false });
    await proposals(whole.database).approve(await propose(), by('juma'));
    for (let at = 1; at <= whole.statements(); at += 1)
      for (const answerLost of [false, true]) {
        const { current } = await balanceOf(test.database, merchant.accountId, 'TZS');
        const proposal = await propose();
        const failing = failingDatabase(api, { at, answerLost });
        await assert.rejects(proposals(failing.database).approve(proposal, by('juma')), ConnectionLost);
        await proposals(api)
          .approve(proposal, by('juma'))
          .catch((error) => assert.match(error.message, /executed already \(decided by juma\)/));
        assert.equal((await balanceOf(test.database, merchant.accountId, 'TZS')).current, current - 1_00);
      }
  }).timeout(60_000);
});
