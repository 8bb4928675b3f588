import type { z } from 'zod';
import type {
  balanceAnswer,
  bankList,
  transactionAnswer,
  transactionItem,
  transactionList,
} from '../../../contract/answer-schemas.ts';
import type { Examples } from '../../../contract/json-of.ts';
import type { entriesAnswer } from '../../../contract/statement-schemas.ts';
import { pageOf } from './page.ts';
import { account, unnamedWallet } from './payout.ts';
import { REFUND_ID, REFUND_REFERENCE, REFUNDED_ID, refundMetadata } from './refund.ts';

/** Examples of the OpenAPI document about lists, the balance and entries. */

type Item = z.output<typeof transactionItem>;
type Entry = z.output<typeof entriesAnswer>['entries'][number];

const bankPayout: Item = {
  transaction_id: '8f81e959-b399-501e-8691-e48151c57788',
  type: 'payout',
  transaction_mode: 'bank',
  transaction_currency: 'TZS',
  status: 'paid',
  event: 'payout.completed',
  channel: { name: 'crdb_bank', reference: 'FT26324XQ81' },
  amount: { value: '400,000.00', fee: '2,360.00' },
  beneficiary: account,
  reference: 'POA0F8D4F4G58WAXW8',
  paid_at: '2026-11-20T08:41:12.000001Z',
  metadata: { order_id: 4001, notes: 'November rent' },
  created_at: '2026-11-20T08:40:00.000310Z',
  updated_at: '2026-11-20T08:41:12.000001Z',
};

const failedPayout: Item = {
  transaction_id: '7623ce68-c35b-56f3-8568-079931b50f4f',
  type: 'payout',
  transaction_mode: 'mobile',
  transaction_currency: 'TZS',
  status: 'failed',
  event: 'payout.failed',
  channel: { name: 'm-pesa', reference: 'POAVSRAT07K4RVA3TF' },
  amount: { value: '50,000.00' },
  beneficiary: unnamedWallet,
  reference: 'POAVSRAT07K4RVA3TF',
  failure_reason: 'Recipient phone number is invalid',
  failure_code: 'recipient_not_found',
  metadata: {},
  created_at: '2026-11-20T08:30:00.000310Z',
  updated_at: '2026-11-20T08:30:09.118800Z',
};

const push: Item = {
  transaction_id: '09c97599-0ab0-5cb9-ad18-d6327c66ef03',
  type: 'payment',
  transaction_mode: 'ussd',
  transaction_currency: 'TZS',
  status: 'completed',
  event: 'payment.received',
  channel: { name: 'M-PESA', reference: 'CKL5T8Q2WX' },
  amount: { value: '5,000.00', fee: '100.00', settled: '4,900.00' },
  customer: { full_name: 'ASHA JUMA', phone_number: '0754123456' },
  reference: null,
  metadata: { order_id: 'INV-1001', note: 'Two chairs' },
  created_at: '2026-11-20T08:15:30.123456Z',
  updated_at: '2026-11-20T08:15:58.904217Z',
};

const refund: Item = {
  ...failedPayout,
  transaction_id: REFUND_ID,
  transaction_mode: 'refund',
  status: 'pending',
  event: 'payout.pending',
  channel: { name: 'm-pesa', reference: REFUND_REFERENCE },
  amount: { value: '2,000.00', fee: '300.00' },
  reference: REFUND_REFERENCE,
  failure_reason: undefined,
  failure_code: undefined,
  refund_of: REFUNDED_ID,
  metadata: refundMetadata,
};

const FOUND = 'Transactions retrieved successfully';
const transactions = pageOf(FOUND, [bankPayout, failedPayout, push]);

export const listAnswers = {
  transactions,
  a_refund_and_its_payment: pageOf(FOUND, [refund, { ...push, refunded: '2,000.00' }]),
  beyond_the_last_page: pageOf(FOUND, [], 3, 9),
  more_than_were_counted: {
    ...transactions,
    pagination: {
      ...transactions.pagination,
      last_page: 5_000,
      total_items: 100_000,
      total_is_minimum: true,
    },
  },
} satisfies Examples<typeof transactionList>;

export const transactionAnswers = {
  payment: { success: true, message: 'Transaction retrieved successfully', data: push },
  payout: { success: true, message: 'Transaction retrieved successfully', data: bankPayout },
} satisfies Examples<typeof transactionAnswer>;

export const bankListAnswers = {
  banks_and_payouts: {
    success: true,
    message: 'Banks retrieved successfully',
    banks: [
      { name: 'CRDB BANK', value: 'crdb_bank', bic: 'CORUTZTZ' },
      { name: 'NMB BANK', value: 'nmb_bank', bic: 'NMIBTZTZ' },
    ],
    payouts: [bankPayout],
    pagination: { current_page: 1, last_page: 1, per_page: 20, total_items: 1 },
  },
} satisfies Examples<typeof bankList>;

export const balanceAnswers = {
  balance: {
    success: true,
    message: 'Balance retrieved successfully',
    currency: 'TZS',
    balance: { current: 1546640, reserved: 453360 },
  },
} satisfies Examples<typeof balanceAnswer>;

const entry = (transfer: 'hold' | 'payout', account: Entry['account'], amount: string): Entry => ({
  transfer_id:
    transfer === 'hold' ? '8d0f3a52-6d1f-5a0e-9a57-2f0a5d1c7e10' : '4b1e7c90-0f57-5a7c-8a3b-9d2c6f1e8a44',
  kind: transfer,
  account,
  amount,
  created_at: transfer === 'hold' ? '2026-11-20T08:15:30.123456Z' : '2026-11-20T08:15:58.904217Z',
});

export const entriesAnswers = {
  paid_payout: {
    success: true,
    message: 'Entries retrieved successfully',
    transaction_id: 'd9e6e47f-5f57-5c65-91cf-ad3f9294eb44',
    entries: [
      entry('hold', 'available', '-51,000.00'),
      entry('hold', 'held', '51,000.00'),
      entry('payout', 'held', '-51,000.00'),
      entry('payout', 'clearing', '50,000.00'),
      entry('payout', 'fees', '1,000.00'),
    ],
  },
} satisfies Examples<typeof entriesAnswer>;
