import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { CancelAnswer } from '../../src/api/kit/flows.ts';
import { closeFence, liftFence } from '../../src/transactions/care/fence.ts';
import { freshKey } from './support/api.ts';
import { mobile } from './support/bodies.ts';
import { completedPush } from './support/completed-push.ts';
import { useTestApi } from './support/use-api.ts';

describe('a merchant whose Postgres was restored and is not recovered', () => {
  const { api, test, restart } = useTestApi({
    each: true,
    flows: () => ({
      cancel: async () => {
        asked += 1;
        return cancel();
      },
    }),
  });
  const payout = async () =>
    (await api.call('POST', 'payouts/mobile', { headers: freshKey(), body: mobile })).body.transaction_id;
  let asked: number;
  let cancel: () => Promise<CancelAnswer>;

  beforeEach(() => {
    asked = 0;
    cancel = async () => ({ kind: 'answered', cancelled: false });
  });

  const isUnavailable = async (method: 'GET' | 'POST', path: string) => {
    const asks = method === 'POST' ? { headers: freshKey(), body: {} } : {};
    const { status, body, text } = await api.call(method, path, asks);
    assert.deepEqual([status, body.code], [503, 'unavailable'], text);
  };

  it('cancels nothing, and is not told that it was handed over', async () => {
    const id = await payout();
    await closeFence(test.database, 'a test');
    await isUnavailable('POST', `payouts/${id}/cancel`);
    assert.equal(asked, 0);
  });

  it('is told the same where the fence closes while the flow is asked', async () => {
    const id = await payout();
    cancel = async () => {
      await closeFence(test.database, 'a test');
      return { kind: 'answered', cancelled: false };
    };
    await isUnavailable('POST', `payouts/${id}/cancel`);
    assert.equal(asked, 1);
  });

  it('refunds nothing, whether the copy knows the payment or not', async () => {
    const id = await completedPush(test.database, api, {});
    await closeFence(test.database, 'a test');
    // An API looks once a second.
    await restart({});
    await test.database.query('UPDATE transactions SET account_id = $1', [api.accountId]);
    await isUnavailable('POST', `payments/${id}/refunds`);
    await isUnavailable('POST', `payments/${randomUUID()}/refunds`);
  });

  it('looks up what is there, and is not told that the rest never was', async () => {
    const id = await payout();
    await closeFence(test.database, 'a test');
    const reason = async () => (await api.call('GET', `payouts/${id}`)).body.payout.status_reason;
    assert.match(await reason(), /Waiting to be handed/);
    await isUnavailable('GET', `payouts/${randomUUID()}`);
    await isUnavailable('GET', `payments/${randomUUID()}`);
    await isUnavailable('GET', `transactions/${randomUUID()}`);
    await isUnavailable('POST', `payouts/${randomUUID()}/cancel`);
    await isUnavailable('GET', `payments/numbers/${randomUUID()}`);
    await isUnavailable('GET', `transactions?idempotency_key=${randomUUID()}`);
    await isUnavailable('POST', `payments/numbers/${randomUUID()}/close`);
    await liftFence(test.database, null);
    assert.match(await reason(), /has not confirmed/, 'its send may be what the copy lost');
    assert.equal((await api.call('GET', `payouts/${randomUUID()}`)).status, 404);
    assert.equal((await api.call('GET', `payments/numbers/${randomUUID()}`)).status, 404);
  });

  it('is not told to leave out a preview that the copy lost: the payout may have been paid', async () => {
    const body = { ...mobile, preview_id: 'prv_0123456789abcdef' };
    const ask = async () => {
      const answer = await api.call('POST', 'payouts/mobile', { headers: freshKey(), body });
      return [answer.status, answer.body.code];
    };
    assert.deepEqual(await ask(), [409, 'preview_mismatch']);
    await closeFence(test.database, 'a test');
    assert.deepEqual(await ask(), [503, 'unavailable']);
  });
});
