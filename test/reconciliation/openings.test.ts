import assert from 'node:assert/strict';
import { daysOf } from '../../src/reconciliation/days.ts';
import { handedOver } from '../support/handed-over.ts';
import { mobilePayoutRequest } from '../support/merchant.ts';
import { succeeded } from '../support/scripted-channel.ts';
import { driftOf, importOf, type Move, statementOf } from '../support/statements-of-accounts.ts';
import { useLines } from './lines.ts';

type Story = {
  is: string;
  shown: readonly Move[];
  classes: Record<string, number>;
  /** receipt and whole shillings of each item in suspense */
  items: readonly unknown[];
  /** whole shillings that our books have more than they: what their next lines will show */
  drift: number;
};

/** We paid 50,000 as PO1 before their first statement begins, with 100,000. */
const stories: readonly Story[] = [
  {
    is: 'that a line of it shows is counted once',
    shown: [{ receipt: 'PO1', amount: -50_000 }],
    classes: { opening: 1, receipt: 1 },
    items: [['opening:m-pesa', 100_000]],
    drift: 0,
  },
  {
    is: 'that a line of it shows with another amount is counted once, with the difference',
    shown: [{ receipt: 'PO1', amount: -49_000 }],
    classes: { differs: 1, opening: 1 },
    items: [
      ['opening:m-pesa', 100_000],
      ['line:', 1_000],
    ],
    drift: 0,
  },
  {
    is: 'that no line of it shows was there before',
    shown: [{ receipt: 'X', amount: 1 }],
    classes: { opening: 1, theirs_only: 1 },
    items: [
      ['opening:m-pesa', 150_000],
      ['X', 1],
    ],
    drift: 0,
  },
];

describe('what we moved before the first statement of an account begins', () => {
  const { test, wallet, database, answer, items } = useLines();

  for (const { is, shown, classes, items: left, drift } of stories)
    it(is, async () => {
      const { id } = await handedOver(test.database, mobilePayoutRequest(50_000), { balance: 1_000_000 });
      await answer(id, succeeded(50_000, 'PO1'));
      const from = new Date(Date.now() + 5);
      const at = new Date(from.getTime() + 5);
      const period = { from, to: new Date(at.getTime() + 1) };
      const statement = statementOf(
        wallet,
        100_000,
        shown.map((one) => ({ at, ...one })),
      );
      const { outcome } = await importOf(database(), wallet, { ...statement, period }, { now: period.to });
      assert.deepEqual(outcome.classes, classes);
      const named = (await items()).map(([name, , amount]) => [
        String(name).replace(/^(line:).*/, '$1'),
        amount,
      ]);
      assert.deepEqual(named.sort(), [...left].sort());
      assert.equal((await driftOf(test.database, wallet)) / 100, drift);
      for (const day of await daysOf(test.database, [wallet])) assert.ok(day.holds);
    });

  it('is money of nobody where a second statement alone shows it: the opening counts it', async () => {
    const { id, reference } = await handedOver(test.database, mobilePayoutRequest(50_000), {
      balance: 1_000_000,
    });
    await answer(id, succeeded(50_000, 'PO1'));
    const [from, to, end] = [5, 10, 15].map((ms) => new Date(Date.now() + ms)) as [Date, Date, Date];
    const first = { ...statementOf(wallet, 100_000, []), period: { from, to } };
    await importOf(database(), wallet, first, { now: to });
    const line = { receipt: 'PO1', reference, amount: -50_000, at: to };
    const second = { ...statementOf(wallet, 100_000, [line]), period: { from: to, to: end } };
    const { outcome } = await importOf(database(), wallet, second, { now: end });
    assert.deepEqual(outcome.classes, { theirs_only: 1 });
    const left = (await items()).map(([, transaction, amount]) => [transaction, amount]);
    assert.deepEqual(left, [
      [null, -50_000],
      [null, 150_000],
    ]);
    assert.equal(await driftOf(test.database, wallet), 0, 'together they are what was there before');
    for (const day of await daysOf(test.database, [wallet])) assert.ok(day.holds && day.unseen === 0);
  });
});
