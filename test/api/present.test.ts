import assert from 'node:assert/strict';
import { paymentLookup, payoutLookup } from '../../src/api/answer-schemas.ts';
import { toJsonText } from '../../src/api/json-text.ts';
import { listItem, presentEntries, presentPayment, presentPayout } from '../../src/api/present.ts';
import { minor } from '../../src/domain/money.ts';
import { flowTiming } from '../../src/domain/timing.ts';
import type { Transaction } from '../../src/domain/transaction.ts';

const created = '2026-11-20T08:15:30.123456Z';
const settled = '2026-11-20T08:15:58.904217Z';
const now = new Date('2026-11-20T08:16:00Z');
const note = '{"order_id":"INV-1001","note":"Two chairs"}';

const payment: Transaction = {
  id: '09c97599-0ab0-5cb9-ad18-d6327c66ef03',
  accountId: '5f0f4a4e-9d52-4c0e-8f3a-6d1a7b2c9e41',
  apiKeyId: 'key',
  type: 'payment',
  mode: 'ussd',
  status: 'pending',
  event: 'payment.pending',
  amount: minor(500_000),
  currency: 'TZS',
  fee: minor(10_000),
  feeVersion: '2025-01',
  settled: null,
  channel: 'm-pesa',
  reference: 'PY0000000000000000',
  channelReference: null,
  msisdn: '255754123456',
  fullName: null,
  bic: null,
  accountNumber: null,
  metadata: note,
  failureCode: null,
  timing: flowTiming(
    'push',
    { promptTtlMs: 300_000, firstEnquiryAfterMs: 60_000, settleTimeMs: 60_000 },
    'normal',
  ),
  promptExpiresAt: '2026-11-20T08:20:30.000000Z',
  nextEnquiryAt: null,
  handedOverAt: created,
  paidAt: null,
  returnedAt: null,
  returnReason: null,
  attention: false,
  createdAt: created,
  updatedAt: created,
  statusAt: created,
};

const mobile: Transaction = {
  ...payment,
  id: 'd9e6e47f-5f57-5c65-91cf-ad3f9294eb44',
  type: 'payout',
  mode: 'mobile',
  event: 'payout.pending',
  amount: minor(5_000_000),
  fee: minor(100_000),
  reference: 'POBHJS3KXD7Y999TT4',
  fullName: 'ASHA JUMA',
  metadata: '{"order_id":"WD-3001","note":"Withdrawal"}',
  promptExpiresAt: null,
  nextEnquiryAt: '2026-11-20T08:17:00.000000Z',
};

const bank: Transaction = {
  ...mobile,
  id: '8f81e959-b399-501e-8691-e48151c57788',
  mode: 'bank',
  amount: minor(40_000_000),
  fee: minor(236_000),
  channel: 'bank',
  reference: 'POA0F8D4F4G58WAXW8',
  msisdn: null,
  fullName: 'Asha Juma',
  bic: 'CORUTZTZ',
  accountNumber: '0150123456789',
  metadata: '{"order_id":4001,"notes":"November rent"}',
  nextEnquiryAt: null,
};

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

/** Compares with the order of keys: merchants' fixtures are often compared as text. */
function assertSame(text: string, expected: unknown): void {
  assert.equal(JSON.stringify(JSON.parse(text), null, 1), JSON.stringify(expected, null, 1));
}

function assertPayment(transaction: Transaction, expected: object): void {
  const text = presentPayment(transaction, now);
  paymentLookup.parse(JSON.parse(text));
  const message = 'Payment retrieved successfully';
  assertSame(text, { success: true, message, status: transaction.status, payment: expected });
}

function assertPayout(transaction: Transaction, expected: object): void {
  const text = presentPayout(transaction, now);
  payoutLookup.parse(JSON.parse(text));
  const message = 'Payout retrieved successfully';
  assertSame(text, { success: true, message, status: transaction.status, payout: expected });
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

  it('shows why a failed one failed', () => {
    assertPayment(
      { ...payment, ...final, status: 'failed', event: 'payment.failed', failureCode: 'customer_declined' },
      {
        ...shownFinal,
        event: 'payment.failed',
        failure_reason: 'Customer declined the payment',
        failure_code: 'customer_declined',
      },
    );
  });

  it('shows a cancelled one with a status_reason and no failure_reason', () => {
    assertPayment(
      { ...payment, ...final, status: 'cancelled', event: 'payment.failed' },
      { ...shownFinal, event: 'payment.failed', status_reason: "Cancelled at the merchant's request" },
    );
  });

  const reasons: [Partial<Transaction>, string][] = [
    [{ handedOverAt: null, promptExpiresAt: null }, 'Waiting to be handed to the network'],
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

describe('lookups of payouts', () => {
  const mobileBeneficiary = { phone_number: '0754123456', phone_network: 'm-pesa', full_name: 'ASHA JUMA' };
  const bankBeneficiary = { bank_account: '0150123456789', bank_name: 'CRDB BANK', bank_bic: 'CORUTZTZ' };
  const mobileTail = {
    transaction_currency: 'TZS',
    payout_reference: mobile.reference,
    beneficiary: mobileBeneficiary,
    metadata: { order_id: 'WD-3001', note: 'Withdrawal' },
    created_at: created,
    updated_at: created,
  };
  const bankTail = {
    ...mobileTail,
    payout_reference: bank.reference,
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
    assertSame(toJsonText(listItem(failed)), {
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
    assertSame(toJsonText(listItem({ ...paid, updatedAt: settled })), {
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
    const shown = JSON.parse(toJsonText(item));
    assert.deepEqual(shown.amount, { value: '5,000.00', fee: '100.00', settled: '4,900.00' });
    assert.equal(shown.reference, null);
    assert.deepEqual(shown.customer, { full_name: null, phone_number: '0754123456' });
    assert.equal('beneficiary' in shown, false);
  });

  it('shows entries with their sign', () => {
    const entry = { transferId: mobile.id, kind: 'hold', account: 'available', amount: minor(-5_100_000) };
    assertSame(presentEntries(mobile.id, [{ ...entry, createdAt: created }]), {
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
