// tests: one connection
import assert from 'node:assert/strict';
import { feesAt } from '../../src/domain/fees.ts';
import { minor } from '../../src/domain/money.ts';
import { feesOfParts, mostWithin, partsOf } from '../../src/domain/settle-parts.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { accept, restoreAccepted } from '../support/accept.ts';
import { openBillDesk } from '../support/bill-desk.ts';
import { asRole, createTestDatabase } from '../support/database.ts';
import { createMerchant } from '../support/merchant.ts';
import { setRule, settlementFor } from '../support/settlement.ts';

const FEE = 2_360_00;

/** A merchant has 500,000. */
describe('the payouts of a settlement', () => {
  const desk = openBillDesk();
  const settled = async (asked: Parameters<typeof settlementFor>[2]) => {
    const submission = await settlementFor(desk.database, desk.merchant, asked);
    const accepted = await accept(asRole(desk.database, 'worker'), submission);
    const { settlement, code, message } = JSON.parse(accepted.answer.body);
    if (!settlement) return { submission, accepted, refusal: `${code}: ${message}`, parts: [] };
    const parts = await Promise.all(
      settlement.payouts.map(
        async (id: string) => ((await getTransaction(desk.database, id))?.amount ?? 0) / 100,
      ),
    );
    return { submission, accepted, refusal: null, parts };
  };

  it('of all leave a last one that its fee eats, or that nothing carries, in the balance', async () => {
    await setRule(desk.database, desk.merchant, { keep: 0 });
    // With their fees, 495,280 are there: one shilling more than one payout carries.
    assert.deepEqual((await settled({ partMax: 495_279 })).parts, [495_279]);
  });

  it('of all leave what is less than the least payout', async () => {
    await setRule(desk.database, desk.merchant, { keep: 0 });
    const left = { partMax: 490_000, partMin: 5_281 };
    assert.deepEqual((await settled(left)).parts, [490_000]);
  });

  it('of an amount that was named take what the last one lacks off the one before it', async () => {
    await setRule(desk.database, desk.merchant, { keep: 0 });
    const named = await settled({ amount: 200_001, partMax: 100_000, partMin: 5_000 });
    assert.deepEqual(named.parts, [100_000, 95_001, 5_000]);
    const tooLittle = await settled({ amount: 2_000, partMax: 100_000, partMin: 5_000 });
    assert.match(tooLittle.refusal ?? '', /^not_settleable: .*5,000.00/);
    // No two payouts from 60,000 to 100,000 make it.
    const odd = await settled({ amount: 110_000, partMax: 100_000, partMin: 60_000 });
    assert.match(odd.refusal ?? '', /^not_settleable/);
  });

  it('are never less than the least, and add up', () => {
    const fees = feesAt('2026-11-27T00:00:00Z', null);
    const limits = { partMin: minor(3_000_00), partMax: minor(10_000_00) };
    for (let spare = 0; spare < 60_000_00; spare += 171_00) {
      const most = mostWithin({ spare, cap: minor(50_000_00), ...limits }, fees);
      const parts = partsOf(most, limits);
      assert.ok(
        parts.every((part) => part >= limits.partMin && part <= limits.partMax),
        `${spare}`,
      );
      assert.ok(most + feesOfParts(parts, fees) <= Math.max(0, spare));
    }
    for (let amount = 6_000_00; amount < 60_000_00; amount += 171_00) {
      const parts = partsOf(minor(amount), limits);
      assert.equal(
        parts.reduce((sum, part) => sum + part, 0),
        amount,
      );
      assert.ok(
        parts.every((part) => part >= limits.partMin && part <= limits.partMax),
        `${amount}`,
      );
    }
  });

  it('come back as their submission says: neither parts nor an amount that nobody signed', async () => {
    await setRule(desk.database, desk.merchant, { keep: 0 });
    const { submission, accepted } = await settled({ partMax: 1_000, partMin: 100 });
    const copy = await createTestDatabase();
    try {
      await createMerchant(copy.database, { balance: 50_000_000, as: desk.merchant });
      const other = await settlementFor(desk.database, desk.merchant, { partMax: 1_000, partMin: 100 });
      const restore = (shillings: number[], of = submission) => {
        const rows = shillings.map((amount) => ({
          amount: minor(amount * 100),
          fee: minor(0),
          reference: '',
        }));
        return restoreAccepted(copy.database, {
          submission: of,
          accepted: { ...accepted, rows },
          isDry: false,
        });
      };
      await assert.rejects(restore([100_001]), /none that was ever accepted/);
      await assert.rejects(restore([-1]), /none that was ever accepted/);
      const named = { ...other, request: { ...other.request, amount: minor(5_000_00) } };
      await assert.rejects(restore([6_000], named), /none that was ever accepted/);
      assert.equal(await restore([2_000, 3_000], named), 'restored');
      // Other parts than its submission makes: the moments of its own payouts are set back all the same.
      const rows = await copy.sql`SELECT count(*)::int AS parts, count(DISTINCT created_at)::int AS moments
          FROM transactions
          WHERE account_id = ${desk.merchant.accountId} AND created_at = ${accepted.at ?? ''}`;
      assert.deepEqual(rows, [{ parts: 5, moments: 1 }]);
    } finally {
      await copy.drop();
    }
  });

  it('never take more than there is, and at most a hundred parts at once, whatever the tariff', () => {
    const fees = feesAt('2026-11-27T00:00:00Z', null);
    const odd = {
      ...fees,
      services: {
        ...fees.services,
        settlement: {
          taken: 'on_top' as const,
          tiers: [
            { from: 0, to: 999, fixed: 900, basis_points: 0, min: 0, max: null },
            { from: 1_000, to: null, fixed: 10, basis_points: 0, min: 0, max: null },
          ],
        },
      },
    };
    for (const schedule of [fees, odd])
      for (let spare = -500_00; spare < 3_000_00; spare += 3_333) {
        const limits = { partMin: minor(100_00), partMax: minor(700_00) };
        const most = mostWithin({ spare, cap: minor(2_000_00), ...limits }, schedule);
        const parts = partsOf(most, limits);
        assert.equal(
          parts.reduce((sum, part) => sum + part, 0),
          most,
        );
        const feeOf = (part: number) =>
          part < 1_000_00 && schedule === odd ? 900_00 : schedule === odd ? 10_00 : FEE;
        assert.ok(
          most === 0 || most + parts.reduce((sum, part) => sum + feeOf(part), 0) <= spare,
          `${spare}: ${most}`,
        );
        assert.equal(most % 100, 0);
      }
    const limits = { partMin: minor(100), partMax: minor(100) };
    const whole = mostWithin({ spare: 10 ** 12, cap: minor(10 ** 12), ...limits }, fees);
    assert.equal(whole, 100_00);
  });
});
