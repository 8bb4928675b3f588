import assert from 'node:assert/strict';
import { presentPayment } from '../../src/api/payments/present.ts';
import { billLookups } from '../../src/api/reference/examples/bill.ts';
import { paymentLookup } from '../../src/contract/answer-schemas.ts';
import { writeAnswer } from '../../src/contract/json-of.ts';
import type { BillPayment } from '../../src/domain/bill.ts';
import { minor } from '../../src/domain/money.ts';
import type { CollectionTransaction } from '../../src/domain/transaction.ts';
import { completed, first, last, PAID, partlyPaid } from './support/paid-bills.ts';
import { assertSame, bill, now, qr, settled } from './support/transactions.ts';

const textOf = (transaction: CollectionTransaction, payments: BillPayment[] = []) =>
  writeAnswer(presentPayment(transaction, now, payments, [], { receiptOf }), 'en');
/** The two payments of the example have these. */
const [ofFirst, ofLast] = (billLookups.bill_completed.payment.payments ?? []).map(
  ({ receipt_url }) => receipt_url,
);
const receiptOf = (part: number) => (part === 1 ? ofFirst : ofLast);
const assertLookup = (transaction: CollectionTransaction, published: object, payments: BillPayment[] = []) =>
  assertSame(textOf(transaction, payments), published);
const finalAt = (at: string) => ({ updatedAt: at, statusAt: at });

/** What is published is what is answered. */
describe('lookups of bills', () => {
  it('shows an unpaid one with the number to pay', () => {
    assertLookup(bill, billLookups.bill_pending);
  });

  it('shows what it is for, as it was sent', () => {
    const text = textOf({ ...bill, bill: { ...bill.bill, description: 'School fees' } });
    assert.match(text, /"outstanding":"25,000.00"},"description":"School fees","payments":\[\]/);
    paymentLookup.parse(JSON.parse(text));
  });

  it('shows a partly paid one with its latest customer and what is outstanding', () => {
    assertLookup(partlyPaid, billLookups.bill_partly_paid, [first]);
    // A payment that was accepted between the two reads is not shown beside the older sum.
    assertLookup(partlyPaid, billLookups.bill_partly_paid, [first, last]);
  });

  it('shows a completed one with the sum of fees, and nothing outstanding after an overshooting payment', () => {
    assertLookup(completed, billLookups.bill_completed, [first, last]);
  });

  it('shows an expired one', () => {
    const expired = { status: 'failed', event: 'payment.failed', failureCode: 'expired' } as const;
    assertLookup({ ...bill, ...finalAt(bill.bill.expiresAt), ...expired }, billLookups.bill_expired);
  });

  it('shows one that expired partly paid with what was paid, and without fee and settled at the top', () => {
    const failureCode = 'expired_partially_paid';
    const expired = { status: 'failed', event: 'payment.failed', failureCode } as const;
    const text = textOf({ ...partlyPaid, ...finalAt(settled), ...expired }, [first]);
    const { payment } = paymentLookup.parse(JSON.parse(text));
    assert.equal(payment.failure_code, 'expired_partially_paid');
    assert.equal(payment.failure_reason, 'Paid only in part before it expired');
    assert.equal(payment.bill?.paid, '10,000.00');
    assert.deepEqual(payment.payments, billLookups.bill_partly_paid.payment.payments);
    assert.deepEqual(
      [payment.fee, payment.settled, payment.status_reason],
      [undefined, undefined, undefined],
    );
  });

  it('shows a cancelled one', () => {
    const cancelled = { status: 'cancelled', event: 'payment.failed' } as const;
    assertLookup({ ...bill, ...finalAt(PAID), ...cancelled }, billLookups.bill_cancelled);
  });

  it('says that it is being closed once its time is over, and what it waits for whoever looks into it', () => {
    const reasonOf = (transaction: CollectionTransaction) =>
      JSON.parse(textOf(transaction)).payment.status_reason;
    const over = { ...bill, bill: { ...bill.bill, expiresAt: '2026-11-20T08:15:59.000000Z' } };
    assert.equal(reasonOf(over), 'The time to pay it is over; it is being closed');
    const watched = { ...bill, attention: true };
    assert.equal(reasonOf(watched), 'Waiting for the customer to pay control number 770000000049');
  });
});

describe('lookups of QR codes', () => {
  const pending = billLookups.qr_pending;
  const { event: _, status_reason: __, expires_at: ___, ...shownQr } = pending.payment;
  const shownFinal = { ...shownQr, updated_at: settled, timestamp: settled };

  it('shows an unpaid one with its end, and never its number', () => {
    assertLookup(qr, pending);
    assert.doesNotMatch(textOf(qr), /770000000017/);
  });

  it('shows a completed one like a push', () => {
    const paid: CollectionTransaction = {
      ...qr,
      ...finalAt(settled),
      channel: 'm-pesa',
      channelReference: 'CKL5T8Q9ZZ',
      msisdn: '255754123456',
      fullName: 'ASHA JUMA',
      settled: minor(1_485_000),
      status: 'completed',
      event: 'payment.received',
      bill: { ...qr.bill, paid: minor(1_500_000), payments: 1 },
    };
    assertLookup(paid, {
      ...pending,
      status: 'completed',
      payment: {
        ...shownFinal,
        channel: { name: 'M-PESA', reference: 'CKL5T8Q9ZZ' },
        customer: { full_name: 'ASHA JUMA', phone_number: '0754123456' },
        event: 'payment.received',
        fee: '150.00',
        settled: '14,850.00',
      },
    });
  });

  it('shows an expired one like a push', () => {
    const { failure_reason, failure_code } = billLookups.bill_expired.payment;
    assertLookup(
      { ...qr, ...finalAt(settled), status: 'failed', event: 'payment.failed', failureCode: 'expired' },
      {
        ...pending,
        status: 'failed',
        payment: { ...shownFinal, event: 'payment.failed', failure_reason, failure_code },
      },
    );
  });
});
