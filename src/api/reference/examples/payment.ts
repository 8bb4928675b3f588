import type { z } from 'zod';
import type { paymentLookup, pushAnswer } from '../../../contract/answer-schemas.ts';
import type { Examples } from '../../../contract/json-of.ts';
import { REFUND_ID } from './refund.ts';

type Lookup = z.output<typeof paymentLookup>;

const transaction_id = '09c97599-0ab0-5cb9-ad18-d6327c66ef03';
const metadata = { order_id: 'INV-1001', note: 'Two chairs' };
export const CREATED = '2026-11-20T08:15:30.123456Z';
export const SETTLED = '2026-11-20T08:15:58.904217Z';

const base = {
  transaction_id,
  transaction_mode: 'ussd',
  transaction_currency: 'TZS',
  channel: { name: 'M-PESA', reference: null as string | null },
  customer: { full_name: null as string | null, phone_number: '0754123456' },
  metadata,
  amount: { value: '5,000.00' },
  created_at: CREATED,
  updated_at: CREATED,
  timestamp: CREATED,
} satisfies Partial<Lookup['payment']>;
const settled = { ...base, updated_at: SETTLED, timestamp: SETTLED };

export const lookup = (status: Lookup['status'], payment: Lookup['payment']): Lookup => ({
  success: true,
  message: 'Payment retrieved successfully',
  status,
  payment,
});

export const pushBodies = {
  push: { amount: 5000, currency: 'TZS', phone_number: '0754123456', metadata },
  ported_number: {
    amount: 5000,
    currency: 'TZS',
    phone_number: '+255 754 123 456',
    transaction_channel: 'AIRTEL-MONEY',
  },
};

export const pushAnswers = {
  accepted: {
    success: true,
    message: 'The customer has been asked to confirm the payment',
    transaction_id,
    transaction_channel: 'M-PESA',
    amount: { value: 5000, currency: 'TZS' },
    metadata,
  },
} satisfies Examples<typeof pushAnswer>;

const cancelled = lookup('cancelled', {
  ...settled,
  event: 'payment.failed',
  status_reason: "Cancelled at the merchant's request",
});

const completed: Lookup['payment'] = {
  ...settled,
  channel: { name: 'M-PESA', reference: 'CKL5T8Q2WX' },
  customer: { full_name: 'ASHA JUMA', phone_number: '0754123456' },
  event: 'payment.received',
  fee: '100.00',
  settled: '4,900.00',
};

/** The receipt of the push of the examples. */
export const RECEIPT = 'https://lipa.example.com/r/KLtYyMGVATVbyjaWlDJEtQ';

export const paymentAnswers = {
  pending: lookup('pending', {
    ...base,
    event: 'payment.pending',
    status_reason: 'Waiting for the customer to enter the PIN, until 2026-11-20T08:20:30Z',
  }),
  completed: { ...lookup('completed', completed), receipt_url: RECEIPT },
  partly_refunded: lookup('completed', {
    ...completed,
    refunded: '2,000.00',
    refunds: [
      {
        transaction_id: REFUND_ID,
        status: 'paid',
        amount: '2,000.00',
        created_at: '2026-11-22T08:15:30.123456Z',
      },
    ],
  }),
  failed: lookup('failed', {
    ...settled,
    channel: { name: 'M-PESA', reference: 'CKL5T8Q3AB' },
    event: 'payment.failed',
    failure_reason: 'Customer declined the payment',
    failure_code: 'customer_declined',
  }),
  cancelled,
};

export const cancelledPayment = { cancelled };
