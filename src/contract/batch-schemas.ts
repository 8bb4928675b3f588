import { z } from 'zod';
import { BATCH_ITEMS_MAX, batchStatuses, itemStatuses } from '../domain/batch.ts';
import * as fields from './fields.ts';
import { money, ok, timestamp, uuid } from './fields.ts';
import { sentence } from './json-of.ts';

const count = z.int().min(0);
export const batchTotals = z
  .strictObject({
    items: z.int().min(1).max(BATCH_ITEMS_MAX).meta({ description: 'How many items it has' }),
    amount: money.meta({ description: 'The sum of their amounts, without fees' }),
    fees: money.meta({ description: 'The sum of their fees' }),
    paid: count.meta({ description: 'How many are paid' }),
    failed: count.meta({ description: 'How many failed' }),
    cancelled: count.meta({ description: 'How many were cancelled' }),
  })
  .meta({
    id: 'BatchTotals',
    description: 'The number of items, their sums, and how many have ended',
  });
export const batchNumber = z.string().meta({ description: 'Your own number of the batch' });
const place = { description: 'Its place, from 1, without a header' };
const row = z.int().min(1).meta(place);
export const itemRow = row.max(BATCH_ITEMS_MAX).meta(place);
const batch = z
  .strictObject({
    id: uuid.meta({ description: 'The id of the batch' }),
    batch_number: batchNumber,
    status: z
      .enum(batchStatuses)
      .meta({ description: '`draft`, `scheduled`, `running`, `paused`, `finished` or `cancelled`' }),
    status_reason: sentence
      .meta({ description: 'Why we cancelled or paused it; absent if you did' })
      .optional(),
    items_hash: fields.sha256.meta({
      description: 'The hash of the items: send it with the start, to say which items you have checked',
    }),
    totals: batchTotals,
    errors: z.array(z.strictObject({ row, ...fields.fieldError.shape })).meta({
      description: 'The errors, row by row: a batch with errors cannot start. A list shows the first 10',
    }),
    start_at: timestamp.meta({ description: 'When it starts' }).optional(),
    created_at: fields.createdAt,
    metadata: fields.metadata,
  })
  .meta({ id: 'Batch', description: 'The batch' });
export const batchAnswer = z.strictObject({ ...ok, batch });
export const checkedBatchAnswer = z.strictObject({
  ...ok,
  batch,
  notes: z
    .array(sentence)
    .meta({ description: 'One sentence for each row above the header of the file, which we left out' })
    .optional(),
});
export const batchList = fields.pageOf(batch);

const item = z
  .strictObject({
    row: itemRow,
    transaction_id: uuid.meta({ description: 'Its payout, once it was accepted' }).optional(),
    status: z
      .enum(itemStatuses)
      .meta({ description: '`waiting`, `pending`, `paid`, `failed` or `cancelled`' }),
    failure_code: fields.failureCode.optional(),
    phone_number: z.string().meta({ description: fields.phoneDescription }).optional(),
    account_number: fields.accountNumber.optional(),
    bic: fields.bic.optional(),
    bank_name: fields.bankName.optional(),
    full_name: z.string().meta({ description: fields.nameDescription }).optional(),
    name_match: fields.nameMatch,
    amount: money.meta(fields.howMuch),
    fee: money.meta({ description: 'Its fee, fixed when the batch was checked' }).optional(),
    currency: fields.currency,
    reference: z.string().meta({ description: 'Your own reference of the row' }).optional(),
    payout_reference: z.string().meta({ description: fields.payoutReferenceDescription }).optional(),
    metadata: fields.metadata,
  })
  .meta({ id: 'BatchItem' });
export const batchItemList = fields.pageOf(item);
