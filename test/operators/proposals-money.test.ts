import assert from 'node:assert/strict';
import { balanceOf } from '../../src/ledger/accounts.ts';
import { createProposals, type Proposal } from '../../src/operators/actions/proposals.ts';
import { actions } from '../support/actions.ts';
import { useTestDatabase } from '../support/database.ts';
import { by, hire } from '../support/finance.ts';
import { createMerchant, type Merchant } from '../support/merchant.ts';
import { macOfProposal } from '../support/signed-rows.ts';

describe('four eyes on money', () => {
  const test = useTestDatabase({ poolMax: 10 });
  let merchant: Merchant;
  let proposals: ReturnType<typeof createProposals>;
  before(async () => {
    proposals = createProposals({ database: test.database, actions, fourEyes: true });
    await hire(test.database);
  });
  beforeEach(async () => {
    merchant = await createMerchant(test.database, { balance: 100 });
  });

  const propose = (action: string, payload: object) =>
    proposals.propose({ action, payload, reason: 'r' }, by('asha'));
  const approve = ({ id, payloadHash }: Proposal) => proposals.approve({ id, payloadHash }, by('juma'));

  it('refuse more money than a balance could hold and still be read', async () => {
    const payload = { account_id: merchant.accountId, currency: 'TZS', reference: 'a slip of the hand' };
    for (const [action, more] of [
      ['accounts.top-up', { amount: Number.MAX_SAFE_INTEGER }],
      ['statements.correct', { amount: Number.MAX_SAFE_INTEGER, line: 1, note: 'n' }],
      ['statements.correct', { amount: Number.MIN_SAFE_INTEGER, line: 1, note: 'n' }],
    ] as const)
      await assert.rejects(
        propose(action, { ...payload, ...more }),
        /payload\.amount must be at (most 1|least -1)0{15}$/,
      );
  });

  it('move money once for one reference, proposed twice and approved at the same moment', async () => {
    const payload = { account_id: merchant.accountId, amount: 5_000, currency: 'TZS', reference: 'line 1' };
    const first = await propose('accounts.top-up', payload);
    await assert.rejects(propose('accounts.top-up', payload), /line 1 is proposed already by asha/);
    // As when two were proposed at the same moment.
    const second = { ...first, id: `${first.id}-2` };
    const { rows } = await test.database.query('SELECT * FROM proposals WHERE id = $1', [first.id]);
    await test.sql`INSERT INTO proposals (id, action, payload, payload_hash, reason, proposed_by, expires_at, mac)
      SELECT ${second.id}, action, payload, payload_hash, reason, proposed_by, expires_at, ${macOfProposal({ ...rows[0], id: second.id })} FROM proposals WHERE id = ${first.id}`;
    const done = await Promise.all([first, second].map((one) => approve(one)));
    assert.deepEqual(done.map(({ proposal }) => `${proposal.state}: ${proposal.outcome}`).sort(), [
      'executed: top-up of 50.00 TZS is posted',
      'failed: The bank reference line 1 was posted before: nothing moved',
    ]);
    assert.equal((await balanceOf(test.database, merchant.accountId, 'TZS')).current, 15_000);
  });

  it('take a reference of the bank once over all merchants, for money that comes or goes', async () => {
    const other = await createMerchant(test.database, { balance: 100 });
    const payload = { account_id: merchant.accountId, amount: 5_000, currency: 'TZS', reference: 'line 9' };
    const { proposal } = await approve(await propose('accounts.top-up', payload));
    assert.equal(proposal.state, 'executed');
    for (const [action, account_id] of [
      ['accounts.top-up', other.accountId],
      ['accounts.withdraw', merchant.accountId],
    ] as const)
      await assert.rejects(propose(action, { ...payload, account_id }), {
        code: 'conflict',
        message: 'The bank reference line 9 was posted before: nothing moved',
      });
  });

  it('never withdraw more than there is, however many withdrawals are approved at the same moment', async () => {
    const proposed: Proposal[] = [];
    for (let one = 0; one < 6; one += 1) {
      const money = { account_id: merchant.accountId, amount: 3_000, currency: 'TZS' };
      proposed.push(await propose('accounts.withdraw', { ...money, reference: `out ${one}` }));
    }
    const done = await Promise.all(proposed.map((one) => approve(one)));
    const states = done.map(({ proposal }) => proposal.state).sort();
    assert.deepEqual(states, ['executed', 'executed', 'executed', 'failed', 'failed', 'failed']);
    assert.equal((await balanceOf(test.database, merchant.accountId, 'TZS')).current, 1_000);
  });
});
