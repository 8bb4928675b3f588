import assert from 'node:assert/strict';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { type Json, mobilePayoutBody, newKey } from '../support/gateway.ts';
import { movementsOf, openAccount, receivedEvents, sharedGateway } from '../support/shared-gateway.ts';
import { until } from '../support/wait.ts';

type Shop = { accountId: string; apiKey: string };

describe('money', function () {
  this.timeout(180_000);
  let gateway: Awaited<ReturnType<typeof sharedGateway>>;

  before(async () => {
    gateway = await sharedGateway();
  });

  const balanceOf = async ({ apiKey }: Shop) =>
    (await gateway.request('GET', 'balance', { apiKey })).json.balance;

  const post = ({ apiKey }: Shop, path: string, body?: unknown, key = newKey()) =>
    gateway.request('POST', path, { apiKey, key, body });

  const finalOf = ({ apiKey }: Shop, family: string, id: string): Promise<Json> =>
    until(
      async () => {
        const { json } = await gateway.request('GET', `${family}/${id}`, { apiKey });
        return json.status === 'pending' ? null : json;
      },
      { deadlineMs: 60_000, what: `${family}/${id} is final`, everyMs: 50 },
    );

  it('a cancellation is either final at once or refused, and never both cancelled and paid', async () => {
    const shop = await openAccount(gateway, { balance: 1_000_000 });
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const { json } = await post(shop, 'payouts/mobile', mobilePayoutBody('641', 1_000));
        const id = json.transaction_id;
        const cancelled = await gateway.request('POST', `payouts/${id}/cancel`, { apiKey: shop.apiKey });
        const { status, payout } = await finalOf(shop, 'payouts', id);
        if (cancelled.status === 200) {
          assert.equal(cancelled.json.status, 'cancelled');
          assert.equal(status, 'cancelled');
        } else {
          assert.equal(cancelled.status, 409, cancelled.text);
          assert.equal(cancelled.json.code, 'not_cancellable');
          assert.equal(status, 'paid');
        }
        const moved = await movementsOf(gateway, payout.payout_reference);
        assert.equal(moved.length, status === 'paid' ? 1 : 0);
        return { status, id };
      }),
    );
    const paid = outcomes.filter(({ status }) => status === 'paid').length;
    assert.deepEqual(await balanceOf(shop), { current: 1_000_000 - paid * 1_300, reserved: 0 });
    for (const { status, id } of outcomes) {
      const again = await gateway.request('POST', `payouts/${id}/cancel`, { apiKey: shop.apiKey });
      assert.equal(again.status, status === 'cancelled' ? 200 : 409, again.text);
      const [event] = await until(async () => {
        const { rows } = await gateway.database.query(
          'SELECT event, body FROM callback_events WHERE transaction_id = $1',
          [id],
        );
        return rows.length === 1 ? rows : null;
      }, 'its one event');
      assert.equal(event.event, status === 'cancelled' ? 'payout.failed' : 'payout.completed');
      assert.equal(JSON.parse(event.body).failure_code, status === 'cancelled' ? 'cancelled' : undefined);
      assert.deepEqual(await receivedEvents(gateway, id), [], 'this key has no callback address');
    }
  });

  it('the books add up: nothing is out of balance, and all entries sum to zero', async () => {
    assert.deepEqual(await checkInvariants(gateway.database), []);
    const { rows } = await gateway.database.query(
      'SELECT sum(amount)::text AS sum, count(*)::int AS count FROM entries',
    );
    assert.equal(rows[0].sum, '0');
    assert.ok(rows[0].count >= 40);
  });
});
