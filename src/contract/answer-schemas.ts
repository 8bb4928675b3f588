import { z } from 'zod';
import { BILL_PAYMENTS_MAX, billModes } from '../domain/bill.ts';
import { channelStates } from '../domain/channel-health.ts';
import * as events from '../domain/event.ts';
import { failureCodes } from '../domain/failure.ts';
import { merchantModes, paymentModes, transactionTypes } from '../domain/kinds.ts';
import { REFUNDS_MAX } from '../domain/refund.ts';
import { paymentStatuses, payoutStatuses, statuses } from '../domain/transaction.ts';
import { sentence } from './json-of.ts';

/** The OpenAPI document publishes these strict schemas; presenters and examples take their types. */

export const uuid = z.uuid();
export const timestamp = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
  .meta({ example: '2026-11-20T08:15:30.123456Z' });
export const money = z
  .string()
  .regex(/^-?\d{1,3}(,\d{3})*\.\d\d$/)
  .meta({ example: '5,000.00' });
export const metadata = z.record(z.string(), z.unknown());
const phone = z.string().regex(/^0\d{9}$/);
export const controlNumber = z
  .string()
  .regex(/^\d{12}$/)
  .meta({ example: '770000000049' });
export const ok = { success: z.literal(true), message: sentence };
export const currency = z.string().meta({ example: 'TZS' });

const mobileBeneficiary = z.strictObject({
  phone_number: phone,
  phone_network: z.string(),
  full_name: z.string().nullable(),
});
const bankBeneficiary = z.strictObject({
  bank_account: z.string(),
  bank_name: z.string(),
  bank_bic: z.string(),
});
export const beneficiary = z.union([mobileBeneficiary, bankBeneficiary]);
export const customer = z.strictObject({ full_name: z.string().nullable(), phone_number: phone.nullable() });

const operationState = z.enum(channelStates);
export const operations = z
  .strictObject({
    payments: operationState,
    payouts: operationState,
    callbacks: operationState.meta({ description: 'Our callbacks to you' }),
  })
  .meta({ description: 'Whether each kind of work is done at present' });
export const statusAnswer = z.strictObject({ ...ok, operations });

export const pushAnswer = z.strictObject({
  ...ok,
  transaction_id: uuid,
  transaction_channel: z.string(),
  amount: z.strictObject({ value: z.number(), currency }),
  metadata,
});

/** The page to pay on; absent where this installation has none. */
export const payUrl = z
  .string()
  .regex(/^https?:\/\/.+\/pay\/[\w-]{22}$/)
  .optional();
/** The page that shows a payment or payout to whoever has the address; absent where this installation has none. */
export const receiptUrl = z
  .string()
  .regex(/^https?:\/\/.+\/r\/[\w-]{22}$/)
  .optional();
/** `pays` is the bill, QR code or number that gets the money of a push from a page. */
const pays = uuid.optional();

export const billAnswer = z.strictObject({
  ...ok,
  transaction_id: uuid,
  bill: z.strictObject({ amount: money, reference: controlNumber, mode: z.enum(billModes) }),
  pay_url: payUrl,
  metadata,
  expires_at: timestamp,
});

export const qrCode = z.strictObject({
  payload: z.string(),
  image: z.string().regex(/^data:image\/png;base64,[A-Za-z0-9+/]+=*$/),
});

export const qrAnswer = z.strictObject({
  ...ok,
  transaction_id: uuid,
  transaction_channel: z.string(),
  amount: z.strictObject({ value: z.number(), currency }),
  metadata,
  transaction_mode: z.literal('qr'),
  qr: qrCode.extend({ expires_at: timestamp }),
  pay_url: payUrl,
});

const creationBalance = z.strictObject({ current: z.number(), reserved: z.number() });
const creationAmount = z.strictObject({ value: z.number(), currency, fee: z.number() });
const payoutCreation = {
  ...ok,
  balance: creationBalance,
  transaction_id: uuid,
  status: z.literal('initiated'),
  amount: creationAmount,
};
export const mobilePayoutAnswer = z.strictObject({ ...payoutCreation, metadata });
export const refundAnswer = z.strictObject({ ...payoutCreation, refund_of: uuid, metadata });
/** A settlement, whose id is that of its first payout. */
export const settlementAnswer = z.strictObject({
  ...ok,
  balance: payoutCreation.balance,
  settlement: z.strictObject({ id: uuid, amount: z.number(), payouts: z.array(uuid).min(1) }),
  metadata,
});
export const bankPayoutAnswer = z.strictObject({
  ...payoutCreation,
  bank: z.strictObject({ account_number: z.string(), bic: z.string() }),
  metadata,
});

const previewOf = <Party extends z.ZodRawShape>(party: Party) =>
  z.strictObject({
    ...ok,
    preview_id: z.string(),
    expires_at: timestamp,
    amount: z.strictObject({ value: z.number(), currency, fee: z.number(), total: z.number() }),
    balance: z.strictObject({ current: z.number(), reserved: z.number(), sufficient: z.boolean() }),
    channel: z.strictObject({ name: z.string() }),
    beneficiary: z.strictObject({
      full_name: z.string().nullable(),
      name_match: z.boolean().nullable(),
      ...party,
    }),
    limits: z.strictObject({ minimum: z.number(), maximum: z.number() }),
    metadata,
  });
export const mobilePreviewAnswer = previewOf({ phone_number: phone });
export const bankPreviewAnswer = previewOf({
  account_number: z.string(),
  bank_name: z.string(),
  bic: z.string(),
});

/** A bill as lookups and lists show it; what was paid may exceed what was asked. */
export const bill = z.strictObject({
  amount: money,
  reference: controlNumber,
  mode: z.enum(billModes),
  payment_number: z.string(),
  paid: money,
  outstanding: money,
});
/** The standing number that a payment is of. */
export const paidNumber = z.strictObject({
  id: uuid,
  reference: controlNumber,
  customer_reference: z.string(),
});
const billPayment = z.strictObject({
  amount: z.strictObject({ value: money, fee: money, settled: money }),
  channel: z.strictObject({ name: z.string(), reference: z.string() }),
  customer,
  received_at: timestamp,
  receipt_url: receiptUrl,
});

export const failureCode = z.enum(failureCodes);
const failure = { failure_reason: sentence.optional(), failure_code: failureCode.optional() };
export const payoutReference = z.string().regex(/^PO[0-9A-HJKMNP-TV-Z]{16}$/);
const refunded = money
  .meta({
    description: 'What is refunded or on its way back to whoever paid; absent while there was no refund',
  })
  .optional();
export const batchId = uuid.meta({ description: 'Of an item: its batch' }).optional();
export const refundOf = uuid.meta({ description: 'Of a refund: the payment that it gives back' }).optional();
const returned = { returned_at: timestamp.optional(), return_reason: z.string().optional() };

export const paymentLookup = z.strictObject({
  ...ok,
  status: z.enum(paymentStatuses),
  payment: z.strictObject({
    transaction_id: uuid,
    transaction_mode: z.enum(paymentModes),
    transaction_currency: currency,
    channel: z.strictObject({ name: z.string(), reference: z.string().nullable() }),
    customer,
    metadata,
    amount: z.strictObject({ value: money }),
    created_at: timestamp,
    updated_at: timestamp,
    timestamp,
    event: z.enum(events.paymentEvents),
    fee: money.optional(),
    settled: money.optional(),
    ...failure,
    status_reason: sentence.optional(),
    bill: bill.optional(),
    pay_url: payUrl,
    pays,
    number: paidNumber.optional(),
    description: z.string().optional(),
    payments: z.array(billPayment).max(BILL_PAYMENTS_MAX).optional(),
    expires_at: timestamp.optional(),
    refunded,
    refunds: z
      .array(
        z.strictObject({
          transaction_id: uuid,
          status: z.enum(payoutStatuses),
          amount: money,
          created_at: timestamp,
        }),
      )
      .max(REFUNDS_MAX)
      .meta({ description: 'Its refunds, the oldest first, also those that failed' })
      .optional(),
  }),
  receipt_url: receiptUrl,
});

export const payoutLookup = z.strictObject({
  ...ok,
  status: z.enum(payoutStatuses),
  payout: z.strictObject({
    event: z.enum(events.payoutEvents),
    transaction_id: uuid,
    transaction_method: z.enum(['mobile', 'ach']).optional(),
    amount: z.strictObject({ value: money, fee: money.optional() }),
    mobile: z.strictObject({ phone_number: phone, network: z.string() }).optional(),
    bank: z.strictObject({ account_number: z.string(), name: z.string(), bic: z.string() }).optional(),
    paid_at: timestamp.optional(),
    ...failure,
    status_reason: sentence.optional(),
    transaction_currency: currency,
    payout_reference: payoutReference,
    channel: z.strictObject({ name: z.string(), reference: z.string() }),
    beneficiary,
    metadata,
    batch_id: batchId,
    refund_of: refundOf,
    reason: z.string().meta({ description: 'Of a refund: as it was sent' }).optional(),
    ...returned,
    created_at: timestamp,
    updated_at: timestamp,
  }),
  receipt_url: receiptUrl,
});

const itemMembers = {
  transaction_id: uuid,
  type: z.enum(transactionTypes),
  transaction_mode: z.enum(merchantModes),
  transaction_currency: currency,
  status: z.enum(statuses),
  event: z.enum(events.latestEvents),
  channel: z.strictObject({ name: z.string(), reference: z.string().nullable() }),
  amount: z.strictObject({ value: money, fee: money.optional(), settled: money.optional() }),
  customer: customer.optional(),
  beneficiary: beneficiary.optional(),
  reference: z.string().nullable(),
  bill: bill.optional(),
  pays,
  number: paidNumber.optional(),
  ...failure,
  paid_at: timestamp.optional(),
  ...returned,
  refund_of: refundOf,
  refunded,
  metadata,
  batch_id: batchId,
  created_at: timestamp,
  updated_at: timestamp,
};
export const transactionItem = z.strictObject(itemMembers).meta({ id: 'TransactionItem' });
export const transactionAnswer = z.strictObject({ ...ok, data: transactionItem });

export const pagination = z
  .strictObject({
    current_page: z.int().min(1),
    last_page: z.int().min(1),
    per_page: z.int().min(1).max(100),
    total_items: z.int().min(0),
    total_is_minimum: z
      .literal(true)
      .meta({
        description:
          'There are more than `total_items`: counting stopped. Pages after `last_page` are answered; an empty one is the end',
      })
      .optional(),
  })
  .meta({ id: 'Pagination' });
export const transactionList = z.strictObject({ ...ok, data: z.array(transactionItem), pagination });
export const bankList = z.strictObject({
  ...ok,
  banks: z.array(z.strictObject({ name: z.string(), value: z.string(), bic: z.string() })),
  payouts: z.array(transactionItem),
  pagination,
});

export const balanceAnswer = z.strictObject({ ...ok, currency, balance: creationBalance });
