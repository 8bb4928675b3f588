import assert from 'node:assert/strict';
import { listItem, presentEntries, presentPayment } from '../../src/api/present.ts';
import { paymentLookup } from '../../src/contract/answer-schemas.ts';
import { writeAnswer } from '../../src/contract/json-of.ts';
import { minor } from '../../src/domain/money.ts';
import type { CollectionTransaction } from '../../src/domain/transaction.ts';
import { assertSame, bank, created, mobile, now, payment, settled } from './support/transactions.ts';

const shownPayment = {
  transaction_id: payment.id,
  transaction_mode: 'ussd',
  transaction_currency: 'TZS',
  channel: { name: 'M-PESA', reference: null as string | null },
  customer: { full_name: null as string | null, phone_number: '0754123456' },
  metadata: { order_id: 'INV-1001', note: 'Two chairs' },
  amount: { value: '5,000.00' },
  created_at: created,
  updated_at: created,
  timestamp: created,
  event: 'payment.pending',
};

function assertPayment(transaction: CollectionTransaction, expected: object): void {
  const text = writeAnswer(presentPayment(transaction, now), 'en');
  paymentLookup.parse(JSON.parse(text));
  const message = 'Payment retrieved successfully';
  assertSame(text, { success: true, message, status: transaction.status, payment: expected });
}

describe('lookups of payments', () => {
  const final = { updatedAt: settled, statusAt: settled };
  const shownFinal = { ...shownPayment, updated_at: settled, timestamp: settled };

  it('shows a pending one with what it waits for', () => {
    const reason = 'Waiting for the customer to enter the PIN, until 2026-11-20T08:20:30Z';
    assertPayment(payment, { ...shownPayment, status_reason: reason });
  });

  it('shows fee and settled only when completed', () => {
    assertPayment(
      {
        ...payment,
        ...final,
        status: 'completed',
        event: 'payment.received',
        settled: minor(490_000),
        channelReference: 'CKL5T8Q2WX',
        fullName: 'ASHA JUMA',
      },
      {
        ...shownFinal,
        channel: { name: 'M-PESA', reference: 'CKL5T8Q2WX' },
        customer: { full_name: 'ASHA JUMA', phone_number: '0754123456' },
        event: 'payment.received',
        fee: '100.00',
        settled: '4,900.00',
      },
    );
  });

  it('shows why a failed one failed, and the reference we sent where the channel gave none', () => {
    assertPayment(
      { ...payment, ...final, status: 'failed', event: 'payment.failed', failureCode: 'customer_declined' },
      {
        ...shownFinal,
        channel: { name: 'M-PESA', reference: payment.reference },
        event: 'payment.failed',
        failure_reason: 'Customer declined the payment',
        failure_code: 'customer_declined',
      },
    );
  });

  it('shows a cancelled one with a status_reason and no failure_reason', () => {
    assertPayment(
      { ...payment, ...final, status: 'cancelled', event: 'payment.failed', handedOverAt: null },
      { ...shownFinal, event: 'payment.failed', status_reason: "Cancelled at the merchant's request" },
    );
  });

  const reasons: [Partial<typeof payment>, string][] = [
    [{ handedOverAt: null, promptExpiresAt: null }, 'The customer is being asked to confirm the payment'],
    [
      { isUnclear: true },
      'It is not clear whether the network took the request; the customer may have paid; the network is being asked',
    ],
    [
      { isUnclear: true, nextEnquiryAt: '2026-11-20T08:16:30.000000Z' },
      'It is not clear whether the network took the request; the customer may have paid; next enquiry at 2026-11-20T08:16:30Z',
    ],
    [
      { promptExpiresAt: '2026-11-20T08:15:59.000000Z' },
      'The network has not confirmed yet; it is being asked',
    ],
    [
      { promptExpiresAt: '2026-11-20T08:15:59.000000Z', nextEnquiryAt: '2026-11-20T08:16:30.000000Z' },
      'The network has not confirmed yet; next enquiry at 2026-11-20T08:16:30Z',
    ],
    [{ attention: true }, 'The outcome is not clear yet; a person is looking into it'],
  ];
  for (const [change, reason] of reasons) {
    it(`says: ${reason}`, () =>
      assertPayment({ ...payment, ...change }, { ...shownPayment, status_reason: reason }));
  }
});

describe('list items and entries', () => {
  it('shows a failed payout with its own reference as the channel reference, and no fee', () => {
    const failed = {
      ...mobile,
      status: 'failed',
      event: 'payout.failed',
      failureCode: 'recipient_not_found',
      fullName: null,
      metadata: '{}',
    } as const;
    assertSame(writeAnswer(listItem(failed), 'en'), {
      transaction_id: mobile.id,
      type: 'payout',
      transaction_mode: 'mobile',
      transaction_currency: 'TZS',
      status: 'failed',
      event: 'payout.failed',
      channel: { name: 'm-pesa', reference: mobile.reference },
      amount: { value: '50,000.00' },
      beneficiary: { phone_number: '0754123456', phone_network: 'm-pesa', full_name: null },
      reference: mobile.reference,
      failure_reason: 'Recipient phone number is invalid',
      failure_code: 'recipient_not_found',
      metadata: {},
      created_at: created,
      updated_at: created,
    });
  });

  it('shows a paid bank payout under the name of its bank', () => {
    const paid = {
      ...bank,
      status: 'paid',
      event: 'payout.completed',
      paidAt: settled,
      channelReference: 'FT1',
    } as const;
    assertSame(writeAnswer(listItem({ ...paid, updatedAt: settled }), 'en'), {
      transaction_id: bank.id,
      type: 'payout',
      transaction_mode: 'bank',
      transaction_currency: 'TZS',
      status: 'paid',
      event: 'payout.completed',
      channel: { name: 'crdb_bank', reference: 'FT1' },
      amount: { value: '400,000.00', fee: '2,360.00' },
      beneficiary: { bank_account: '0150123456789', bank_name: 'CRDB BANK', bank_bic: 'CORUTZTZ' },
      reference: bank.reference,
      paid_at: settled,
      metadata: { order_id: 4001, notes: 'November rent' },
      created_at: created,
      updated_at: settled,
    });
  });

  it('shows settled of a completed payment, and its reference as null', () => {
    const item = listItem({
      ...payment,
      status: 'completed',
      event: 'payment.received',
      settled: minor(490_000),
    });
    const shown = JSON.parse(writeAnswer(item, 'en'));
    assert.deepEqual(shown.amount, { value: '5,000.00', fee: '100.00', settled: '4,900.00' });
    assert.equal(shown.reference, null);
    assert.deepEqual(shown.customer, { full_name: null, phone_number: '0754123456' });
    assert.equal('beneficiary' in shown, false);
  });

  it('shows entries with their sign', () => {
    const entry = {
      transferId: mobile.id,
      kind: 'hold',
      account: 'available',
      amount: minor(-5_100_000),
      currency: 'TZS',
    } as const;
    assertSame(writeAnswer(presentEntries(mobile.id, [{ ...entry, createdAt: created }]), 'en'), {
      success: true,
      message: 'Entries retrieved successfully',
      transaction_id: mobile.id,
      entries: [
        {
          transfer_id: mobile.id,
          kind: 'hold',
          account: 'available',
          amount: '-51,000.00',
          created_at: created,
        },
      ],
    });
  });
});
