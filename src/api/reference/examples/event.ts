import type { z } from 'zod';
import type { callbackSchemas } from '../../../contract/callback-schemas.ts';
import type { CallbackEventName } from '../../../domain/event.ts';
import { PAID_NUMBER } from './number.ts';
import { CREATED, RECEIPT, SETTLED } from './payment.ts';
import { account, PAYOUT_RECEIPT, wallet } from './payout.ts';
import { REFUND_ID, REFUND_REFERENCE, REFUNDED_ID, refundMetadata } from './refund.ts';

type Body<E extends CallbackEventName> = z.output<(typeof callbackSchemas)[E]>;

const PARTLY = '2026-11-21T10:00:01.000412Z';

const push: Body<'payment.received'> = {
  event: 'payment.received',
  event_id: 'evt_cb17153c834e5bb197ec6e9dc52ab9fe',
  sequence: 1,
  transaction_id: '09c97599-0ab0-5cb9-ad18-d6327c66ef03',
  transaction_mode: 'ussd',
  transaction_currency: 'TZS',
  channel: { name: 'M-PESA', reference: 'CKL5T8Q2WX' },
  amount: { value: '5,000.00', fee: '100.00', settled: '4,900.00' },
  customer: { phone_number: '0754123456', full_name: 'ASHA JUMA' },
  metadata: { order_id: 'INV-1001', note: 'Two chairs' },
  receipt_url: RECEIPT,
  created_at: CREATED,
  updated_at: SETTLED,
  timestamp: SETTLED,
};

const partOfABill: Body<'payment.received'> = {
  ...push,
  event_id: 'evt_7f79158b19b655838d9678c4afa88dea',
  transaction_id: '3b161423-163b-581c-afc4-20dfe84202ba',
  transaction_mode: 'billpay',
  channel: { name: 'M-PESA', reference: 'CKL6A1B2C3' },
  amount: { value: '10,000.00', fee: '150.00', settled: '9,850.00' },
  metadata: {},
  bill: {
    amount: '12,500.50',
    reference: '770000000058',
    mode: 'flexible',
    payment_number: 'INV-2002',
    paid: '10,000.00',
    outstanding: '2,500.50',
  },
  receipt_url: 'https://lipa.example.com/r/dPq3Wm8sXz0LrT5nYc2Vfg',
  updated_at: PARTLY,
  timestamp: PARTLY,
};

const ofANumber: Body<'payment.received'> = {
  ...push,
  event_id: 'evt_0d2f6b7f7a5f4a9ab6ce1f1f2a2d7f10',
  transaction_id: 'b0a3c6fb-5e5b-5a0c-9a57-0d5f1c6c1d3e',
  transaction_mode: 'number',
  channel: { name: 'M-PESA', reference: 'CKL6A1B2C9' },
  amount: { value: '10,000.00', fee: '150.00', settled: '9,850.00' },
  metadata: { class: 'Form 2 B' },
  number: PAID_NUMBER,
  receipt_url: 'https://lipa.example.com/r/Cw5hUd2yKf7NbE0vSj3PqQ',
  created_at: PARTLY,
  updated_at: PARTLY,
  timestamp: PARTLY,
};

const { receipt_url: _receipt, ...unpaid } = push;
const declined: Body<'payment.failed'> = {
  ...unpaid,
  event: 'payment.failed',
  event_id: 'evt_346a26360b585a5282eb720054c0fd20',
  transaction_id: '9cadd976-9734-5f14-bedc-ec3e5c05f474',
  channel: { name: 'M-PESA', reference: 'CKL5T8Q3AB' },
  amount: { value: '5,000.00' },
  customer: { phone_number: '0754123456', full_name: null },
  metadata: {},
  failure_reason: 'Customer declined the payment',
  failure_code: 'customer_declined',
};

const mobilePayout: Body<'payout.completed'> = {
  event: 'payout.completed',
  event_id: 'evt_5f91a5899bc15712914cb0291b818e70',
  sequence: 1,
  transaction_id: 'd9e6e47f-5f57-5c65-91cf-ad3f9294eb44',
  transaction_mode: 'mobile',
  transaction_currency: 'TZS',
  channel: { name: 'm-pesa', reference: 'CKL7P0O9I8' },
  amount: { value: '50,000.00' },
  fee: '1,000.00',
  payout_reference: 'POBHJS3KXD7Y999TT4',
  beneficiary: wallet,
  metadata: { order_id: 'WD-3001', note: 'Withdrawal' },
  paid_at: SETTLED,
  receipt_url: PAYOUT_RECEIPT,
  created_at: CREATED,
  timestamp: SETTLED,
};

const refund: Body<'payout.completed'> = {
  ...mobilePayout,
  event_id: 'evt_0b6e2f9d4c7a4e1f8a5b3c2d1e0f9a8b',
  transaction_id: REFUND_ID,
  transaction_mode: 'refund',
  amount: { value: '2,000.00' },
  fee: '300.00',
  payout_reference: REFUND_REFERENCE,
  metadata: refundMetadata,
  refund_of: REFUNDED_ID,
  receipt_url: 'https://lipa.example.com/r/Xb5vJc9uHi2RoT7fKe3SyQ',
};

const { fee: _, receipt_url: _none, ...withoutFee } = mobilePayout;
const failedBankPayout: Body<'payout.failed'> = {
  ...withoutFee,
  event: 'payout.failed',
  event_id: 'evt_ad3cc03dc6a75a8a9a2197097cb72345',
  transaction_id: '1a7ff7fc-6cef-5a02-b642-d8f28ee5cfcf',
  transaction_mode: 'bank',
  channel: { name: 'crdb_bank', reference: 'FT26324XQ99' },
  amount: { value: '400,000.00' },
  failure_reason: 'Bank account not found',
  failure_code: 'invalid_account',
  payout_reference: 'POB81BCGPRYA7EBKYF',
  beneficiary: account,
  metadata: {},
  paid_at: null,
};

const returnedBankPayout: Body<'payout.returned'> = {
  ...withoutFee,
  event: 'payout.returned',
  event_id: 'evt_2f6de0a1c48b47e5b9d1a7c3f0e89b54',
  sequence: 2,
  transaction_id: '8f81e959-b399-501e-8691-e48151c57788',
  transaction_mode: 'bank',
  channel: { name: 'crdb_bank', reference: 'FT26324XQ81' },
  amount: { value: '400,000.00' },
  returned_at: '2026-11-23T07:02:11.000731Z',
  return_reason: 'AC04',
  payout_reference: 'POA0F8D4F4G58WAXW8',
  beneficiary: account,
  metadata: { order_id: 4001, notes: 'November rent' },
  timestamp: '2026-11-23T07:02:11.000731Z',
};

export const eventExamples: { [E in CallbackEventName]: Record<string, Body<E>> } = {
  'payment.received': { ussd_push: push, part_of_a_bill: partOfABill, of_a_number: ofANumber },
  'payment.failed': { declined },
  'payout.completed': { mobile: mobilePayout, refund },
  'payout.failed': { bank: failedBankPayout },
  'payout.returned': { bank: returnedBankPayout },
  'batch.finished': {
    salaries: {
      event: 'batch.finished',
      event_id: 'evt_4f8a1c2e6b0d4d7f9a3c5e7b1d9f0a2c',
      batch_id: '7b1d9f0a-2c4f-5a1c-8e6b-0d4d7f9a3c5e',
      batch_number: 'SALARIES-2026-11',
      status: 'finished',
      totals: { items: 5, amount: '1,250,000.00', fees: '7,500.00', paid: 4, failed: 1, cancelled: 0 },
      timestamp: SETTLED,
    },
  },
  'callbacks.address_changed': {
    changed: {
      event: 'callbacks.address_changed',
      event_id: 'evt_2b7d0c4e8f1a4c6d9e3b5a7f0c2d4e6b',
      timestamp: SETTLED,
      changed_by: 'operator',
      new_host: 'shop.example',
    },
  },
  'settlement.account_changed': {
    changed: {
      event: 'settlement.account_changed',
      event_id: 'evt_5d1f8b3a6c2e4f7090a4d8e2b7c5f1a3',
      timestamp: SETTLED,
      new_account: 'CORUTZTZ 0150***789',
      paid_from: '2026-11-22T08:15:31.654321Z',
    },
  },
  ping: { ping: { event: 'ping', event_id: 'evt_7c0e4a1b5d9f4e2a8b3c6d1e0f2a4b6c', timestamp: SETTLED } },
};
