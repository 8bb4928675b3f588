import assert from 'node:assert/strict';
import { balanceOf } from '../../src/ledger/accounts.ts';
import { type By, createProposals, type Proposal } from '../../src/operators/proposals.ts';
import { actions } from '../support/actions.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { createMerchant, type Merchant } from '../support/merchant.ts';

describe('four eyes on money', () => {
  let test: TestDatabase;
  let merchant: Merchant;
  let proposals: ReturnType<typeof createProposals>;
  before(async () => {
    test = await createTestDatabase({ poolMax: 10 });
    proposals = createProposals({ database: test.database, actions, fourEyes: true });
    for (const name of ['asha', 'juma'])
      await test.database.query(
        "INSERT INTO operators (name, email, roles) VALUES ($1, $1 || '@example.com', '{finance}')",
        [name],
      );
  });
  after(() => test.drop());
  beforeEach(async () => {
    merchant = await createMerchant(test.database, { balance: 100 });
  });

  const by = (name: string): By => ({
    caller: { name, roles: ['finance'], tokenId: 't' },
    actor: { operator: name, address: '192.0.2.1', requestId: 'req_1' },
  });
  const approve = ({ id, payloadHash }: Proposal) => proposals.approve({ id, payloadHash }, by('juma'));

  it('refuse more money than a balance could hold and still be read', async () => {
    const payload = { account_id: merchant.accountId, currency: 'TZS', reference: 'a slip of the hand' };
    for (const [action, more] of [
      ['accounts.top-up', { amount: Number.MAX_SAFE_INTEGER }],
      ['statements.correct', { amount: Number.MAX_SAFE_INTEGER, line: 1, note: 'n' }],
      ['statements.correct', { amount: Number.MIN_SAFE_INTEGER, line: 1, note: 'n' }],
    ] as const)
      await assert.rejects(
        proposals.propose({ action, payload: { ...payload, ...more }, reason: 'r' }, by('asha')),
        /payload\.amount must be at (most 1|least -1)0{15}$/,
      );
  });

  it('move money once for one reference, proposed twice and approved at the same moment', async () => {
    const payload = { account_id: merchant.accountId, amount: 5_000, currency: 'TZS', reference: 'line 1' };
    const asked = { action: 'accounts.top-up', payload, reason: 'r' };
    const both = await Promise.all([
      proposals.propose(asked, by('asha')),
      proposals.propose(asked, by('asha')),
    ]);
    const done = await Promise.all(both.map((one) => approve(one)));
    assert.deepEqual(done.map(({ proposal }) => proposal.outcome).sort(), [
      'line 1 was posted before: nothing moved',
      'top-up of 50.00 TZS is posted',
    ]);
    assert.equal((await balanceOf(test.database, merchant.accountId, 'TZS')).current, 15_000);
  });

  it('never withdraw more than there is, however many withdrawals are approved at the same moment', async () => {
    const proposed: Proposal[] = [];
    for (let one = 0; one < 6; one += 1) {
      const payload = {
        account_id: merchant.accountId,
        amount: 3_000,
        currency: 'TZS',
        reference: `out ${one}`,
      };
      const asked = { action: 'accounts.withdraw', payload, reason: 'r' };
      proposed.push(await proposals.propose(asked, by('asha')));
    }
    const done = await Promise.all(proposed.map((one) => approve(one)));
    const states = done.map(({ proposal }) => proposal.state).sort();
    assert.deepEqual(states, ['executed', 'executed', 'executed', 'failed', 'failed', 'failed']);
    assert.equal((await balanceOf(test.database, merchant.accountId, 'TZS')).current, 1_000);
  });
});
