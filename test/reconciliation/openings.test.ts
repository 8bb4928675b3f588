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
  statementOf,
} from '../support/statements-of-accounts.ts';
import { useLines } from './lines.ts';

type Story = {
  /** what is in our books by then: we paid 50,000 as PO1; it came back as V1; 5,000 went over to our bank, which has shown it */
  before: 'paid' | 'returned' | 'swept';
  is: string;
  /** whole shillings that their first statement begins with; 100,000 */
  opening?: number;
  shown: readonly Move[];
  /** of the next statement */
  later?: readonly Move[];
  /** what came of the lines of each statement */
  classes: readonly Record<string, number>[];
  /** receipt and whole shillings of each item in suspense */
  items: readonly unknown[];
};

const OURS = 'our reference';
const paid = { receipt: 'PO1', amount: -50_000 } as const;
const back = { receipt: 'V1', amount: 50_000, kind: 'return', names: ['PO1'] } as const;
const other = { receipt: 'X', amount: 1 } as const;
const swept = { receipt: 'S1', amount: -5_000, kind: 'sweep', sweepTo: 'bank' } as const;
const OPENING = 'opening:m-pesa';

/** Whatever is counted: our books and the first statement are one in the end. */
const stories: readonly Story[] = [
  {
    before: 'paid',
    is: 'that a line of it shows is counted once',
    shown: [paid],
    classes: [{ opening: 1, receipt: 1 }],
    items: [[OPENING, 100_000]],
  },
  {
    before: 'paid',
    is: 'that a line of it shows, and which begins with nothing, needs no opening',
    opening: 0,
    shown: [paid],
    classes: [{ receipt: 1 }],
    items: [],
  },
  {
    before: 'paid',
    is: 'that a line of it shows with another amount is counted once, with the difference',
    shown: [{ ...paid, amount: -49_000 }],
    classes: [{ differs: 1, opening: 1 }],
    items: [
      ['line:', 1_000],
      [OPENING, 100_000],
    ],
  },
  {
    before: 'paid',
    is: 'that no line of it shows was there before',
    shown: [other],
    classes: [{ opening: 1, theirs_only: 1 }],
    items: [
      ['X', 1],
      [OPENING, 150_000],
    ],
  },
  {
    before: 'paid',
    is: 'that no line of it shows was there before, also where it begins with nothing',
    opening: 0,
    shown: [other],
    classes: [{ opening: 1, theirs_only: 1 }],
    items: [
      ['X', 1],
      [OPENING, 50_000],
    ],
  },
  {
    before: 'paid',
    is: 'and of which it shows only that it came back was there before',
    shown: [back],
    classes: [{ opening: 1, theirs_only: 1 }],
    items: [
      ['V1', 50_000],
      [OPENING, 150_000],
    ],
  },
  {
    before: 'paid',
    is: 'is money of nobody where a second statement alone shows it: the opening counts it',
    shown: [],
    later: [{ ...paid, reference: OURS }],
    classes: [{ opening: 1 }, { theirs_only: 1 }],
    items: [
      ['line:', -50_000],
      [OPENING, 150_000],
    ],
  },
  {
    before: 'paid',
    is: 'is money of nobody where a second statement alone shows it, and the first began with what we had',
    opening: -50_000,
    shown: [],
    later: [paid],
    classes: [{}, { theirs_only: 1 }],
    items: [['line:', -50_000]],
  },
  {
    before: 'paid',
    is: 'is money of nobody where a second statement alone shows it with another amount',
    shown: [],
    later: [{ ...paid, amount: -49_000, reference: OURS }],
    classes: [{ opening: 1 }, { theirs_only: 1 }],
    items: [
      ['line:', -49_000],
      [OPENING, 150_000],
    ],
  },
  {
    before: 'returned',
    is: 'and which came back, as lines of it show, is counted once',
    shown: [paid, back],
    classes: [{ opening: 1, receipt: 2 }],
    items: [[OPENING, 100_000]],
  },
  {
    before: 'returned',
    is: 'and which came back was there before, both ways, where no line of it shows either',
    shown: [other],
    classes: [{ opening: 1, theirs_only: 1 }],
    items: [
      ['X', 1],
      [OPENING, 100_000],
    ],
  },
  {
    before: 'returned',
    is: 'was there before, where a line of it shows only what came back',
    shown: [back],
    classes: [{ opening: 1, receipt: 1 }],
    items: [[OPENING, 150_000]],
  },
  {
    before: 'returned',
    is: 'and which came back is money of nobody where a second statement alone shows that',
    shown: [],
    later: [back],
    classes: [{ opening: 1 }, { theirs_only: 1 }],
    items: [
      ['line:', 50_000],
      [OPENING, 100_000],
    ],
  },
  {
    before: 'swept',
    is: 'from it to our bank is that sweep, where a line of it shows it',
    shown: [swept],
    classes: [{ opening: 1, sweep: 1 }],
    items: [[OPENING, 100_000]],
  },
  {
    before: 'swept',
    is: 'from it to our bank was there before, where no line of it shows it',
    shown: [other],
    classes: [{ opening: 1, theirs_only: 1 }],
    items: [
      ['X', 1],
      [OPENING, 105_000],
    ],
  },
  {
    before: 'swept',
    is: 'from it to our bank is money of nobody where a second statement alone shows it, and no second sweep',
    shown: [],
    later: [swept],
    classes: [{ opening: 1 }, { theirs_only: 1 }],
    items: [
      ['S1', -5_000],
      [OPENING, 105_000],
    ],
  },
];

describe('what we moved before the first statement of an account begins', () => {
  const { test, wallet, database, answer, items } = useLines();
  const bank = bankAccount();

  /** Our reference of the payout; null: none. */
  async function begin(before: Story['before']): Promise<string | null> {
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

  for (const { before, is, opening = 100_000, shown, later, classes, items: left } of stories)
    it(`(${before}) ${is}`, async () => {
      const reference = await begin(before);
      const came = [];
      // A sweep is booked by the bank's line, after the time at which it moved.
      const begins = before === 'swept' ? -3_600_000 : 5;
      let [from, balance] = [new Date(Date.now() + begins), opening];
      for (const moves of later ? [shown, later] : [shown]) {
        const at = new Date(from.getTime() + 5);
        const named = moves.map((one) => ({
          at,
          ...one,
          reference: one.reference === OURS ? reference : null,
        }));
        const statement = statementOf(wallet, balance, named);
        const period = { from, to: new Date(at.getTime() + 1) };
        const { outcome } = await importOf(database(), wallet, { ...statement, period }, { now: period.to });
        came.push(outcome.classes);
        [from, balance] = [period.to, (statement.closing ?? 0) / 100];
      }
      assert.deepEqual(came, classes);
      const named = (await items()).map(([name, , amount]) => [name, amount]);
      assert.deepEqual(named, left);
      assert.equal(await driftOf(test.database, wallet), 0);
      for (const day of await daysOf(test.database, [wallet])) assert.ok(day.holds && day.unseen === 0);
    });
});
