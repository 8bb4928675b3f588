import assert from 'node:assert/strict';
import { untilLockAwaited } from '../../support/lock-wait.ts';
import { useOperatorDesk } from '../../support/operator-desk.ts';

const none = '00000000-0000-4000-8000-000000000000';

describe('limits by the operator API', () => {
  const { test, desk } = useOperatorDesk();

  const openAccount = async () =>
    (await desk.call('asha', 'POST', 'accounts', { name: 'Duka' })).body.account.id as string;
  const keyOf = async (accountId: string) =>
    (await desk.keys.createKey({ accountId, scopes: ['payouts:write'], actor: 'test' })).id;

  it('lets one person tighten limits, and two weaken them', async () => {
    const account = await openAccount();
    const path = `accounts/${account}/limits`;
    const key = await keyOf(account);
    for (const key_id of [undefined, key]) {
      const set = (limits: object, as = 'only-admin') =>
        desk.propose(as, 'limits.set', { account_id: account, key_id, limits });
      const show = async () =>
        (await desk.call('only-support', 'GET', key_id ? `${path}?key_id=${key_id}` : path)).body.limits;
      assert.equal((await show()).payout_max, null);
      const done = (await set({ payout_max: 5_000_00, duplicate_window_s: 60 })).body;
      assert.deepEqual(done, { outcome: 'the limits are set; none is weaker' });
      const limits = await show();
      assert.deepEqual(
        [limits.payout_max, limits.duplicate_window_s, limits.payouts_per_day],
        [500_000, 60, null],
      );
      for (const weaker of [{ payout_max: 500_001 }, { payout_max: null }, { duplicate_window_s: 59 }])
        assert.equal((await set({ payouts_per_day: 3, ...weaker })).body.proposal.state, 'proposed');
      assert.deepEqual(await show(), limits, 'nothing of it is set yet');
      assert.equal((await set({ payout_max: null }, 'only-finance')).status, 403);
      const { proposal } = (await set({ payout_max: null })).body;
      assert.match(proposal.summary, /^Set limits of .*Duka( \(\S+\))?: payout_max none$/);
      const approve = (as: string) => desk.consent(as, proposal);
      assert.equal((await approve('only-admin')).status, 403);
      assert.deepEqual(await show(), limits);
      const { state, outcome } = (await approve('asha')).body.proposal;
      assert.deepEqual([state, outcome], ['executed', 'the limits are set; weaker: payout_max']);
      assert.deepEqual(await show(), { ...limits, payout_max: null });
      const rows = await test.sql`SELECT actor, detail FROM audit_log WHERE action = 'limits.set'
        ORDER BY id DESC LIMIT 1`;
      const [{ actor, detail }] = rows;
      assert.deepEqual(
        [actor, detail.proposal, detail.before.payout_max],
        ['operator:asha', proposal.id, 500_000],
      );
    }
  });

  it('takes no limit that is none, for no account and no key of another one', async () => {
    const account = await openAccount();
    const foreign = await keyOf(await openAccount());
    assert.equal(
      (await desk.call('asha', 'GET', `accounts/${account}/limits?key_id=${foreign}`)).status,
      404,
    );
    const propose = (payload: object) => desk.propose('asha', 'limits.set', payload);
    const limits = { payout_max: 1 };
    assert.equal((await propose({ account_id: none, limits })).status, 404);
    assert.equal((await propose({ account_id: account, key_id: foreign, limits })).status, 404);
    for (const wrong of [
      {},
      { payout_max: 0 },
      { payouts_per_day: 1.5 },
      { duplicate_window_s: 604_801 },
      { payout: 1 },
    ])
      assert.equal(
        (await propose({ account_id: account, limits: wrong })).status,
        422,
        JSON.stringify(wrong),
      );
  });

  it('decides under the lock whether one person is enough: of two tightenings at once, none raises the other', async () => {
    const account = await openAccount();
    const set = (payout_max: number) =>
      desk.propose('asha', 'limits.set', { account_id: account, limits: { payout_max } });
    assert.ok((await set(100_000_00)).body.outcome);
    const holder = await test.database.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT FROM accounts WHERE id = $1 FOR NO KEY UPDATE', [account]);
    const both = [set(50_000_00), set(80_000_00)];
    await untilLockAwaited(test.database, 2);
    await holder.query('COMMIT');
    holder.release();
    const answers = await Promise.all(both);
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 409]);
    const done = answers.findIndex(({ body }) => body.outcome);
    const { limits } = (await desk.call('asha', 'GET', `accounts/${account}/limits`)).body;
    assert.equal(limits.payout_max, [50_000_00, 80_000_00][done]);
    const { payload } = (await set(90_000_00)).body.proposal;
    assert.equal(payload.before.payout_max, limits.payout_max, 'looked at again, it has to be proposed');
  });
});
