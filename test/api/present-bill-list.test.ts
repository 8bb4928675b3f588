import assert from 'node:assert/strict';
import { listItem } from '../../src/api/payments/present.ts';
import { writeAnswer } from '../../src/contract/json-of.ts';
import type { MerchantTransaction } from '../../src/domain/transaction.ts';
import { COMPLETED, completed, last, partlyPaid } from './support/paid-bills.ts';
import { bill, created, qr } from './support/transactions.ts';

describe('bills and QR codes in lists', () => {
  const itemOf = (transaction: MerchantTransaction) => JSON.parse(writeAnswer(listItem(transaction), 'en'));

  it('shows a bill as one item under its payment number, however often it was paid', () => {
    assert.deepEqual(itemOf(completed), {
      transaction_id: completed.id,
      type: 'bill',
      transaction_mode: 'billpay',
      transaction_currency: 'TZS',
      status: 'completed',
      event: 'payment.received',
      channel: { name: 'AIRTEL-MONEY', reference: last.receipt },
      amount: { value: '12,500.50', fee: '195.00', settled: '12,805.00' },
      customer: { full_name: null, phone_number: '0784555666' },
      reference: 'INV-2002',
      bill: {
        amount: '12,500.50',
        reference: '770000000058',
        mode: 'flexible',
        payment_number: 'INV-2002',
        paid: '13,000.00',
        outstanding: '0.00',
      },
      metadata: {},
      created_at: created,
      updated_at: COMPLETED,
    });
  });

  it('shows a fee where one was or will be taken, and settled only when completed', () => {
    assert.deepEqual(itemOf(bill).amount, { value: '25,000.00', fee: '375.00' });
    assert.deepEqual(itemOf(partlyPaid).amount, { value: '12,500.50', fee: '150.00' });
    assert.deepEqual(itemOf({ ...bill, status: 'cancelled' }).amount, { value: '25,000.00' });
    const expired = { status: 'failed', failureCode: 'expired' } as const;
    assert.deepEqual(itemOf({ ...bill, ...expired }).amount, { value: '25,000.00' });
    const partly = { status: 'failed', failureCode: 'expired_partially_paid' } as const;
    assert.deepEqual(itemOf({ ...partlyPaid, ...partly }).amount, { value: '12,500.50', fee: '150.00' });
  });

  it('shows a QR code as a payment without a reference and without a bill', () => {
    assert.deepEqual(itemOf(qr), {
      transaction_id: qr.id,
      type: 'payment',
      transaction_mode: 'qr',
      transaction_currency: 'TZS',
      status: 'pending',
      event: 'payment.pending',
      channel: { name: 'DYNAMIC-QR', reference: null },
      amount: { value: '15,000.00', fee: '150.00' },
      customer: { full_name: null, phone_number: null },
      reference: null,
      metadata: {},
      created_at: created,
      updated_at: created,
    });
  });
});
