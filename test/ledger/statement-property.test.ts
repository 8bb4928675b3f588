// tests: slow, generated
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { InsufficientFunds } from '../../src/domain/errors.ts';
import { balanceOf } from '../../src/ledger/accounts.ts';
import { releaseHold, takeHold } from '../../src/ledger/hold.ts';
import { useTestDatabase } from '../support/database.ts';
import { portion } from '../support/generated.ts';
import { createMerchant, type Merchant } from '../support/merchant.ts';
import { withdraw } from '../support/withdraw.ts';
import { money, movementsOn } from './movements.ts';
import { assertAddsUp, happenedAt, wholeStatement } from './statement-support.ts';
import { type Subject, subjectOf } from './support.ts';

const test = useTestDatabase();
const { fund, hold, collect, end } = movementsOn(() => test.database);

describe('any sequence of movements, cut anywhere', () => {
  type Step = {
    kind: 'topUp' | 'withdraw' | 'collect' | 'hold' | 'take' | 'release';
    amount: number;
    fee: number;
  };
  const anyStep: fc.Arbitrary<Step> = fc.record({
    kind: fc.constantFrom('topUp', 'topUp', 'withdraw', 'collect', 'hold', 'hold', 'take', 'release'),
    amount: fc.integer({ min: 1, max: 90 }),
    fee: fc.integer({ min: 0, max: 4 }),
  });

  /** Does it, and says which lines it must have made. */
  async function perform(merchant: Merchant, open: Subject[], step: Step): Promise<[string, number][]> {
    const { kind, amount } = step;
    const fee = Math.min(step.fee, amount);
    const withFee = (type: string, sign: 1 | -1, feeSign: 1 | -1): [string, number][] => [
      [type, sign * amount],
      ...(fee === 0 ? [] : [['fee', feeSign * fee] as [string, number]]),
    ];
    if (kind === 'topUp') await fund(merchant, amount);
    if (kind === 'topUp') return [['top_up', amount]];
    if (kind === 'withdraw')
      return (await affordable(fund(merchant, amount, withdraw))) ? [['withdrawal', -amount]] : [];
    if (kind === 'collect') {
      await collect(merchant, subjectOf(merchant, 'payment', money(amount, fee)));
      return withFee('payment', 1, -1);
    }
    if (kind === 'hold') {
      const subject = subjectOf(merchant, 'payout', money(amount, fee));
      if (!(await affordable(hold(merchant, subject)))) return [];
      open.push(subject);
      return withFee('payout', -1, -1);
    }
    const subject = open.shift();
    if (!subject) return [];
    await end(subject, kind === 'take' ? takeHold : releaseHold, kind === 'take' ? 'paid' : 'failed');
    if (kind === 'take') return [];
    return [
      ['payout_reversal', subject.value],
      ...(subject.fee === 0 ? [] : [['fee', subject.fee] as [string, number]]),
    ];
  }

  async function affordable(work: Promise<unknown>): Promise<boolean> {
    return work.then(
      () => true,
      (error) => {
        assert.ok(error instanceof InsufficientFunds, String(error));
        return false;
      },
    );
  }

  it('is what a plain list says, and every closing is the next opening', async function () {
    this.timeout(120_000);
    const gaps = fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 60, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 1, maxLength: 25 }), gaps, async (sequence, hours) => {
        const merchant = await createMerchant(test.database);
        const expected: [string, number][] = [];
        const open: Subject[] = [];
        for (const step of sequence) expected.push(...(await perform(merchant, open, step)));

        let at = Date.parse('2026-03-01T00:00:00Z');
        const moments = expected.map((_, index) => {
          at += (hours[index] ?? 0) * 3_600_000;
          return new Date(at).toISOString();
        });
        await happenedAt(test.database, merchant.accountId, moments);

        const seen: [string, number][] = [];
        let opening = 0;
        for (let day = Date.parse('2026-02-28T21:00:00Z'); day <= at; day += 86_400_000) {
          const range = { from: new Date(day).toISOString(), to: new Date(day + 86_400_000).toISOString() };
          const statement = await wholeStatement(test.database, merchant.accountId, range);
          assertAddsUp(statement);
          assert.equal(statement.opening, opening);
          opening = statement.closing;
          seen.push(...statement.lines.map(({ type, amount }) => [type, amount] as [string, number]));
        }
        assert.deepEqual(seen, expected);
        assert.equal(opening, (await balanceOf(test.database, merchant.accountId, 'TZS')).current);
      }),
      { numRuns: portion(25), interruptAfterTimeLimit: 60_000 },
    );
  });
});
