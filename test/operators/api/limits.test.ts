import assert from 'node:assert/strict';
import { useOperatorDesk } from '../../support/operator-desk.ts';

const none = '00000000-0000-4000-8000-000000000000';

describe('limits by the operator API', () => {
  const { desk } = useOperatorDesk();

  const openAccount = async () =>
    (await desk.call('asha', 'POST', 'accounts', { name: 'Duka' })).body.account.id as string;
  const keyOf = async (accountId: string) =>
    (await desk.keys.createKey({ accountId, scopes: ['payouts:write'], actor: 'test' })).id;

  it('lets one person tighten limits, and two weaken them', async () => {
    const account = await openAccount();
    const path = `accounts/${account}/limits`;
    const key = await keyOf(account);
    for (const key_id of [undefined, key]) {
      const set = (limits: object) => desk.call('only-admin', 'PUT', path, { key_id, limits });
      const show = async () =>
        (await desk.call('only-support', 'GET', key_id ? `${path}?key_id=${key_id}` : path)).body.limits;
      assert.equal((await show()).payout_max, null);
      const { limits } = (await set({ payout_max: 5_000_00, duplicate_window_s: 60 })).body;
      assert.deepEqual(
        [limits.payout_max, limits.duplicate_window_s, limits.payouts_per_day],
        [500_000, 60, null],
      );
      for (const weaker of [{ payout_max: 500_001 }, { payout_max: null }, { duplicate_window_s: 59 }]) {
        const { status, body } = await set({ payouts_per_day: 3, ...weaker });
        assert.deepEqual([status, body.code], [409, 'conflict']);
        assert.match(body.message, new RegExp(`weakens ${Object.keys(weaker)[0]}, .*proposed`));
      }
      assert.deepEqual(await show(), limits, 'nothing of a refused change is kept');
      const asked = {
        action: 'limits.set',
        payload: { account_id: account, key_id, limits: { payout_max: null } },
        reason: 'r',
      };
      assert.equal((await desk.call('only-finance', 'POST', 'proposals', asked)).status, 403);
      const { proposal } = (await desk.call('only-admin', 'POST', 'proposals', asked)).body;
      const { payload_hash } = proposal;
      const approve = (as: string) =>
        desk.call(as, 'POST', `proposals/${proposal.id}/approve`, { payload_hash });
      assert.equal((await approve('only-admin')).status, 403);
      assert.deepEqual(await show(), limits);
      assert.equal((await approve('asha')).body.proposal.state, 'executed');
      assert.deepEqual(await show(), { ...limits, payout_max: null });
    }
  });

  it('takes no limit that is none, for no account and no key of another one', async () => {
    const account = await openAccount();
    const set = (limits: object, key_id?: string, id = account) =>
      desk.call('asha', 'PUT', `accounts/${id}/limits`, { key_id, limits });
    for (const body of [
      {},
      { payout_max: 0 },
      { payouts_per_day: 1.5 },
      { duplicate_window_s: 604_801 },
      { payout: 1 },
    ])
      assert.equal((await set(body)).status, 422, JSON.stringify(body));
    assert.equal((await set({ payout_max: 1 }, undefined, none)).status, 404);
    const foreign = await keyOf(await openAccount());
    assert.equal((await set({ payout_max: 1 }, foreign)).status, 404);
    assert.equal(
      (await desk.call('asha', 'GET', `accounts/${account}/limits?key_id=${foreign}`)).status,
      404,
    );
    const propose = (payload: object) =>
      desk.call('asha', 'POST', 'proposals', { action: 'limits.set', payload, reason: 'r' });
    const limits = { payout_max: 1 };
    assert.equal((await propose({ account_id: none, limits })).status, 404);
    assert.equal((await propose({ account_id: account, key_id: foreign, limits })).status, 404);
    for (const wrong of [{}, { payout_max: 0 }, { payout: 1 }])
      assert.equal(
        (await propose({ account_id: account, limits: wrong })).status,
        422,
        JSON.stringify(wrong),
      );
  });
});
