import { z } from 'zod';
import { BATCH_ITEMS_MAX, batchStatuses, itemStatuses } from '../domain/batch.ts';
import { currency, failureCode, metadata, money, ok, pagination, timestamp, uuid } from './answer-schemas.ts';
import { sentence } from './json-of.ts';

/** Batches of payouts, as answers and callbacks show them. */

export const batchTotals = z.strictObject({
  items: z.int().min(1).max(BATCH_ITEMS_MAX),
  amount: money,
  fees: money,
  paid: z.int().min(0),
  failed: z.int().min(0),
  cancelled: z.int().min(0),
});
const batch = z
  .strictObject({
    id: uuid,
    batch_number: z.string(),
    status: z.enum(batchStatuses),
    status_reason: sentence.optional(),
    items_hash: z.string().regex(/^[0-9a-f]{64}$/),
    totals: batchTotals,
    errors: z.array(z.strictObject({ row: z.int().min(1), field: z.string(), message: sentence })),
    start_at: timestamp.optional(),
    created_at: timestamp,
    metadata,
  })
  .meta({ id: 'Batch' });
export const batchAnswer = z.strictObject({ ...ok, batch });
/** `notes` say what of a file was left out, or how it was read. */
export const checkedBatchAnswer = z.strictObject({
  ...ok,
  batch,
  notes: z.array(sentence).optional(),
});
export const batchList = z.strictObject({ ...ok, data: z.array(batch), pagination });

export const itemRow = z.int().min(1).max(BATCH_ITEMS_MAX);
const item = z
  .strictObject({
    row: itemRow,
    transaction_id: uuid.optional(),
    status: z.enum(itemStatuses),
    failure_code: failureCode.optional(),
    phone_number: z.string().optional(),
    account_number: z.string().optional(),
    bic: z.string().optional(),
    bank_name: z.string().optional(),
    full_name: z.string().optional(),
    name_match: z.boolean().nullable(),
    amount: money,
    fee: money.optional(),
    currency,
    reference: z.string().optional(),
    payout_reference: z.string().optional(),
    metadata,
  })
  .meta({ id: 'BatchItem' });
export const batchItemList = z.strictObject({ ...ok, data: z.array(item), pagination });
