import assert from 'node:assert/strict';
import { presentPayment } from '../../src/api/present.ts';
import { paymentLookup } from '../../src/contract/answer-schemas.ts';
import { writeAnswer } from '../../src/contract/json-of.ts';
import type { BillPayment } from '../../src/domain/bill.ts';
import { minor } from '../../src/domain/money.ts';
import type { CollectionTransaction } from '../../src/domain/transaction.ts';
import {
  COMPLETED,
  completed,
  first,
  last,
  PAID,
  partlyPaid,
  shownFirst,
  shownFlexibleBill,
  shownLast,
} from './support/paid-bills.ts';
import { assertSame, bill, created, now, qr, settled } from './support/transactions.ts';

const EXPIRES = bill.bill.expiresAt;

const shown = {
  transaction_id: bill.id,
  transaction_mode: 'billpay',
  transaction_currency: 'TZS',
  channel: { name: 'BILLPAY', reference: null },
  customer: { full_name: null, phone_number: null },
  metadata: { order_id: 'INV-2001', customer_note: 'School fees, term 1' },
  amount: { value: '25,000.00' },
  created_at: created,
  updated_at: created,
  timestamp: created,
};
const shownBill = {
  amount: '25,000.00',
  reference: '770000000049',
  mode: 'exact',
  payment_number: 'INV-2001',
  paid: '0.00',
  outstanding: '25,000.00',
};
const unpaid = { bill: shownBill, description: 'School fees, term 1', payments: [], expires_at: EXPIRES };

const shownFlexible = {
  ...shown,
  transaction_id: '3b161423-163b-581c-afc4-20dfe84202ba',
  metadata: {},
  amount: { value: '12,500.50' },
};
function assertLookup(
  transaction: CollectionTransaction,
  expected: object,
  payments: BillPayment[] = [],
): void {
  const text = writeAnswer(presentPayment(transaction, now, payments), 'en');
  paymentLookup.parse(JSON.parse(text));
  const message = 'Payment retrieved successfully';
  assertSame(text, { success: true, message, status: transaction.status, payment: expected });
}

describe('lookups of bills', () => {
  it('shows an unpaid one with the number to pay', () => {
    assertLookup(bill, {
      ...shown,
      event: 'payment.pending',
      status_reason: 'Waiting for the customer to pay control number 770000000049',
      ...unpaid,
    });
  });

  it('shows a partly paid one with its latest customer and what is outstanding', () => {
    const expected = {
      ...shownFlexible,
      channel: shownFirst.channel,
      customer: shownFirst.customer,
      updated_at: PAID,
      event: 'payment.received',
      status_reason: '10,000.00 of 12,500.50 paid',
      bill: { ...shownFlexibleBill, paid: '10,000.00', outstanding: '2,500.50' },
      description: 'School fees, term 1',
      payments: [shownFirst],
      expires_at: EXPIRES,
    };
    assertLookup(partlyPaid, expected, [first]);
    // A payment that was accepted between the two reads is not shown beside the older sum.
    assertLookup(partlyPaid, expected, [first, last]);
  });

  it('shows a completed one with the sum of fees, and nothing outstanding after an overshooting payment', () => {
    assertLookup(
      completed,
      {
        ...shownFlexible,
        channel: shownLast.channel,
        customer: shownLast.customer,
        updated_at: COMPLETED,
        timestamp: COMPLETED,
        event: 'payment.received',
        fee: '195.00',
        settled: '12,805.00',
        bill: { ...shownFlexibleBill, paid: '13,000.00', outstanding: '0.00' },
        description: 'School fees, term 1',
        payments: [shownFirst, shownLast],
        expires_at: EXPIRES,
      },
      [first, last],
    );
  });

  const final = { updatedAt: settled, statusAt: settled };
  const shownFinal = { ...shown, updated_at: settled, timestamp: settled, event: 'payment.failed' };

  it('shows an expired one', () => {
    assertLookup(
      { ...bill, ...final, status: 'failed', event: 'payment.failed', failureCode: 'expired' },
      { ...shownFinal, failure_reason: 'Not paid before it expired', failure_code: 'expired', ...unpaid },
    );
  });

  it('shows one that expired partly paid with what was paid, and without fee and settled at the top', () => {
    const text = writeAnswer(
      presentPayment(
        {
          ...partlyPaid,
          ...final,
          status: 'failed',
          event: 'payment.failed',
          failureCode: 'expired_partially_paid',
        },
        now,
        [first],
      ),
      'en',
    );
    const { payment } = paymentLookup.parse(JSON.parse(text));
    assert.equal(payment.failure_code, 'expired_partially_paid');
    assert.equal(payment.failure_reason, 'Paid only in part before it expired');
    assert.equal(payment.bill?.paid, '10,000.00');
    assert.deepEqual(payment.payments, [shownFirst]);
    assert.deepEqual(
      [payment.fee, payment.settled, payment.status_reason],
      [undefined, undefined, undefined],
    );
  });

  it('shows a cancelled one', () => {
    assertLookup(
      { ...bill, ...final, status: 'cancelled', event: 'payment.failed' },
      { ...shownFinal, status_reason: "Cancelled at the merchant's request", ...unpaid },
    );
  });

  it('says that it is being closed once its time is over, and what it waits for whoever looks into it', () => {
    const reasonOf = (transaction: CollectionTransaction) =>
      JSON.parse(writeAnswer(presentPayment(transaction, now), 'en')).payment.status_reason;
    const over = { ...bill, bill: { ...bill.bill, expiresAt: '2026-11-20T08:15:59.000000Z' } };
    assert.equal(reasonOf(over), 'The time to pay it is over; it is being closed');
    const watched = { ...bill, attention: true };
    assert.equal(reasonOf(watched), 'Waiting for the customer to pay control number 770000000049');
  });
});

describe('lookups of QR codes', () => {
  const shownQr = {
    ...shown,
    transaction_id: qr.id,
    transaction_mode: 'qr',
    channel: { name: 'DYNAMIC-QR', reference: null },
    metadata: {},
    amount: { value: '15,000.00' },
  };
  const final = { updatedAt: settled, statusAt: settled };

  it('shows an unpaid one with its end, and never its number', () => {
    assertLookup(qr, {
      ...shownQr,
      event: 'payment.pending',
      status_reason: 'Waiting for the customer to scan and pay',
      expires_at: qr.bill.expiresAt,
    });
    assert.doesNotMatch(writeAnswer(presentPayment(qr, now), 'en'), /770000000017/);
  });

  it('shows a completed one like a push', () => {
    const paid: CollectionTransaction = {
      ...qr,
      ...final,
      status: 'completed',
      event: 'payment.received',
      channel: 'm-pesa',
      channelReference: 'CKL5T8Q9ZZ',
      msisdn: '255754123456',
      fullName: 'ASHA JUMA',
      settled: minor(1_485_000),
      bill: { ...qr.bill, paid: minor(1_500_000), payments: 1 },
    };
    assertLookup(paid, {
      ...shownQr,
      channel: { name: 'M-PESA', reference: 'CKL5T8Q9ZZ' },
      customer: { full_name: 'ASHA JUMA', phone_number: '0754123456' },
      updated_at: settled,
      timestamp: settled,
      event: 'payment.received',
      fee: '150.00',
      settled: '14,850.00',
    });
  });

  it('shows an expired one like a push', () => {
    assertLookup(
      { ...qr, ...final, status: 'failed', event: 'payment.failed', failureCode: 'expired' },
      {
        ...shownQr,
        updated_at: settled,
        timestamp: settled,
        event: 'payment.failed',
        failure_reason: 'Not paid before it expired',
        failure_code: 'expired',
      },
    );
  });
});
