import assert from 'node:assert/strict';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import {
  type Answer,
  bankPayoutBody,
  type Json,
  mobilePayoutBody,
  newKey,
  pushBody,
} from '../support/gateway.ts';
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

  /** 503 is repeated with the same key, as its message says. */
  const postUntilAnswered = (shop: Shop, path: string, body: unknown): Promise<Answer> => {
    const key = newKey();
    return until(
      async () => {
        const answer = await post(shop, path, body, key);
        return answer.status === 503 ? null : answer;
      },
      { deadlineMs: 120_000, what: `${path} is answered`, everyMs: 500 },
    );
  };

  const finalOf = ({ apiKey }: Shop, family: string, id: string): Promise<Json> =>
    until(
      async () => {
        const { json } = await gateway.request('GET', `${family}/${id}`, { apiKey });
        return json.status === 'pending' ? null : json;
      },
      { deadlineMs: 60_000, what: `${family}/${id} is final`, everyMs: 50 },
    );

  const entriesOf = async ({ apiKey }: Shop, id: string): Promise<Json> =>
    (await gateway.request('GET', `transactions/${id}/entries`, { apiKey })).json;

  /** kind, account and amount of each entry, in the order they are shown */
  const shown = (entries: Json[]) => entries.map(({ kind, account, amount }) => [kind, account, amount]);

  it('200 payouts at once with money for exactly 100: 100 are accepted, 100 refused, not a shilling is left', async () => {
    const shop = await openAccount(gateway, { balance: 130_000 });
    const answers = await Promise.all(
      Array.from({ length: 200 }, () =>
        postUntilAnswered(shop, 'payouts/mobile', mobilePayoutBody('611', 1_000)),
      ),
    );
    const accepted = answers.filter((answer) => answer.status === 200);
    const refused = answers.filter((answer) => answer.status === 409);
    assert.equal(accepted.length, 100);
    assert.equal(refused.length, 100);
    for (const answer of refused) assert.equal(answer.json.code, 'insufficient_balance');
    for (const { json } of accepted) assert.equal(json.balance.current % 1_300, 0);
    assert.equal((await balanceOf(shop)).current, 0);

    const ids = accepted.map((answer) => answer.json.transaction_id);
    for (const id of ids) assert.equal((await finalOf(shop, 'payouts', id)).status, 'paid');
    assert.deepEqual(await balanceOf(shop), { current: 0, reserved: 0 });

    const { rows } = await gateway.database.query(
      'SELECT id, reference FROM transactions WHERE account_id = $1',
      [shop.accountId],
    );
    assert.deepEqual(rows.map((row) => row.id).sort(), ids.sort());
    const { movements } = await gateway.simulator('truth');
    const references = movements.map((movement: Json) => movement.reference);
    for (const { reference } of rows)
      assert.equal(references.filter((moved: string) => moved === reference).length, 1, reference);
    for (const { json } of refused.slice(0, 5)) assert.equal(json.transaction_id, undefined);
  });

  it('a payment credits exactly what it says it settled', async () => {
    const shop = await openAccount(gateway);
    for (const [amount, settled] of [
      [5_000, '4,900.00'],
      [1_024, '1,004.00'],
      [1_025, '1,004.00'],
      [49_999, '48,999.00'],
    ] as const) {
      const before = await balanceOf(shop);
      const answer = await post(shop, 'payments/ussd', pushBody('621', amount));
      const { payment, status } = await finalOf(shop, 'payments', answer.json.transaction_id);
      assert.equal(status, 'completed');
      assert.equal(payment.settled, settled);
      const [value, fee, credited] = [payment.amount.value, payment.fee, payment.settled].map((text) =>
        Number(text.replaceAll(',', '')),
      );
      assert.equal(value, amount);
      assert.equal(Number(value) - Number(fee), credited);
      const after = await balanceOf(shop);
      assert.equal(after.current - before.current, credited);
      assert.equal(after.reserved, 0);
      const { entries } = await entriesOf(shop, answer.json.transaction_id);
      assert.deepEqual(shown(entries), [
        ['collection', 'clearing', `-${payment.amount.value}`],
        ['collection', 'available', payment.settled],
        ['collection', 'fees', payment.fee],
      ]);
    }
  });

  it('a preview moves nothing; paying with it holds the money, then takes it', async () => {
    const shop = await openAccount(gateway, { balance: 200_000 });
    const body = mobilePayoutBody('631', 50_000);
    const preview = await gateway.request('POST', 'payouts/mobile/preview', { apiKey: shop.apiKey, body });
    assert.equal(preview.status, 200, preview.text);
    assert.equal(preview.json.amount.total, 51_000);
    assert.deepEqual(preview.json.balance, { current: 200_000, reserved: 0, sufficient: true });
    assert.deepEqual(await balanceOf(shop), { current: 200_000, reserved: 0 });

    const { preview_id } = preview.json;
    const paid = await post(shop, 'payouts/mobile', { ...body, preview_id });
    assert.equal(paid.status, 200, paid.text);
    assert.deepEqual(paid.json.balance, { current: 149_000, reserved: 51_000 });
    const { transaction_id: id } = paid.json;
    const { payout } = await finalOf(shop, 'payouts', id);
    assert.equal(payout.beneficiary.full_name, preview.json.beneficiary.full_name);
    assert.deepEqual(await balanceOf(shop), { current: 149_000, reserved: 0 });
    const answer = await entriesOf(shop, id);
    assert.equal(answer.transaction_id, id);
    assert.deepEqual(shown(answer.entries), [
      ['hold', 'available', '-51,000.00'],
      ['hold', 'held', '51,000.00'],
      ['payout', 'held', '-51,000.00'],
      ['payout', 'clearing', '50,000.00'],
      ['payout', 'fees', '1,000.00'],
    ]);
    assert.equal(new Set(answer.entries.map((entry: Json) => entry.transfer_id)).size, 2);

    const again = await post(shop, 'payouts/mobile', { ...body, preview_id });
    assert.equal(again.status, 409, 'a preview is used once');
    assert.equal(again.json.code, 'preview_mismatch');
  });

  it('a preview holds for its recipient and amount, and for its own account only', async () => {
    const [shop, other] = [
      await openAccount(gateway, { balance: 900_000 }),
      await openAccount(gateway, { balance: 900_000 }),
    ];
    const body = bankPayoutBody('632');
    const preview = await gateway.request('POST', 'payouts/bank/preview', { apiKey: shop.apiKey, body });
    const { preview_id } = preview.json;
    assert.equal(preview.json.beneficiary.name_match, true);
    const mismatched: [Shop, string, unknown][] = [
      [shop, 'payouts/bank', { ...body, amount: 400_001, preview_id }],
      [shop, 'payouts/bank', { ...body, account_number: '0150123457632', preview_id }],
      [shop, 'payouts/mobile', { ...mobilePayoutBody('632'), preview_id }],
      [other, 'payouts/bank', { ...body, preview_id }],
    ];
    for (const [who, path, wanted] of mismatched) {
      const refused = await post(who, path, wanted);
      assert.equal(refused.status, 409, refused.text);
      assert.equal(refused.json.code, 'preview_mismatch');
    }
    const otherwise = { beneficiary: { full_name: 'Juma' }, metadata: { order_id: 4002 } };
    const paid = await post(shop, 'payouts/bank', { ...body, ...otherwise, preview_id });
    assert.equal(paid.status, 200, paid.text);
  });

  it('a failed payout gives the whole amount back, its fee included', async () => {
    const shop = await openAccount(gateway, { balance: 51_000 });
    const answer = await post(shop, 'payouts/mobile', mobilePayoutBody('039', 50_000));
    assert.deepEqual(answer.json.balance, { current: 0, reserved: 51_000 });
    const { payout, status } = await finalOf(shop, 'payouts', answer.json.transaction_id);
    assert.equal(status, 'failed');
    assert.equal(payout.amount.fee, undefined);
    assert.deepEqual(await balanceOf(shop), { current: 51_000, reserved: 0 });
    assert.deepEqual(shown((await entriesOf(shop, answer.json.transaction_id)).entries), [
      ['hold', 'available', '-51,000.00'],
      ['hold', 'held', '51,000.00'],
      ['release', 'held', '-51,000.00'],
      ['release', 'available', '51,000.00'],
    ]);
  });

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
    assert.ok(rows[0].count >= 500);
  });
});
