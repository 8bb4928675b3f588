import { minor } from '../../../src/domain/money.ts';
import { flowTiming } from '../../../src/domain/timing.ts';
import type { TransactionOf } from '../../../src/domain/transaction.ts';
import { channelTiming } from '../../support/merchant.ts';

/** One of each kind, pending. */
export const created = '2026-11-20T08:15:30.123456Z';
export const settled = '2026-11-20T08:15:58.904217Z';
export const now = new Date('2026-11-20T08:16:00Z');
const note = '{"order_id":"INV-1001","note":"Two chairs"}';

export const payment: TransactionOf<'ussd'> = {
  id: '09c97599-0ab0-5cb9-ad18-d6327c66ef03',
  accountId: '5f0f4a4e-9d52-4c0e-8f3a-6d1a7b2c9e41',
  apiKeyId: 'key',
  mode: 'ussd',
  status: 'pending',
  event: 'payment.pending',
  amount: minor(500_000),
  currency: 'TZS',
  fee: minor(10_000),
  feeVersion: '2025-01',
  settled: null,
  channel: 'm-pesa',
  connection: 'test',
  reference: 'PY0000000000000000',
  channelReference: null,
  msisdn: '255754123456',
  fullName: null,
  metadata: note,
  failureCode: null,
  batchId: null,
  timing: flowTiming('ussd', channelTiming, 'normal'),
  promptExpiresAt: '2026-11-20T08:20:30.000000Z',
  nextEnquiryAt: null,
  waitsUntil: null,
  handedOverAt: created,
  isUnclear: false,
  paidAt: null,
  returnedAt: null,
  returnReason: null,
  refunded: null,
  pays: null,
  attention: false,
  createdAt: created,
  updatedAt: created,
  statusAt: created,
};

export const mobile: TransactionOf<'mobile'> = {
  ...payment,
  id: 'd9e6e47f-5f57-5c65-91cf-ad3f9294eb44',
  mode: 'mobile',
  status: 'pending',
  event: 'payout.pending',
  amount: minor(5_000_000),
  fee: minor(100_000),
  reference: 'POBHJS3KXD7Y999TT4',
  fullName: 'ASHA JUMA',
  metadata: '{"order_id":"WD-3001","note":"Withdrawal"}',
  promptExpiresAt: null,
  nextEnquiryAt: '2026-11-20T08:17:00.000000Z',
};

const { msisdn: _, ...payout } = mobile;

export const bank: TransactionOf<'bank'> = {
  ...payout,
  id: '8f81e959-b399-501e-8691-e48151c57788',
  mode: 'bank',
  amount: minor(40_000_000),
  fee: minor(236_000),
  channel: 'bank',
  reference: 'POA0F8D4F4G58WAXW8',
  fullName: 'Asha Juma',
  bic: 'CORUTZTZ',
  accountNumber: '0150123456789',
  metadata: '{"order_id":4001,"notes":"November rent"}',
  nextEnquiryAt: null,
};

/** An exact bill that nobody has paid yet. */
export const bill: TransactionOf<'billpay'> = {
  ...payment,
  id: 'c179a25f-97de-58e3-93a4-6a41050f5e6c',
  mode: 'billpay',
  amount: minor(2_500_000),
  fee: minor(37_500),
  channel: 'billpay',
  reference: '770000000049',
  msisdn: null,
  metadata: '{"order_id":"INV-2001","customer_note":"School fees, term 1"}',
  promptExpiresAt: null,
  handedOverAt: null,
  bill: {
    controlNumber: '770000000049',
    paymentNumber: 'INV-2001',
    mode: 'exact',
    description: null,
    paid: minor(0),
    payments: 0,
    expiresAt: '2027-02-18T08:15:30.123456Z',
  },
};

/** A dynamic QR code, likewise. */
export const qr: TransactionOf<'qr'> = {
  ...bill,
  id: 'f600530a-6abd-5cd8-8a47-280d901ebdc4',
  mode: 'qr',
  amount: minor(1_500_000),
  fee: minor(15_000),
  channel: 'dynamic-qr',
  reference: '770000000017',
  metadata: '{}',
  bill: {
    ...bill.bill,
    controlNumber: '770000000017',
    paymentNumber: null,
    description: null,
    expiresAt: '2026-11-20T08:30:30.123456Z',
  },
};
