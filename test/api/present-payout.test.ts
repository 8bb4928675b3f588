import assert from 'node:assert/strict';
import { presentPayout } from '../../src/api/payments/present.ts';
import { payoutAnswers } from '../../src/api/reference/examples/payout.ts';
import { writeAnswer } from '../../src/contract/json-of.ts';
import type { PayoutTransaction } from '../../src/domain/transaction.ts';
import { assertSame, bank, mobile, now, settled } from './support/transactions.ts';

type Published = Record<string, unknown> & { receipt_url?: string | undefined };

const textOf = (transaction: PayoutTransaction, receiptUrl?: string) =>
  writeAnswer(presentPayout(transaction, now, receiptUrl), 'en');
const assertPayout = (transaction: PayoutTransaction, published: Published) =>
  assertSame(textOf(transaction, published.receipt_url), published);

/** What is published is what is answered. */
describe('lookups of payouts', () => {
  const paid = { status: 'paid', event: 'payout.completed', paidAt: settled, updatedAt: settled } as const;
  const paidByBank = { ...bank, ...paid, channelReference: 'FT26324XQ99' };
  const ofBank = payoutAnswers.paid_to_a_bank;

  it('shows a pending mobile one', () => {
    assertPayout(mobile, payoutAnswers.pending);
  });

  it('shows a pending bank one, under the method ach and our reference', () => {
    const { event, paid_at: _, transaction_currency, ...rest } = ofBank.payout;
    const { transaction_id, transaction_method, amount, bank: account, ...tail } = rest;
    const status_reason = 'Handed to the bank, waiting for its confirmation';
    const head = { event: 'payout.pending', transaction_id, transaction_method, amount, bank: account };
    const channel = { name: 'crdb_bank', reference: bank.reference };
    const payout = { ...head, status_reason, transaction_currency, ...tail, channel };
    assert.equal(event, 'payout.completed');
    assertPayout(bank, {
      ...ofBank,
      status: 'pending',
      payout: { ...payout, updated_at: bank.updatedAt },
    });
  });

  it('shows paid_at and the receipt of a paid one, and that the bank returned it', () => {
    assertPayout({ ...mobile, ...paid, channelReference: 'CKL5T8Q2WX' }, payoutAnswers.paid);
    assertPayout(paidByBank, ofBank);
    const { created_at, updated_at, ...head } = ofBank.payout;
    const payout = { ...head, returned_at: settled, return_reason: 'AC04', created_at, updated_at };
    assertPayout({ ...paidByBank, returnedAt: settled, returnReason: 'AC04' }, { ...ofBank, payout });
  });

  it('shows a failed one without fee, method, recipient channel and time', () => {
    const { transaction_id: id, payout_reference: reference } = payoutAnswers.failed.payout;
    const failed = { status: 'failed', event: 'payout.failed', failureCode: 'recipient_not_found' } as const;
    assertPayout(
      { ...mobile, ...failed, id, reference, fullName: null, metadata: '{}', updatedAt: settled },
      payoutAnswers.failed,
    );
  });

  it('shows a cancelled one with what came back', () => {
    const { transaction_id: id, payout_reference: reference } = payoutAnswers.cancelled.payout;
    const cancelled = { status: 'cancelled', event: 'payout.failed', updatedAt: settled } as const;
    assertPayout({ ...mobile, ...cancelled, id, reference }, payoutAnswers.cancelled);
    const { status_reason } = JSON.parse(textOf({ ...bank, ...cancelled })).payout;
    assert.equal(status_reason, "Cancelled at the merchant's request; 402,360.00 returned to the balance");
  });
});
