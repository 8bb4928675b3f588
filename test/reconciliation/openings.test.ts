import assert from 'node:assert/strict';
import { minor } from '../../src/domain/money.ts';
import { daysOf } from '../../src/reconciliation/days.ts';
import { tryToEnd } from '../../src/transactions/ending/end.ts';
import { handedOver, notify } from '../support/handed-over.ts';
import { mobilePayoutRequest } from '../support/merchant.ts';
import { succeeded } from '../support/scripted-channel.ts';
import {
  bankAccount,
  driftOf,
  importMoves,
  importOf,
  type Move,
  sinceMidnight,
  statementOf,
} from '../support/statements-of-accounts.ts';
import { textOf, useLines } from './lines.ts';

/** Whole shillings. `opening`: what their first statement begins with; `later`: of the next statement. */
type Shown = { opening?: number; shown: readonly Move[]; later?: readonly Move[] };
/** `came`: what came of the lines of each statement. `left`: each item in suspense. */
type Told = readonly [Shown, came: string, left: string];

const OURS = 'our reference';
const paid = { receipt: 'PO1', amount: -50_000 } as const;
const back = { receipt: 'V1', amount: 50_000, kind: 'return', names: ['PO1'] } as const;
const other = { receipt: 'X', amount: 1 } as const;
const swept = { receipt: 'S1', amount: -5_000, kind: 'sweep', sweepTo: 'bank' } as const;

/**
 * Whatever is counted: our books and the first statement are one in the end. By what is in our books by then: we paid 50,000
 * as PO1; it came back as V1; 5,000 went over to our bank, which has shown it.
 */
const stories: Record<'paid' | 'returned' | 'swept', Record<string, Told>> = {
  paid: {
    'that a line of it shows is counted once': [{ shown: [paid] }, 'opening 1, receipt 1', 'opening 100000'],
    'that a line of it shows, and which begins with nothing, needs no opening': [
      { opening: 0, shown: [paid] },
      'receipt 1',
      '',
    ],
    'that a line of it shows with another amount is counted once, with the difference': [
      { shown: [{ ...paid, amount: -49_000 }] },
      'differs 1, opening 1',
      'line 1000, opening 100000',
    ],
    'that no line of it shows was there before': [
      { shown: [other] },
      'opening 1, theirs_only 1',
      'X 1, opening 150000',
    ],
    'that no line of it shows was there before, also where it begins with nothing': [
      { opening: 0, shown: [other] },
      'opening 1, theirs_only 1',
      'X 1, opening 50000',
    ],
    'and of which it shows only that it came back was there before': [
      { shown: [back] },
      'opening 1, theirs_only 1',
      'V1 50000, opening 150000',
    ],
    'is money of nobody where a second statement alone shows it: the opening counts it': [
      { shown: [], later: [{ ...paid, reference: OURS }] },
      'opening 1 | theirs_only 1',
      'line -50000, opening 150000',
    ],
    'is money of nobody where a second statement alone shows it, and the first began with what we had': [
      { opening: -50_000, shown: [], later: [paid] },
      ' | theirs_only 1',
      'line -50000',
    ],
    'is money of nobody where a second statement alone shows it with another amount': [
      { shown: [], later: [{ ...paid, amount: -49_000, reference: OURS }] },
      'opening 1 | theirs_only 1',
      'line -49000, opening 150000',
    ],
  },
  returned: {
    'and which came back, as lines of it show, is counted once': [
      { shown: [paid, back] },
      'opening 1, receipt 2',
      'opening 100000',
    ],
    'and which came back was there before, both ways, where no line of it shows either': [
      { shown: [other] },
      'opening 1, theirs_only 1',
      'X 1, opening 100000',
    ],
    'was there before, where a line of it shows only what came back': [
      { shown: [back] },
      'opening 1, receipt 1',
      'opening 150000',
    ],
    'and which came back is money of nobody where a second statement alone shows that': [
      { shown: [], later: [back] },
      'opening 1 | theirs_only 1',
      'line 50000, opening 100000',
    ],
  },
  swept: {
    'from it to our bank is that sweep, where a line of it shows it': [
      { shown: [swept] },
      'opening 1, sweep 1',
      'opening 100000',
    ],
    'from it to our bank was there before, where no line of it shows it': [
      { shown: [other] },
      'opening 1, theirs_only 1',
      'X 1, opening 105000',
    ],
    'from it to our bank is money of nobody where a second statement alone shows it, and no second sweep': [
      { shown: [], later: [swept] },
      'opening 1 | theirs_only 1',
      'S1 -5000, opening 105000',
    ],
  },
};

describe('what we moved before the first statement of an account begins', () => {
  const { test, wallet, database, answer, items } = useLines();
  const bank = bankAccount();

  /** Our reference of the payout; null: none. */
  async function begin(before: keyof typeof stories): Promise<string | null> {
    if (before === 'swept') {
      const into = { receipt: 'B1', amount: 5_000, kind: 'sweep', sweepTo: 'm-pesa', minutes: 120 } as const;
      await importMoves(database(), bank, [into]);
      return null;
    }
    const { id, reference } = await handedOver(test.database, mobilePayoutRequest(50_000));
    await answer(id, succeeded(50_000, 'PO1'));
    if (before === 'paid') return reference;
    const returned = { kind: 'returned', amount: minor(50_000_00), currency: 'TZS', reason: 'AC04' } as const;
    await notify(test.database, id, { ...returned, channelReference: 'V1' });
    await tryToEnd(test.database, id, { kind: 'notifications' });
    return reference;
  }

  const all = Object.entries(stories).flatMap(([before, told]) =>
    Object.entries(told).map(([is, one]) => ({ before: before as keyof typeof stories, is, one })),
  );
  for (const { before, is, one } of all)
    it(`(${before}) ${is}`, async () => {
      const [{ opening = 100_000, shown, later }, came, left] = one;
      const reference = await begin(before);
      const counted: string[] = [];
      // A sweep is booked by the bank's line, after the time at which it moved.
      const begins = before === 'swept' ? -Math.min(3_600_000, sinceMidnight()) : 5;
      let [from, balance] = [new Date(Date.now() + begins), opening];
      for (const moves of later ? [shown, later] : [shown]) {
        const at = new Date(from.getTime() + 5);
        const named = moves.map((move) => ({
          at,
          ...move,
          reference: move.reference === OURS ? reference : null,
        }));
        const statement = statementOf(wallet, balance, named);
        const period = { from, to: new Date(at.getTime() + 1) };
        const { outcome } = await importOf(database(), wallet, { ...statement, period }, { now: period.to });
        counted.push(textOf(outcome.classes));
        [from, balance] = [period.to, (statement.closing ?? 0) / 100];
      }
      assert.equal(counted.join(' | '), came);
      const named = (await items()).map(([name, , amount]) => `${String(name).replace(/:.*/, '')} ${amount}`);
      assert.equal(named.join(', '), left);
      assert.equal(await driftOf(test.database, wallet), 0);
      for (const day of await daysOf(test.database, [wallet])) assert.ok(day.holds && day.unseen === 0);
    });
});
