import type { z } from 'zod';
import type { billAnswer, paymentLookup, qrAnswer } from '../../../contract/answer-schemas.ts';
import type { Examples } from '../../../contract/json-of.ts';
import { CREATED, lookup } from './payment.ts';

type Payment = z.output<typeof paymentLookup>['payment'];
type BillPayment = NonNullable<Payment['payments']>[number];

const transaction_id = 'c179a25f-97de-58e3-93a4-6a41050f5e6c';
const PAID = '2026-11-21T10:00:01.000412Z';
const COMPLETED = '2026-11-22T09:17:44.310009Z';
const EXPIRES = '2027-02-18T08:15:30.123456Z';
const metadata = { order_id: 'INV-2001', customer_note: 'School fees, term 1' };
const asha = { full_name: 'ASHA JUMA', phone_number: '0754123456' };

export const billBodies = {
  exact: {
    amount: 25000,
    payment_number: 'INV-2001',
    payment_mode: 'exact',
    description: 'School fees, term 1',
    metadata,
  },
  flexible: {
    amount: 12500.5,
    payment_number: 'INV-2002',
    payment_mode: 'flexible',
    description: 'Club membership',
  },
} as const;

export const billAnswers = {
  created: {
    success: true,
    message: 'The bill order has been created',
    transaction_id,
    bill: { amount: '25,000.00', reference: '770000000049', mode: 'exact' },
    pay_url: 'https://lipa.example.com/pay/hU3lK0p9Qf2cWzR7dYb1Tg',
    metadata,
    expires_at: EXPIRES,
  },
} satisfies Examples<typeof billAnswer>;

export const qrBodies = {
  qr: { amount: 15000, currency: 'TZS', description: 'Order INV1001', metadata: {} },
};

const qr_id = 'f600530a-6abd-5cd8-8a47-280d901ebdc4';
const QR_EXPIRES = '2026-11-20T08:30:30.123456Z';

export const qrAnswers = {
  created: {
    success: true,
    message: 'Show this QR code to the customer',
    transaction_id: qr_id,
    transaction_channel: 'DYNAMIC-QR',
    amount: { value: 15000, currency: 'TZS' },
    metadata: {},
    transaction_mode: 'qr',
    qr: {
      payload:
        '00020101021226390014tz.go.bot.tips0105020010208447190385204599953038345405150005802TZ5909DEMO SHOP6013DAR ES SALAAM61051110162320112770000000017051277000000001763049BA4',
      // The first bytes of a PNG; a real one has about 2,000.
      image: 'data:image/png;base64,iVBORw0KGgo=',
      expires_at: QR_EXPIRES,
    },
  },
} satisfies Examples<typeof qrAnswer>;

const base = {
  transaction_id,
  transaction_mode: 'billpay',
  transaction_currency: 'TZS',
  channel: { name: 'BILLPAY', reference: null as string | null },
  customer: { full_name: null as string | null, phone_number: null as string | null },
  metadata,
  amount: { value: '25,000.00' },
  created_at: CREATED,
  updated_at: CREATED,
  timestamp: CREATED,
} satisfies Partial<Payment>;
const bill = {
  amount: '25,000.00',
  reference: '770000000049',
  mode: 'exact',
  payment_number: 'INV-2001',
  paid: '0.00',
  outstanding: '25,000.00',
} satisfies Payment['bill'];
const unpaid = { bill, payments: [], expires_at: EXPIRES } satisfies Partial<Payment>;

const flexible = {
  ...base,
  transaction_id: '3b161423-163b-581c-afc4-20dfe84202ba',
  metadata: {},
  amount: { value: '12,500.50' },
  event: 'payment.received',
} satisfies Partial<Payment>;
const flexibleBill = {
  ...bill,
  amount: '12,500.50',
  reference: '770000000058',
  mode: 'flexible',
  payment_number: 'INV-2002',
} satisfies Payment['bill'];
const first = {
  amount: { value: '10,000.00', fee: '150.00', settled: '9,850.00' },
  channel: { name: 'M-PESA', reference: 'CKL6A1B2C3' },
  customer: asha,
  received_at: PAID,
  receipt_url: 'https://lipa.example.com/r/dPq3Wm8sXz0LrT5nYc2Vfg',
} satisfies BillPayment;
const last = {
  amount: { value: '3,000.00', fee: '45.00', settled: '2,955.00' },
  channel: { name: 'AIRTEL-MONEY', reference: 'AM261122.0917.K00231' },
  customer: { full_name: null, phone_number: '0784555666' },
  received_at: COMPLETED,
  receipt_url: 'https://lipa.example.com/r/Zk1uB7eJh4QoGx9aRi6MtA',
} satisfies BillPayment;

const cancelled = lookup('cancelled', {
  ...base,
  updated_at: PAID,
  timestamp: PAID,
  event: 'payment.failed',
  status_reason: "Cancelled at the merchant's request",
  ...unpaid,
});

export const billLookups = {
  bill_pending: lookup('pending', {
    ...base,
    event: 'payment.pending',
    status_reason: 'Waiting for the customer to pay control number 770000000049',
    ...unpaid,
  }),
  bill_partly_paid: lookup('pending', {
    ...flexible,
    channel: first.channel,
    customer: first.customer,
    updated_at: PAID,
    status_reason: '10,000.00 of 12,500.50 paid',
    bill: { ...flexibleBill, paid: '10,000.00', outstanding: '2,500.50' },
    payments: [first],
    expires_at: EXPIRES,
  }),
  bill_completed: lookup('completed', {
    ...flexible,
    channel: last.channel,
    customer: last.customer,
    updated_at: COMPLETED,
    timestamp: COMPLETED,
    fee: '195.00',
    settled: '12,805.00',
    bill: { ...flexibleBill, paid: '13,000.00', outstanding: '0.00' },
    payments: [first, last],
    expires_at: EXPIRES,
  }),
  bill_expired: lookup('failed', {
    ...base,
    updated_at: EXPIRES,
    timestamp: EXPIRES,
    event: 'payment.failed',
    failure_reason: 'Not paid before it expired',
    failure_code: 'expired',
    ...unpaid,
  }),
  bill_cancelled: cancelled,
  qr_pending: lookup('pending', {
    ...base,
    transaction_id: qr_id,
    transaction_mode: 'qr',
    channel: { name: 'DYNAMIC-QR', reference: null },
    metadata: {},
    amount: { value: '15,000.00' },
    event: 'payment.pending',
    status_reason: 'Waiting for the customer to scan and pay',
    expires_at: QR_EXPIRES,
  }),
};

export const cancelledBill = { bill: cancelled };
