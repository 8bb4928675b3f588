import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { type AttentionReason, attentionGuides, needOf, pageOf } from '../../src/domain/attention.ts';
import { kinds, type Mode, modes } from '../../src/domain/kinds.ts';
import { minor } from '../../src/domain/money.ts';
import { situationOf } from '../../src/domain/situation.ts';
import { explain } from '../../src/operators/search/explain.ts';
import { stories } from '../../src/operators/search/stories.ts';
import type { Facts } from '../../src/operators/search/words.ts';
import { failed, type Given, now, paid, released } from './situations.ts';
import { billed } from './situations-bill.ts';
import { payback } from './situations-payback.ts';
import { payout } from './situations-payout.ts';
import { push } from './situations-push.ts';
import { transactionIn } from './transactions-in.ts';

function told(mode: Mode, { transaction = {}, reasons = [], decision, odd = [] }: Given) {
  const facts: Facts = {
    transaction: transactionIn(mode, transaction),
    now,
    reasons,
    decision: decision
      ? {
          outcome: 'paid',
          proposedBy: 'asha',
          approvedBy: 'juma',
          appliedAt: null,
          answer: null,
          ...decision,
        }
      : null,
    odd: odd.map((one) => ({
      id: 'si_1',
      receipt: 'QK7',
      amount: minor(550_000),
      currency: 'TZS',
      release: null,
      ...one,
    })),
  };
  return { ...explain(facts), situation: situationOf(facts) };
}

const tables = { credit: push, hold: payout, credit_each_payment: billed, payable: payback };

describe('where the money is', () => {
  for (const mode of modes) {
    const table = tables[kinds[mode].money];
    for (const [situation, given, state, money, next] of table)
      it(`of a ${mode} that is ${situation}`, () => {
        const said = told(mode, given);
        assert.equal(said.situation, situation);
        // A bank is called by its name, and so is its account.
        const plain = (sentence = '') =>
          sentence
            .replaceAll('CRDB BANK', 'M-PESA')
            .replaceAll('account 0150123456789 (Asha Juma)', '0754123456');
        assert.equal(plain(said.state), state);
        assert.equal(plain(said.money[0]), money);
        assert.equal(plain(said.next[0]), next);
      });
  }

  it('has a sentence, and a test, for every state of the world', () => {
    for (const money of Object.keys(tables) as (keyof typeof tables)[])
      assert.deepEqual(
        [...new Set(tables[money].map(([situation]) => situation))].sort(),
        Object.keys(stories[money]).sort(),
        money,
      );
  });

  it('of a payback that its channel gave back is not with the payer', () => {
    const odd = [{ receipt: 'return:PO1:R9' }];
    const [where, item] = told('payback', {
      transaction: { status: 'paid' },
      reasons: ['returned'],
      odd,
    }).money;
    assert.equal(where, 'M-PESA gave it back: it is now a separate item');
    assert.match(item ?? '', /^5,500\.00 TZS \(receipt return:PO1:R9, item si_1\) waits in suspense/);
  });

  it('names the money in suspense, item by item, and who let it leave', () => {
    const ways = ['suspense_release', 'suspense_return', 'write_off'] as const;
    const signs = [minor(550_000), minor(-550_000)];
    const odd = signs.flatMap((amount) => [
      { amount },
      ...ways.map((kind) => ({ amount, release: { ...released, kind } })),
    ]);
    const [, ...items] = told('ussd', { transaction: failed, odd }).money;
    const item = '5,500.00 TZS (receipt QK7, item si_1)';
    const by = 'at 2027-01-31T09:58:00Z, by asha and juma';
    assert.deepEqual(items, [
      `${item} waits in suspense for a decision`,
      `${item} was credited to a merchant ${by}`,
      `${item} went back to the payer over the channel ${by}`,
      `${item} was written off in our favour ${by}`,
      `${item} is missing and waits for a decision`,
      `${item} was debited from a merchant ${by}`,
      `${item} came back to us over the channel ${by}`,
      `${item} was written off at our cost ${by}`,
    ]);
  });

  it('says what of a payment was refunded', () => {
    const [money] = told('ussd', { transaction: { ...paid, refunded: minor(100_000) } }).money;
    assert.match(money ?? '', /; 1,000\.00 TZS of it went back to the payer, or is on its way$/);
  });

  it('leads to a page for every reason', () => {
    for (const reason of Object.keys(attentionGuides) as AttentionReason[])
      assert.ok(existsSync(new URL(`../../${pageOf(reason)}`, import.meta.url)), reason);
    assert.match(needOf('stuck'), /^`stuck`: A person .* \(`docs\/operations\/stuck\.md`\)$/);
    assert.match(needOf('stuck', 'https://a/b/'), /\(\[stuck\.md\]\(https:\/\/a\/b\/stuck\.md\)\)$/);
  });
});
