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

const lines: Record<string, Move> = {
  paid: { receipt: 'PO1', amount: -50_000 },
  less: { receipt: 'PO1', amount: -49_000 },
  back: { receipt: 'V1', amount: 50_000, kind: 'return', names: ['PO1'] },
  other: { receipt: 'X', amount: 1 },
  swept: { receipt: 'S1', amount: -5_000, kind: 'sweep', sweepTo: 'bank' },
};

/**
 * Whatever is counted: our books and the first statement are one in the end. By what is in our books by then: we paid 50,000
 * as PO1; it came back as V1; 5,000 went over to our bank, which has shown it.
 *
 * A row is what the statements show, `=>` what came of the lines of each, `=>` each item in suspense, in shillings. `0:` is what
 * the first statement begins with, 100,000 unless it is said; `-` is no line; `@ours` names our reference; behind `|` is the next
 * statement.
 */
const stories: Record<'paid' | 'returned' | 'swept', Record<string, string>> = {
  paid: {
    'that a line of it shows is counted once': 'paid => opening 1, receipt 1 => opening 100000',
    'that a line of it shows, and which begins with nothing, needs no opening': '0: paid => receipt 1 => ',
    'that a line of it shows with another amount is counted once, with the difference':
      'less => differs 1, opening 1 => line 1000, opening 100000',
    'that no line of it shows was there before': 'other => opening 1, theirs_only 1 => X 1, opening 150000',
    'that no line of it shows was there before, also where it begins with nothing':
      '0: other => opening 1, theirs_only 1 => X 1, opening 50000',
    'and of which it shows only that it came back was there before':
      'back => opening 1, theirs_only 1 => V1 50000, opening 150000',
    'is money of nobody where a second statement alone shows it: the opening counts it':
      '- | paid@ours => opening 1 | theirs_only 1 => line -50000, opening 150000',
    'is money of nobody where a second statement alone shows it, and the first began with what we had':
      '-50000: - | paid =>  | theirs_only 1 => line -50000',
    'is money of nobody where a second statement alone shows it with another amount':
      '- | less@ours => opening 1 | theirs_only 1 => line -49000, opening 150000',
  },
  returned: {
    'and which came back, as lines of it show, is counted once':
      'paid back => opening 1, receipt 2 => opening 100000',
    'and which came back was there before, both ways, where no line of it shows either':
      'other => opening 1, theirs_only 1 => X 1, opening 100000',
    'was there before, where a line of it shows only what came back':
      'back => opening 1, receipt 1 => opening 150000',
    'and which came back is money of nobody where a second statement alone shows that':
      '- | back => opening 1 | theirs_only 1 => line 50000, opening 100000',
  },
  swept: {
    'from it to our bank is that sweep, where a line of it shows it':
      'swept => opening 1, sweep 1 => opening 100000',
    'from it to our bank was there before, where no line of it shows it':
      'other => opening 1, theirs_only 1 => X 1, opening 105000',
    'from it to our bank is money of nobody where a second statement alone shows it, and no second sweep':
      '- | swept => opening 1 | theirs_only 1 => S1 -5000, opening 105000',
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
    Object.entries(told).map(([is, row]) => ({ before: before as keyof typeof stories, is, row })),
  );
  for (const { before, is, row } of all)
    it(`(${before}) ${is}`, async () => {
      const [story = '', came, left] = row.split(' => ');
      const [, opening = '100000', shown = ''] = /^(?:(-?\d+): )?(.*)$/.exec(story) ?? [];
      const reference = await begin(before);
      const counted: string[] = [];
      // A sweep is booked by the bank's line, after the time at which it moved.
      const begins = before === 'swept' ? -Math.min(3_600_000, sinceMidnight()) : 5;
      let [from, balance] = [new Date(Date.now() + begins), Number(opening)];
      for (const words of shown.split(' | ')) {
        const at = new Date(from.getTime() + 5);
        const moves = words.split(' ').flatMap((word) => {
          const [name = '', ours] = word.split('@');
          const line = name === '-' ? [] : [lines[name] ?? assert.fail(name)];
          return line.map((move) => ({ at, ...move, reference: ours ? reference : null }));
        });
        const statement = statementOf(wallet, balance, moves);
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
