import { presentPayout } from '../../src/api/present.ts';
import { payoutLookup } from '../../src/contract/answer-schemas.ts';
import { writeAnswer } from '../../src/contract/json-of.ts';
import type { PayoutTransaction } from '../../src/domain/transaction.ts';
import { assertSame, bank, created, mobile, now, settled } from './support/transactions.ts';

function assertPayout(transaction: PayoutTransaction, expected: object): void {
  const text = writeAnswer(presentPayout(transaction, now), 'en');
  payoutLookup.parse(JSON.parse(text));
  const message = 'Payout retrieved successfully';
  assertSame(text, { success: true, message, status: transaction.status, payout: expected });
}

describe('lookups of payouts', () => {
  const mobileBeneficiary = { phone_number: '0754123456', phone_network: 'm-pesa', full_name: 'ASHA JUMA' };
  const bankBeneficiary = {
    bank_account: '0150123456789',
    bank_name: 'CRDB BANK',
    bank_bic: 'CORUTZTZ',
  };
  const mobileTail = {
    transaction_currency: 'TZS',
    payout_reference: mobile.reference,
    channel: { name: 'm-pesa', reference: mobile.channelReference ?? mobile.reference },
    beneficiary: mobileBeneficiary,
    metadata: { order_id: 'WD-3001', note: 'Withdrawal' },
    created_at: created,
    updated_at: created,
  };
  const bankTail = {
    ...mobileTail,
    payout_reference: bank.reference,
    channel: { name: 'crdb_bank', reference: bank.channelReference ?? bank.reference },
    beneficiary: bankBeneficiary,
    metadata: { order_id: 4001, notes: 'November rent' },
  };

  it('shows a pending mobile one', () => {
    assertPayout(mobile, {
      event: 'payout.pending',
      transaction_id: mobile.id,
      transaction_method: 'mobile',
      amount: { value: '50,000.00', fee: '1,000.00' },
      mobile: { phone_number: '0754123456', network: 'm-pesa' },
      status_reason: 'The network has not confirmed yet; next enquiry at 2026-11-20T08:17:00Z',
      ...mobileTail,
    });
  });

  it('shows a pending bank one, under the method ach', () => {
    assertPayout(bank, {
      event: 'payout.pending',
      transaction_id: bank.id,
      transaction_method: 'ach',
      amount: { value: '400,000.00', fee: '2,360.00' },
      bank: { account_number: '0150123456789', name: 'CRDB BANK', bic: 'CORUTZTZ' },
      status_reason: 'Handed to the bank, waiting for its confirmation',
      ...bankTail,
    });
  });

  it('shows paid_at of a paid one, and that the bank returned it', () => {
    const paid = { status: 'paid', event: 'payout.completed', paidAt: settled, updatedAt: settled } as const;
    const shown = {
      event: 'payout.completed',
      transaction_id: bank.id,
      transaction_method: 'ach',
      amount: { value: '400,000.00', fee: '2,360.00' },
      bank: { account_number: '0150123456789', name: 'CRDB BANK', bic: 'CORUTZTZ' },
      paid_at: settled,
      ...bankTail,
      updated_at: settled,
    };
    assertPayout({ ...bank, ...paid }, shown);
    const { created_at, updated_at, ...head } = shown;
    assertPayout(
      { ...bank, ...paid, returnedAt: settled, returnReason: 'AC04' },
      { ...head, returned_at: settled, return_reason: 'AC04', created_at, updated_at },
    );
  });

  it('shows a failed one without fee, method, recipient channel and time', () => {
    assertPayout(
      {
        ...mobile,
        status: 'failed',
        event: 'payout.failed',
        failureCode: 'recipient_not_found',
        fullName: null,
      },
      {
        event: 'payout.failed',
        transaction_id: mobile.id,
        amount: { value: '50,000.00' },
        failure_reason: 'Recipient phone number is invalid',
        failure_code: 'recipient_not_found',
        ...mobileTail,
        beneficiary: { ...mobileBeneficiary, full_name: null },
      },
    );
  });

  it('shows a cancelled one with what came back', () => {
    assertPayout(
      { ...bank, status: 'cancelled', event: 'payout.failed' },
      {
        event: 'payout.failed',
        transaction_id: bank.id,
        amount: { value: '400,000.00' },
        status_reason: "Cancelled at the merchant's request; 402,360.00 returned to the balance",
        ...bankTail,
      },
    );
  });
});
