import { z } from 'zod';
import type { CallbackEventName } from '../domain/event.ts';
import { paymentModes, payoutModes } from '../domain/kinds.ts';
import { bill, paidNumber } from './answer-schemas.ts';
import { batchNumber, batchTotals } from './batch-schemas.ts';
import { sequence, sequenceDescription } from './callback-answers.ts';
import * as fields from './fields.ts';
import { eventId, money, timestamp, uuid } from './fields.ts';

/** OpenAPI publishes these schemas as webhooks; src/callbacks/event.ts checks callbacks by them. */

const named = <const Name extends CallbackEventName>(name: Name) =>
  z.literal(name).meta({ description: 'The latest event' });
const first = {
  event_id: eventId,
  sequence: sequence.meta({ description: sequenceDescription }),
  transaction_id: fields.transactionId,
};
const failure = { failure_reason: fields.failureReason, failure_code: fields.failureCode };

const payment = {
  transaction_mode: z.enum(paymentModes).meta(fields.mode),
  transaction_currency: fields.transactionCurrency,
  channel: fields.channelOrNone,
  customer: fields.customer,
  metadata: fields.metadata,
  bill: bill.optional(),
  number: paidNumber.optional(),
  created_at: fields.createdAt,
  updated_at: fields.updatedAt,
  timestamp: fields.stateSince,
};

const amount = z.strictObject({ value: fields.value }).meta(fields.howMuch);
const payout = {
  transaction_mode: z.enum(payoutModes).meta(fields.mode),
  transaction_currency: fields.transactionCurrency,
  channel: fields.channel,
  amount,
  payout_reference: fields.payoutReference,
  beneficiary: fields.beneficiary,
  ...fields.besidePayout,
  refund_of: fields.refundOf,
  created_at: fields.createdAt,
  timestamp: fields.stateSince,
};

export const callbackSchemas = {
  'payment.received': z.strictObject({
    event: named('payment.received'),
    ...first,
    ...payment,
    amount: z
      .strictObject({
        value: fields.value,
        fee: money.meta({ description: 'Our fee for the payment that this callback is about' }),
        settled: fields.settled,
      })
      .meta(fields.howMuch),
    receipt_url: fields.receiptUrl,
  }),
  'payment.failed': z.strictObject({
    event: named('payment.failed'),
    ...first,
    ...payment,
    amount,
    ...failure,
  }),
  'payout.completed': z.strictObject({
    event: named('payout.completed'),
    ...first,
    ...payout,
    fee: fields.fee,
    paid_at: fields.paidAt,
    receipt_url: fields.receiptUrl,
  }),
  'payout.failed': z.strictObject({
    event: named('payout.failed'),
    ...first,
    ...payout,
    ...failure,
    // Client generators cannot express a type that is always null.
    paid_at: z.null().meta({ type: ['string', 'null'], const: null, description: fields.paidAtDescription }),
  }),
  'payout.returned': z.strictObject({
    event: named('payout.returned'),
    ...first,
    ...payout,
    returned_at: fields.returnedAt,
    return_reason: fields.returnReason,
    paid_at: fields.paidAt,
  }),
  'batch.finished': z.strictObject({
    event: named('batch.finished'),
    event_id: eventId,
    batch_id: uuid.meta({ description: 'The id of the batch' }),
    batch_number: batchNumber,
    status: z.enum(['finished', 'cancelled']).meta(fields.state),
    status_reason: z.string().meta({ description: fields.statusReasonDescription }).optional(),
    totals: batchTotals,
    timestamp: fields.stateSince,
  }),
  'callbacks.address_changed': z.strictObject({
    event: named('callbacks.address_changed'),
    event_id: eventId,
    timestamp: fields.stateSince,
    changed_by: z.enum(['merchant', 'operator']).meta({
      description: 'Who changed it: `merchant` (one of your API keys) or `operator` (two people of ours)',
    }),
    new_host: z
      .string()
      .nullable()
      .meta({ description: 'The host of the new URL; null when the URL was removed' }),
  }),
  'settlement.account_changed': z.strictObject({
    event: named('settlement.account_changed'),
    event_id: eventId,
    timestamp: fields.stateSince,
    new_account: z.string().meta({ description: 'Your bank or network, and the number, masked' }),
    paid_from: timestamp.meta({
      description: 'Nothing is settled to the new account before this time',
    }),
  }),
  ping: z.strictObject({ event: named('ping'), event_id: eventId, timestamp: fields.stateSince }),
} satisfies Record<CallbackEventName, z.ZodType>;
