import assert from 'node:assert/strict';
import { itemsOf } from '../../src/reconciliation/items.ts';
import { handedOver } from '../support/handed-over.ts';
import { bankPayoutRequest, pushRequest } from '../support/merchant.ts';
import { succeeded } from '../support/scripted-channel.ts';
import { bankAccount, type Move, walletAccount } from '../support/statements-of-accounts.ts';
import { textOf, useLines } from './lines.ts';

/**
 * What we booked, a push of 5,000 TZS or a payout of 40,174 to a bank, with the number in its channel's answer (`-`: none); what
 * lines show, `ours` by our reference; `=>` how many came to what; `=>` class, kind, receipt, shillings and those in suspense of
 * what is open.
 */
const stories: Record<string, string> = {
  "a bank's line of our payout by its own number and with another amount differs, and the difference alone is in suspense":
    'payout:FT1 OWN:-40074:ours => differs 1 => differs payout OWN -40074 100',
  'what came back of a payout, by its own number and our reference, is no other amount of it':
    'payout:FT1 OWN:40074:ours:unknown => theirs_only 1 => theirs_only unknown OWN 40074 40074',
  "a wallet's line by another number than its channel said is another movement, whatever it refers to":
    'push:R1 R2:4900:ours => theirs_only 1 => theirs_only payment R2 4900 4900',
  'a row that they call failed, with the receipt of what we booked, differs at once':
    'push:R1 R1:5000:failed => failed 1 => differs failed R1 5000 0',
  'so does one with our reference alone': 'push:- F1:0:ours:failed => failed 1 => differs failed null 5000 0',
  "and one of a bank by the bank's own number":
    'payout:FT1 F1:-40174:ours:failed => failed 1 => differs failed FT1 -40174 0',
  'a try of it that failed before it was done says nothing, and nor does what is nothing of ours':
    'push:R1 R0:5000:ours:failed X:5000:failed R1:-5000:failed:unknown R1:5000:ours => failed 3, receipt 1',
  'also while nothing else shows it': 'push:R1 R0:5000:ours:failed => failed 1',
  'of a transaction that has not ended it says nothing either': 'push R1:5000:ours:failed => failed 1',
};

function lineOf(word: string, ours: string): Move {
  const [receipt = '', amount, ...says] = word.split(':');
  return {
    receipt,
    amount: Number(amount),
    reference: says.includes('ours') ? ours : null,
    status: says.includes('failed') ? 'failed' : 'done',
    ...(says.includes('unknown') && { kind: 'unknown' as const }),
  };
}

describe('a line of a statement that says otherwise than we do', () => {
  const { test, answer, classes } = useLines();

  for (const [is, row] of Object.entries(stories))
    it(is, async () => {
      const [story = '', came, open = ''] = row.split(' => ');
      const [booked = '', ...shown] = story.split(' ');
      const [what, receipt] = booked.split(':');
      const [request, shillings, account] =
        what === 'payout'
          ? ([bankPayoutRequest(40_174), 40_174, bankAccount()] as const)
          : ([pushRequest(5_000), 5_000, walletAccount()] as const);
      const { id, reference } = await handedOver(test.database, request, { balance: 100_000 });
      if (receipt) await answer(id, succeeded(shillings, receipt === '-' ? null : receipt));
      const moves = shown.map((word) => lineOf(word, reference));
      assert.equal(textOf(await classes(moves, account)), came);
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
