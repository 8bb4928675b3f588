import assert from 'node:assert/strict';
import { limitsOf } from '../../src/accounts/limits.ts';
import type { GatewayError } from '../../src/domain/errors.ts';
import { disableOperator } from '../../src/operators/people/operators.ts';
import type { Role } from '../../src/operators/people/roles.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import { createMerchant } from '../support/merchant.ts';

import { useNotedProposals } from './noted-proposals.ts';

describe('what four eyes look at', () => {
  const { test, desk, by, propose, approve } = useNotedProposals();

  it('say in plain words what a payload lacks, and which of its members, or which action, nobody knows', async () => {
    const asked = { action: 'operators.roles', payload: { colour: 1, size: 2 }, reason: 'r' };
    await assert.rejects(desk().propose(asked, by('asha')), (error: GatewayError) => {
      const told = (error.detail.errors ?? []).map(({ field, message }) => `${field} ${message}`);
      assert.deepEqual(told.sort(), [
        'payload.colour is an unknown field',
        'payload.operator is required',
        'payload.roles is required',
        'payload.size is an unknown field',
      ]);
      assert.match(error.message, /^4 fields need correcting: payload\./);
      return true;
    });
    await assert.rejects(
      desk().propose({ ...asked, payload: { operator: 'neema', roles: 'support' } }, by('asha')),
      { message: 'payload.roles must be of the JSON type array' },
    );
    await assert.rejects(desk().propose({ ...asked, action: 'constructor' }, by('asha')), /must be one of/);
  });

  it('stay open to others when one person has proposed too much, and end with who is disabled', async () => {
    await test.sql`INSERT INTO operators (name, email, roles)
      VALUES ('baraka', 'b@example.com', '{finance}')`;
    await test.sql`INSERT INTO proposals (id, action, payload, payload_hash, reason, proposed_by, expires_at)
      SELECT 'pr_many_' || n, 'test.note', '{}', 'x', 'r', 'baraka', now() + interval '1 day'
      FROM generate_series(1, 1000) n`;
    const asked = { action: 'test.note', payload: { what: 'one more' }, reason: 'r' };
    await assert.rejects(desk().propose(asked, by('baraka')), /You have 200 open proposals/);
    const other = await propose();
    const ended = { name: 'baraka', actor: by('juma').actor, reason: 'left' };
    assert.equal(await inTransaction(test.database, (db) => disableOperator(db, ended)), true);
    const rows = await test.sql`SELECT state, decided_by, outcome, count(*)::int AS n FROM proposals
      WHERE proposed_by = 'baraka' GROUP BY 1, 2, 3`;
    assert.deepEqual(rows, [
      { state: 'rejected', decided_by: 'juma', outcome: 'baraka was disabled', n: 1000 },
    ]);
    assert.equal((await approve(other)).proposal.state, 'executed');
  });

  it('are overtaken where what they change was changed meanwhile', async () => {
    const { accountId } = await createMerchant(test.database, {});
    const ask = (action: string, payload: object) =>
      desk().propose({ action, payload, reason: 'r' }, by('asha'));
    const setMax = (payout_max: number | null) =>
      ask('limits.set', { account_id: accountId, limits: { payout_max } });
    const roles = (its: Role[]) => ask('operators.roles', { operator: 'neema', roles: its });
    const [limit, older, role, olderRole] = [
      await setMax(2_000_00),
      await setMax(9_000_00),
      await roles(['admin']),
      await roles(['admin', 'finance', 'support']),
    ];
    assert.deepEqual(limit.facts, [{ name: 'payout_max', before: 'none', after: '2,000.00 TZS' }]);
    assert.deepEqual(role.facts, [{ name: 'roles', before: 'admin and finance', after: 'admin' }]);
    for (const one of [limit, role]) assert.equal((await approve(one)).proposal.state, 'executed');
    const late = [await approve(older), await approve(olderRole)].map(({ proposal }) => proposal);
    const outcome = 'It has changed since you looked at it (before): look at it again, and propose it again';
    for (const one of late) assert.deepEqual([one.state, one.outcome], ['failed', outcome]);
    const { payout_max } = await limitsOf(test.database, { accountId, apiKeyId: null });
    assert.equal(payout_max, 2_000_00);
    const again = await approve(await roles(['admin', 'finance']));
    assert.equal(again.proposal.state, 'executed', 'what is proposed anew is looked at anew');
  });

  it('end with the role that they need, and do not come back with it', async () => {
    const { accountId } = await createMerchant(test.database, {});
    const ask = (name: string, action: string, payload: object) =>
      desk().propose({ action, payload, reason: 'r' }, by(name));
    const change = async (roles: Role[]) =>
      approve(await ask('asha', 'operators.roles', { operator: 'neema', roles }));
    await change(['admin', 'finance']);
    const call = () => ask('neema', 'accounts.display-name', { account_id: accountId, display_name: 'Duka' });
    const called = await call();
    const money = { account_id: accountId, amount: 1_00, currency: 'TZS', reference: 'crdb 1' };
    const toppedUp = await ask('neema', 'accounts.top-up', money);
    await change(['finance']);
    // A request that was let in with the role ends no later.
    await assert.rejects(call(), /needs the role admin/);
    await change(['admin', 'finance']);
    await assert.rejects(approve(called), /rejected already \(decided by juma\)/);
    const { state, outcome } = await desk().get(called.id, by('asha').caller);
    assert.deepEqual([state, outcome], ['rejected', 'neema is finance']);
    assert.equal((await approve(toppedUp)).proposal.state, 'executed');
  });

  it('change roles', async () => {
    const payload = { operator: 'neema', roles: ['support', 'support'] };
    const asked = { action: 'operators.roles', payload, reason: 'new job' };
    const { proposal } = await approve(await desk().propose(asked, by('asha')));
    assert.equal(proposal.outcome, 'neema is support');
    const { rows } = await test.database.query("SELECT roles FROM operators WHERE name = 'neema'");
    assert.deepEqual(rows[0].roles, ['support']);
    await assert.rejects(
      desk().propose({ ...asked, payload: { operator: 'nobody', roles: [] } }, by('asha')),
      /no operator nobody/,
    );
  });
});
