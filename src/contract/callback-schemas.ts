import { z } from 'zod';
import type { CallbackEventName } from '../domain/event.ts';
import { paymentModes, payoutModes } from '../domain/kinds.ts';
import {
  batchId,
  beneficiary,
  bill,
  currency,
  customer,
  failureCode,
  metadata,
  money,
  paidNumber,
  payoutReference,
  receiptUrl,
  refundOf,
  timestamp,
  uuid,
} from './answer-schemas.ts';
import { batchTotals } from './batch-schemas.ts';
import { eventId } from './callback-answers.ts';

/** The schemas of callbacks (src/callbacks/event.ts makes them): published as webhooks, and held against what is sent. */

const first = { event_id: eventId, sequence: z.int().min(1), transaction_id: uuid };
const failure = { failure_reason: z.string(), failure_code: failureCode };

const payment = {
  transaction_mode: z.enum(paymentModes),
  transaction_currency: currency,
  channel: z.strictObject({ name: z.string(), reference: z.string().nullable() }),
  customer,
  metadata,
  bill: bill.optional(),
  number: paidNumber.optional(),
  created_at: timestamp,
  updated_at: timestamp,
  timestamp,
};

const payout = {
  transaction_mode: z.enum(payoutModes),
  transaction_currency: currency,
  channel: z.strictObject({ name: z.string(), reference: z.string() }),
  amount: z.strictObject({ value: money }),
  payout_reference: payoutReference,
  beneficiary,
  metadata,
  batch_id: batchId,
  refund_of: refundOf,
  created_at: timestamp,
  timestamp,
};

/** An event without a schema does not compile. */
export const callbackSchemas = {
  'payment.received': z.strictObject({
    event: z.literal('payment.received'),
    ...first,
    ...payment,
    amount: z.strictObject({ value: money, fee: money, settled: money }),
    receipt_url: receiptUrl,
  }),
  'payment.failed': z.strictObject({
    event: z.literal('payment.failed'),
    ...first,
    ...payment,
    amount: z.strictObject({ value: money }),
    ...failure,
  }),
  'payout.completed': z.strictObject({
    event: z.literal('payout.completed'),
    ...first,
    ...payout,
    fee: money,
    paid_at: timestamp,
    receipt_url: receiptUrl,
  }),
  'payout.failed': z.strictObject({
    event: z.literal('payout.failed'),
    ...first,
    ...payout,
    ...failure,
    // Makers of clients know no type that is always null.
    paid_at: z.null().meta({ type: ['string', 'null'], const: null }),
  }),
  'payout.returned': z.strictObject({
    event: z.literal('payout.returned'),
    ...first,
    ...payout,
    returned_at: timestamp,
    return_reason: z.string(),
    paid_at: timestamp,
  }),
  'batch.finished': z.strictObject({
    event: z.literal('batch.finished'),
    event_id: eventId,
    batch_id: uuid,
    batch_number: z.string(),
    status: z.enum(['finished', 'cancelled']),
    status_reason: z.string().optional(),
    totals: batchTotals,
    timestamp,
  }),
  'callbacks.address_changed': z.strictObject({
    event: z.literal('callbacks.address_changed'),
    event_id: eventId,
    timestamp,
    changed_by: z.enum(['merchant', 'operator']),
    new_host: z.string().nullable(),
  }),
  'settlement.account_changed': z.strictObject({
    event: z.literal('settlement.account_changed'),
    event_id: eventId,
    timestamp,
    new_account: z.string(),
    paid_from: timestamp,
  }),
  ping: z.strictObject({ event: z.literal('ping'), event_id: eventId, timestamp }),
} satisfies Record<CallbackEventName, z.ZodType>;
