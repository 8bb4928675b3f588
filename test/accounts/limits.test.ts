import assert from 'node:assert/strict';
import { limitsOf, setLimits } from '../../src/accounts/limits.ts';
import { type Limits, noLimits } from '../../src/domain/limits.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import { useTestDatabase } from '../support/database.ts';
import { createMerchant } from '../support/merchant.ts';

describe('setting limits', () => {
  const test = useTestDatabase();

  it('tightens at once, and says what it would weaken instead of doing it', async () => {
    const merchant = await createMerchant(test.database);
    const change = { accountId: merchant.accountId, apiKeyId: null, actor: 'test' };
    const set = (limits: Partial<Limits>, mayRaise = false) =>
      inTransaction(test.database, (db) => setLimits(db, { ...change, limits }, { mayRaise }));
    await set({ payout_max: 5_000, duplicate_window_s: 60 });
    assert.equal(
      (await set({ payout_max: 4_000, duplicate_window_s: 120, payouts_per_day: 9 })).applied,
      true,
    );
    for (const [limits, raised] of [
      [{ payout_max: 4_001 }, ['payout_max']],
      [{ payout_max: null, payouts_per_day: 8 }, ['payout_max']],
      [{ duplicate_window_s: 119 }, ['duplicate_window_s']],
    ] as const) {
      const refused = await set(limits);
      assert.equal(refused.applied, false);
      assert.deepEqual(refused.raised, raised);
    }
    const stays = { payout_max: 4_000, duplicate_window_s: 120, payouts_per_day: 9 };
    const { payout_max, duplicate_window_s, payouts_per_day } = await limitsOf(test.database, change);
    assert.deepEqual({ payout_max, duplicate_window_s, payouts_per_day }, stays);
    assert.deepEqual((await set({ payout_max: null }, true)).raised, ['payout_max']);
    const rows = await test.sql`SELECT detail FROM audit_log WHERE action = 'limits.set'
      AND subject = ${merchant.accountId} ORDER BY id DESC LIMIT 1`;
    assert.equal(rows[0].detail.before.payout_max, 4_000);
    assert.equal(rows[0].detail.after.payout_max, null);
    await assert.rejects(
      inTransaction(test.database, (db) =>
        setLimits(db, { ...change, apiKeyId: 'not-its', limits: { payout_max: 1 } }, { mayRaise: false }),
      ),
      /has no key not-its/,
    );
    for (const limits of [{ payout_max: 0 }, { payouts_per_day: 1.5 }, { duplicate_window_s: 604_801 }])
      await assert.rejects(set(limits), RangeError);
  });

  it('lets no payout through where no row of an account proves, until two operators set them', async () => {
    const { accountId } = await createMerchant(test.database);
    const subject = { accountId, apiKeyId: null, actor: 'test' };
    await test.sql`INSERT INTO limits (account_id, set_at, mac) VALUES (${accountId}, now(), '')`;
    assert.equal((await limitsOf(test.database, subject)).payout_max, 1);
    const set = { ...subject, limits: noLimits };
    assert.equal((await setLimits(test.database, set, { mayRaise: false })).applied, false);
    assert.equal((await setLimits(test.database, set, { mayRaise: true })).applied, true);
    assert.deepEqual(await limitsOf(test.database, subject), noLimits);
  });
});
