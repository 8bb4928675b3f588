import assert from 'node:assert/strict';
import { presentPayout } from '../../src/api/payments/present.ts';
import { writeAnswer } from '../../src/contract/json-of.ts';
import type { PayoutTransaction } from '../../src/domain/transaction.ts';
import { bank, mobile, now, settled } from './support/transactions.ts';

const payoutOf = (transaction: PayoutTransaction) =>
  JSON.parse(writeAnswer(presentPayout(transaction, now), 'en')).payout;

describe('lookups of payouts', () => {
  const paid = { status: 'paid', event: 'payout.completed', paidAt: settled, updatedAt: settled } as const;

  it('shows when a pending mobile one is asked about next', () => {
    const { status_reason } = payoutOf(mobile);
    assert.equal(status_reason, 'The network has not confirmed yet; next enquiry at 2026-11-20T08:17:00Z');
  });

  it('shows until when a pending one waits for its network', () => {
    const { status_reason } = payoutOf({ ...mobile, waitsUntil: '2026-11-21T08:15:30Z' });
    assert.equal(status_reason, 'The network is not available; waiting for it until 2026-11-21T08:15:30Z');
  });

  it('shows a pending bank one, under the method ach and our reference', () => {
    const { transaction_method, status_reason, channel, bank: account } = payoutOf(bank);
    assert.deepEqual(channel, { name: 'crdb_bank', reference: bank.reference });
    assert.deepEqual(
      [transaction_method, status_reason],
      ['ach', 'Handed to the bank, waiting for its confirmation'],
    );
    assert.deepEqual(account, { account_number: '0150123456789', name: 'CRDB BANK', bic: 'CORUTZTZ' });
  });

  it('shows that a bank returned a paid one', () => {
    const { paid_at, returned_at, return_reason } = payoutOf({
      ...bank,
      ...paid,
      returnedAt: settled,
      returnReason: 'AC04',
    });
    assert.deepEqual([paid_at, returned_at, return_reason], [settled, settled, 'AC04']);
  });

  it('shows a cancelled one with what came back', () => {
    const cancelled = { status: 'cancelled', event: 'payout.failed', updatedAt: settled } as const;
    const { status_reason, amount } = payoutOf({ ...bank, ...cancelled });
    assert.equal(status_reason, "Cancelled at the merchant's request; 402,360.00 returned to the balance");
    assert.deepEqual(amount, { value: '400,000.00' });
  });
});
