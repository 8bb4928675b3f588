import assert from 'node:assert/strict';
import { presentPayment } from '../../src/api/payments/present.ts';
import { paymentLookup } from '../../src/contract/answer-schemas.ts';
import { writeAnswer } from '../../src/contract/json-of.ts';
import type { BillPayment } from '../../src/domain/bill.ts';
import { minor } from '../../src/domain/money.ts';
import type { CollectionTransaction } from '../../src/domain/transaction.ts';
import { completed, first, last, partlyPaid } from './support/paid-bills.ts';
import { bill, now, qr, settled } from './support/transactions.ts';

const textOf = (transaction: CollectionTransaction, payments: BillPayment[] = []) =>
  writeAnswer(presentPayment(transaction, now, payments), 'en');
const paymentOf = (transaction: CollectionTransaction, payments: BillPayment[] = []) =>
  paymentLookup.parse(JSON.parse(textOf(transaction, payments))).payment;
const finalAt = (at: string) => ({ updatedAt: at, statusAt: at });

describe('lookups of bills', () => {
  it('shows what it is for, as it was sent', () => {
    const text = textOf({ ...bill, bill: { ...bill.bill, description: 'School fees' } });
    assert.match(text, /"outstanding":"25,000.00"},"description":"School fees","payments":\[\]/);
    paymentLookup.parse(JSON.parse(text));
  });

  it('shows no payment that was accepted between the two reads beside the older sum', () => {
    assert.equal(paymentOf(partlyPaid, [first, last]).payments?.length, 1);
    assert.equal(textOf(partlyPaid, [first, last]), textOf(partlyPaid, [first]));
  });

  it('shows a completed one with the sum of fees, and nothing outstanding after an overshooting payment', () => {
    const { fee, settled: kept, bill: shown } = paymentOf(completed, [first, last]);
    assert.deepEqual([fee, kept], ['195.00', '12,805.00']);
    assert.deepEqual([shown?.paid, shown?.outstanding], ['13,000.00', '0.00']);
  });

  it('shows one that expired partly paid with what was paid, and without fee and settled at the top', () => {
    const failureCode = 'expired_partially_paid';
    const expired = { status: 'failed', event: 'payment.failed', failureCode } as const;
    const payment = paymentOf({ ...partlyPaid, ...finalAt(settled), ...expired }, [first]);
    assert.equal(payment.failure_code, 'expired_partially_paid');
    assert.equal(payment.failure_reason, 'Paid only in part before it expired');
    assert.equal(payment.bill?.paid, '10,000.00');
    assert.deepEqual(payment.payments, paymentOf(partlyPaid, [first]).payments);
    assert.deepEqual(
      [payment.fee, payment.settled, payment.status_reason],
      [undefined, undefined, undefined],
    );
  });

  it('says that it is being closed once its time is over, and what it waits for whoever looks into it', () => {
    const over = { ...bill, bill: { ...bill.bill, expiresAt: '2026-11-20T08:15:59.000000Z' } };
    assert.equal(paymentOf(over).status_reason, 'The time to pay it is over; it is being closed');
    const watched = { ...bill, attention: true };
    assert.equal(
      paymentOf(watched).status_reason,
      'Waiting for the customer to pay control number 770000000049',
    );
  });
});

describe('lookups of QR codes', () => {
  it('never shows the number of one', () => assert.doesNotMatch(textOf(qr), /770000000017/));

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
    const { bill: shown, payments, expires_at, ...payment } = paymentOf(paid);
    assert.deepEqual([shown, payments, expires_at], [undefined, undefined, undefined]);
    assert.deepEqual(payment.channel, { name: 'M-PESA', reference: 'CKL5T8Q9ZZ' });
    assert.deepEqual(payment.customer, { full_name: 'ASHA JUMA', phone_number: '0754123456' });
    assert.deepEqual([payment.fee, payment.settled], ['150.00', '14,850.00']);
  });

  it('shows an expired one like a push', () => {
    const expired = { status: 'failed', event: 'payment.failed', failureCode: 'expired' } as const;
    const payment = paymentOf({ ...qr, ...finalAt(settled), ...expired });
    assert.deepEqual(
      [payment.failure_reason, payment.failure_code, payment.bill, payment.expires_at],
      ['Not paid before it expired', 'expired', undefined, undefined],
    );
  });
});
