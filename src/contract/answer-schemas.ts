import { z } from 'zod';
import { BILL_PAYMENTS_MAX, billModes } from '../domain/bill.ts';
import { channelStates } from '../domain/channel-health.ts';
import * as events from '../domain/event.ts';
import { merchantModes, paymentModes, transactionTypes } from '../domain/kinds.ts';
import { REFUNDS_MAX } from '../domain/refund.ts';
import { paymentStatuses, payoutStatuses, statuses } from '../domain/transaction.ts';
import * as fields from './fields.ts';
import { money, ok, timestamp, uuid } from './fields.ts';
import { sentence } from './json-of.ts';

/** OpenAPI publishes these schemas; presenters take their types from them. */

const operationState = z.enum(channelStates);
export const operations = z
  .strictObject({
    payments: operationState.meta({ description: 'USSD pushes, bills and QR codes' }),
    payouts: operationState.meta({ description: 'Payouts to wallets and bank accounts' }),
    callbacks: operationState.meta({ description: 'Our callbacks to you' }),
  })
  .meta({ id: 'Operations', description: 'Whether each kind of work is done at present' });
export const statusAnswer = z.strictObject({ ...ok, operations });

const shillings = z.number().meta({ description: 'The amount of the transaction, without the fee' });
const requested = z
  .strictObject({ value: shillings, currency: fields.currency })
  .meta({ id: 'RequestedAmount', ...fields.howMuch });
const asking = z.string().meta({ description: 'The network that asks the customer, or `DYNAMIC-QR`' });

export const pushAnswer = z.strictObject({
  ...ok,
  transaction_id: fields.transactionId,
  transaction_channel: asking,
  amount: requested,
  metadata: fields.metadata,
});

const billMode = z
  .enum(billModes)
  .meta({ description: '`exact`: that amount, once; `flexible`: any amounts until they reach it' });
const billAmount = money.meta({ description: 'The amount of the bill' });
export const billAnswer = z.strictObject({
  ...ok,
  transaction_id: fields.transactionId,
  bill: z
    .strictObject({ amount: billAmount, reference: fields.controlNumber, mode: billMode })
    .meta({ description: 'The bill' }),
  pay_url: fields.payUrl,
  metadata: fields.metadata,
  expires_at: fields.expiresAt,
});

const qrPayload = z.string().meta({ description: 'The text inside the code (TANQR, EMVCo)' });
const qr = { description: 'The code to show' };
export const qrText = z.strictObject({ payload: qrPayload }).meta(qr);
export const qrCode = z
  .strictObject({
    payload: qrPayload,
    image: z
      .string()
      .regex(/^data:image\/png;base64,[A-Za-z0-9+/]+=*$/)
      .meta({ description: 'The code as a PNG, ready for the `src` of an image' }),
  })
  .meta(qr);

export const qrAnswer = z.strictObject({
  ...ok,
  transaction_id: fields.transactionId,
  transaction_channel: asking,
  amount: requested,
  metadata: fields.metadata,
  transaction_mode: z.literal('qr').meta(fields.mode),
  qr: qrCode.extend({ expires_at: fields.expiresAt }).meta(qr),
  pay_url: fields.payUrl,
});

const current = z.number().meta({ description: 'The amount that you can pay out now' });
const reserved = z.number().meta({
  description: 'The amount held for payouts that have not ended, with their fees',
});
const balance = z
  .strictObject({ current, reserved })
  .meta({ id: 'Balance', description: 'Your balance, after this request' });
const feeOfIt = z.number().meta({
  description:
    'What we charge for the transaction: taken from a payment, added to a payout (docs: what `fee` means)',
});
const payoutCreation = {
  ...ok,
  balance,
  transaction_id: fields.transactionId,
  status: z.literal('initiated').meta(fields.state),
  amount: z
    .strictObject({ value: shillings, currency: fields.currency, fee: feeOfIt })
    .meta({ id: 'AmountAndFee', ...fields.howMuch }),
};
export const mobilePayoutAnswer = z.strictObject({ ...payoutCreation, metadata: fields.metadata });
export const refundAnswer = z.strictObject({
  ...payoutCreation,
  refund_of: uuid.meta({ description: 'The payment that this refund gives back' }),
  metadata: fields.metadata,
});
/** A settlement has the id of its first payout. */
export const settlementAnswer = z.strictObject({
  ...ok,
  balance,
  settlement: z
    .strictObject({
      id: uuid.meta({ description: 'The transaction_id of its first payout' }),
      amount: z
        .number()
        .meta({ description: 'The sum of its payouts in whole shillings, without their fees' }),
      payouts: z.array(uuid).min(1).meta({ description: 'The transaction_id of each of its payouts' }),
    })
    .meta({ description: 'The settlement to your own account' }),
  metadata: fields.metadata,
});
const paidAccount = { description: 'The account that is paid' };
export const bankPayoutAnswer = z.strictObject({
  ...payoutCreation,
  bank: z.strictObject({ account_number: fields.accountNumber, bic: fields.bic }).meta(paidAccount),
  metadata: fields.metadata,
});

const previewOf = <Party extends z.ZodRawShape>(party: Party) =>
  z.strictObject({
    ...ok,
    preview_id: z.string().meta({
      description: 'Send it with the payout to keep the fee; good for 15 minutes and one payout',
    }),
    expires_at: fields.expiresAt,
    amount: z
      .strictObject({
        value: shillings,
        currency: fields.currency,
        fee: feeOfIt,
        total: z.number().meta({ description: 'Value and fee: what your balance must cover' }),
      })
      .meta(fields.howMuch),
    balance: z
      .strictObject({
        current,
        reserved,
        sufficient: z.boolean().meta({ description: 'Whether the balance covers the total now' }),
      })
      .meta({ description: 'Your balance, after this request' }),
    channel: fields.namedChannel,
    beneficiary: z
      .strictObject({ full_name: fields.fullName, name_match: fields.nameMatch, ...party })
      .meta({ description: 'Who is paid' }),
    limits: z
      .strictObject({
        minimum: z.number().meta({ description: 'The smallest amount' }),
        maximum: z.number().meta({ description: 'The largest amount' }),
      })
      .meta({ description: 'The limits of one payout, both inclusive' }),
    metadata: fields.metadata,
  });
export const mobilePreviewAnswer = previewOf({ phone_number: fields.phoneNumber });
export const bankPreviewAnswer = previewOf({
  account_number: fields.accountNumber,
  bank_name: fields.bankName,
  bic: fields.bic,
});

/** The paid sum may exceed the amount of the bill. */
export const bill = z
  .strictObject({
    amount: billAmount,
    reference: fields.controlNumber,
    mode: billMode,
    payment_number: z.string().meta({ description: 'Your own number of the bill' }),
    paid: money.meta({ description: 'The amount paid so far' }),
    outstanding: money.meta({ description: 'The amount still to pay; 0.00 when enough was paid' }),
  })
  .meta({ id: 'Bill', description: 'The bill' });
export const paidNumber = z
  .strictObject({
    id: uuid.meta({ description: 'The id of the number' }),
    reference: fields.controlNumber,
    customer_reference: fields.customerReference,
  })
  .meta({ id: 'PaidNumber', description: 'The standing number' });
const billPayment = z
  .strictObject({
    amount: z
      .strictObject({
        value: fields.value,
        fee: money.meta({ description: 'Our fee for this one payment of the bill' }),
        settled: fields.settled,
      })
      .meta(fields.howMuch),
    channel: fields.channel,
    customer: fields.customer,
    received_at: timestamp.meta({ description: 'When it was accepted' }),
    receipt_url: fields.receiptUrl,
  })
  .meta({ id: 'BillPayment' });

const pays = uuid
  .meta({
    description: 'Only for a push requested on a pay page: the bill, or payment of a number, that it pays',
  })
  .optional();
const failure = {
  failure_reason: sentence.meta({ description: 'A sentence that explains `failure_code`' }).optional(),
  failure_code: fields.failureCode.optional(),
};
const statusReason = sentence.meta({ description: fields.statusReasonDescription }).optional();
const refunded = money
  .meta({
    description: 'The amount refunded or on its way back to the payer; absent if there was no refund',
  })
  .optional();
const returned = {
  returned_at: fields.returnedAt.optional(),
  return_reason: fields.returnReason.optional(),
};
const latest = { description: 'The latest event' };
const refund = z.strictObject({
  transaction_id: fields.transactionId,
  status: z.enum(payoutStatuses).meta({ description: 'The state of this refund' }),
  amount: money.meta(fields.howMuch),
  created_at: fields.createdAt,
});

export const paymentLookup = z.strictObject({
  ...ok,
  status: z.enum(paymentStatuses).meta(fields.state),
  payment: z
    .strictObject({
      transaction_id: fields.transactionId,
      transaction_mode: z.enum(paymentModes).meta(fields.mode),
      transaction_currency: fields.transactionCurrency,
      channel: fields.channelOrNone,
      customer: fields.customer,
      metadata: fields.metadata,
      amount: z.strictObject({ value: fields.value }).meta(fields.howMuch),
      created_at: fields.createdAt,
      updated_at: fields.updatedAt,
      timestamp: fields.stateSince,
      event: z.enum(events.paymentEvents).meta(latest),
      fee: money.meta({ description: 'Our fee in total, once the payment is completed' }).optional(),
      settled: fields.settled.optional(),
      ...failure,
      status_reason: statusReason,
      bill: bill.optional(),
      pay_url: fields.payUrl,
      pays,
      number: paidNumber.optional(),
      description: z.string().meta({ description: 'Your description, unchanged' }).optional(),
      payments: z
        .array(billPayment)
        .max(BILL_PAYMENTS_MAX)
        .meta({ description: 'The accepted payments of the bill, oldest first' })
        .optional(),
      expires_at: fields.expiresAt.optional(),
      refunded,
      refunds: z
        .array(refund)
        .max(REFUNDS_MAX)
        .meta({ description: 'Its refunds, the oldest first, also those that failed' })
        .optional(),
    })
    .meta({ description: 'The payment' }),
  receipt_url: fields.receiptUrl,
});

export const payoutLookup = z.strictObject({
  ...ok,
  status: z.enum(payoutStatuses).meta(fields.state),
  payout: z
    .strictObject({
      event: z.enum(events.payoutEvents).meta(latest),
      transaction_id: fields.transactionId,
      transaction_method: z
        .enum(['mobile', 'ach'])
        .meta({ description: '`mobile` or `ach` (a bank); absent once it failed or was cancelled' })
        .optional(),
      amount: z
        .strictObject({
          value: fields.value,
          fee: money
            .meta({
              description:
                'The fee, held and then taken with the value; absent once it failed or was cancelled',
            })
            .optional(),
        })
        .meta(fields.howMuch),
      mobile: fields.wallet.optional(),
      bank: z
        .strictObject({ account_number: fields.accountNumber, name: fields.bankName, bic: fields.bic })
        .meta(paidAccount)
        .optional(),
      paid_at: fields.paidAt.optional(),
      ...failure,
      status_reason: statusReason,
      transaction_currency: fields.transactionCurrency,
      payout_reference: fields.payoutReference,
      channel: fields.channel,
      beneficiary: fields.beneficiary,
      ...fields.besidePayout,
      refund_of: fields.refundOf,
      reason: z.string().meta({ description: 'The reason of a refund, unchanged' }).optional(),
      ...returned,
      created_at: fields.createdAt,
      updated_at: fields.updatedAt,
    })
    .meta({ description: 'The payout' }),
  receipt_url: fields.receiptUrl,
});

const itemMembers = {
  transaction_id: fields.transactionId,
  type: z.enum(transactionTypes).meta({ description: 'Payment, bill or payout' }),
  transaction_mode: z.enum(merchantModes).meta(fields.mode),
  transaction_currency: fields.transactionCurrency,
  status: z.enum(statuses).meta(fields.state),
  event: z.enum(events.latestEvents).meta(latest),
  channel: fields.channelOrNone,
  amount: z
    .strictObject({ value: fields.value, fee: fields.fee.optional(), settled: fields.settled.optional() })
    .meta(fields.howMuch),
  customer: fields.customer.optional(),
  beneficiary: fields.beneficiary.optional(),
  reference: z
    .string()
    .nullable()
    .meta({
      description:
        'The payment number of a bill, the customer reference of a standing number, ' +
        'the `payout_reference` of a payout, else null: the receipt is `channel.reference`',
    }),
  bill: bill.optional(),
  pays,
  number: paidNumber.optional(),
  ...failure,
  paid_at: fields.paidAt.optional(),
  ...returned,
  refund_of: fields.refundOf,
  refunded,
  metadata: fields.metadata,
  batch_id: fields.batchId,
  created_at: fields.createdAt,
  updated_at: fields.updatedAt,
};
export const transactionItem = z.strictObject(itemMembers).meta({ id: 'TransactionItem' });
export const transactionAnswer = z.strictObject({
  ...ok,
  data: transactionItem.meta({ description: 'The transaction' }),
});
export const transactionList = fields.pageOf(transactionItem);
const bank = z.strictObject({
  name: z.string().meta({ description: 'The name for people' }),
  value: z.string().meta({ description: 'The id that lists and callbacks show as `channel.name`' }),
  bic: fields.bic,
});
export const bankList = z.strictObject({
  ...ok,
  banks: z.array(bank).meta({ description: 'Every bank that takes payouts' }),
  payouts: z.array(transactionItem).meta({ description: 'Your bank payouts, newest first' }),
  pagination: fields.pagination,
});

export const balanceAnswer = z.strictObject({ ...ok, currency: fields.currency, balance });
