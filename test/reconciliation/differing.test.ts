import assert from 'node:assert/strict';
import type { MoneyRequest } from '../../src/domain/operation.ts';
import { itemsOf } from '../../src/reconciliation/items.ts';
import { handedOver, type Started } from '../support/handed-over.ts';
import { bankPayoutRequest, pushRequest } from '../support/merchant.ts';
import { succeeded } from '../support/scripted-channel.ts';
import { bankAccount, type Move, walletAccount } from '../support/statements-of-accounts.ts';
import { useLines } from './lines.ts';

type Story = {
  is: string;
  request: MoneyRequest;
  /** whole shillings, and their number in the channel's answer; left out: there was none */
  moved?: readonly [shillings: number, receipt: string | null];
  shown(started: Started): readonly Move[];
  /** how many lines came to what */
  classes: Record<string, number>;
  /** class, kind, receipt and whole shillings of what is open */
  open: readonly unknown[];
};

const payout = { request: bankPayoutRequest(40_174), moved: [40_174, 'FT1'] } as const;
const push = { request: pushRequest(5_000), moved: [5_000, 'R1'] } as const;

const stories: readonly Story[] = [
  {
    ...payout,
    is: "a bank's line of our payout by its own number and with another amount differs, and the difference alone is in suspense",
    shown: ({ reference }) => [{ receipt: 'OWN', reference, amount: -40_074, kind: 'payout' }],
    classes: { differs: 1 },
    open: [['differs', 'payout', 'OWN', -40_074, 100]],
  },
  {
    ...payout,
    is: 'what came back of a payout, by its own number and our reference, is no other amount of it',
    shown: ({ reference }) => [{ receipt: 'OWN', reference, amount: 40_074, kind: 'unknown' }],
    classes: { theirs_only: 1 },
    open: [['theirs_only', 'unknown', 'OWN', 40_074, 40_074]],
  },
  {
    ...push,
    is: "a wallet's line by another number than its channel said is another movement, whatever it refers to",
    shown: ({ reference }) => [{ receipt: 'R2', reference, amount: 4_900 }],
    classes: { theirs_only: 1 },
    open: [['theirs_only', 'payment', 'R2', 4_900, 4_900]],
  },
  {
    ...push,
    is: 'a row that they call failed, with the receipt of what we booked, differs at once',
    shown: () => [{ receipt: 'R1', amount: 5_000, status: 'failed' }],
    classes: { failed: 1 },
    open: [['differs', 'failed', 'R1', 5_000, 0]],
  },
  {
    ...push,
    moved: [5_000, null],
    is: 'so does one with our reference alone',
    shown: ({ reference }) => [{ receipt: 'F1', reference, amount: 0, status: 'failed' }],
    classes: { failed: 1 },
    open: [['differs', 'failed', null, 5_000, 0]],
  },
  {
    ...payout,
    is: "and one of a bank by the bank's own number",
    shown: ({ reference }) => [
      { receipt: 'F1', reference, amount: -40_174, kind: 'payout', status: 'failed' },
    ],
    classes: { failed: 1 },
    open: [['differs', 'failed', 'FT1', -40_174, 0]],
  },
  {
    ...push,
    is: 'a try of it that failed before it was done says nothing, and nor does what is nothing of ours',
    shown: ({ reference }) => [
      { receipt: 'R0', reference, amount: 5_000, status: 'failed' },
      { receipt: 'X', amount: 5_000, status: 'failed' },
      { receipt: 'R1', amount: -5_000, status: 'failed', kind: 'unknown' },
      { receipt: 'R1', reference, amount: 5_000 },
    ],
    classes: { failed: 3, receipt: 1 },
    open: [],
  },
  {
    ...push,
    is: 'also while nothing else shows it',
    shown: ({ reference }) => [{ receipt: 'R0', reference, amount: 5_000, status: 'failed' }],
    classes: { failed: 1 },
    open: [],
  },
  {
    request: pushRequest(5_000),
    is: 'of a transaction that has not ended it says nothing either',
    shown: ({ reference }) => [{ receipt: 'R1', reference, amount: 5_000, status: 'failed' }],
    classes: { failed: 1 },
    open: [],
  },
];

describe('a line of a statement that says otherwise than we do', () => {
  const { test, answer, classes } = useLines();

  for (const { is, request, moved, shown, classes: came, open } of stories)
    it(is, async () => {
      const account = request.channel === 'bank' ? bankAccount() : walletAccount();
      const started = await handedOver(test.database, request, { balance: 100_000 });
      if (moved) await answer(started.id, succeeded(...moved));
      assert.deepEqual(await classes([...shown(started)], account), came);
      const items = await itemsOf(test.database, [account], { states: ['open'], limit: 10 });
      assert.deepEqual(
        items
          .filter(({ kind }) => kind !== 'opening' && kind !== 'top_up')
          .map((one) => [one.class, one.kind, one.receipt, one.amount / 100, (one.itemAmount ?? 0) / 100]),
        open,
      );
    });
});
