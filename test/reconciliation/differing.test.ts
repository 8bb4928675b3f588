import assert from 'node:assert/strict';
import type { MoneyRequest } from '../../src/domain/operation.ts';
import { itemsOf } from '../../src/reconciliation/items.ts';
import { handedOver } from '../support/handed-over.ts';
import { bankPayoutRequest, pushRequest } from '../support/merchant.ts';
import { succeeded } from '../support/scripted-channel.ts';
import { bankAccount, type Move, walletAccount } from '../support/statements-of-accounts.ts';
import { textOf, useLines } from './lines.ts';

/** Whole shillings, and their number in the channel's answer. */
type Booked = { request: MoneyRequest; moved?: readonly [shillings: number, receipt: string | null] };
/** `came`: how many lines came to what. `open`: class, kind, receipt, whole shillings and those in suspense of what is open. */
type Story = readonly [Booked, (ours: { reference: string }) => readonly Move[], came: string, open?: string];

const payout = { request: bankPayoutRequest(40_174), moved: [40_174, 'FT1'] } as const;
const push = { request: pushRequest(5_000), moved: [5_000, 'R1'] } as const;

const stories: Record<string, Story> = {
  "a bank's line of our payout by its own number and with another amount differs, and the difference alone is in suspense":
    [
      payout,
      ({ reference }) => [{ receipt: 'OWN', reference, amount: -40_074, kind: 'payout' }],
      'differs 1',
      'differs payout OWN -40074 100',
    ],
  'what came back of a payout, by its own number and our reference, is no other amount of it': [
    payout,
    ({ reference }) => [{ receipt: 'OWN', reference, amount: 40_074, kind: 'unknown' }],
    'theirs_only 1',
    'theirs_only unknown OWN 40074 40074',
  ],
  "a wallet's line by another number than its channel said is another movement, whatever it refers to": [
    push,
    ({ reference }) => [{ receipt: 'R2', reference, amount: 4_900 }],
    'theirs_only 1',
    'theirs_only payment R2 4900 4900',
  ],
  'a row that they call failed, with the receipt of what we booked, differs at once': [
    push,
    () => [{ receipt: 'R1', amount: 5_000, status: 'failed' }],
    'failed 1',
    'differs failed R1 5000 0',
  ],
  'so does one with our reference alone': [
    { ...push, moved: [5_000, null] },
    ({ reference }) => [{ receipt: 'F1', reference, amount: 0, status: 'failed' }],
    'failed 1',
    'differs failed null 5000 0',
  ],
  "and one of a bank by the bank's own number": [
    payout,
    ({ reference }) => [{ receipt: 'F1', reference, amount: -40_174, kind: 'payout', status: 'failed' }],
    'failed 1',
    'differs failed FT1 -40174 0',
  ],
  'a try of it that failed before it was done says nothing, and nor does what is nothing of ours': [
    push,
    ({ reference }) => [
      { receipt: 'R0', reference, amount: 5_000, status: 'failed' },
      { receipt: 'X', amount: 5_000, status: 'failed' },
      { receipt: 'R1', amount: -5_000, status: 'failed', kind: 'unknown' },
      { receipt: 'R1', reference, amount: 5_000 },
    ],
    'failed 3, receipt 1',
  ],
  'also while nothing else shows it': [
    push,
    ({ reference }) => [{ receipt: 'R0', reference, amount: 5_000, status: 'failed' }],
    'failed 1',
  ],
  'of a transaction that has not ended it says nothing either': [
    { request: push.request },
    ({ reference }) => [{ receipt: 'R1', reference, amount: 5_000, status: 'failed' }],
    'failed 1',
  ],
};

describe('a line of a statement that says otherwise than we do', () => {
  const { test, answer, classes } = useLines();

  for (const [is, [{ request, moved }, shown, came, open = '']] of Object.entries(stories))
    it(is, async () => {
      const account = request.channel === 'bank' ? bankAccount() : walletAccount();
      const started = await handedOver(test.database, request, { balance: 100_000 });
      if (moved) await answer(started.id, succeeded(...moved));
      assert.equal(textOf(await classes([...shown(started)], account)), came);
      const items = await itemsOf(test.database, [account], { states: ['open'], limit: 10 });
      const left = items
        .filter(({ kind }) => kind !== 'opening' && kind !== 'top_up')
        .map((one) => [
          one.class,
          one.kind,
          one.receipt ?? 'null',
          one.amount / 100,
          (one.itemAmount ?? 0) / 100,
        ]);
      assert.equal(left.map((one) => one.join(' ')).join(', '), open);
    });
});
