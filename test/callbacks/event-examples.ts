import type { TransactionEvent } from '../../src/callbacks/event.ts';
import { minor } from '../../src/domain/money.ts';
import type { MerchantTransaction, TransactionOf } from '../../src/domain/transaction.ts';
import { bank, created, mobile, payment, settled } from '../api/support/transactions.ts';

const acceptedAt = created;
const settledAt = settled;
const completed = { promptExpiresAt: null, nextEnquiryAt: null, updatedAt: settledAt, statusAt: settledAt };

export const push: TransactionOf<'ussd'> = {
  ...payment,
  ...completed,
  status: 'completed',
  event: 'payment.received',
  settled: minor(490_000),
  reference: 'PYBHJS3KXD7Y999TT4',
  channelReference: 'CKL5T8Q2WX',
  fullName: 'ASHA JUMA',
};
const failedPush: TransactionOf<'ussd'> = {
  ...push,
  status: 'failed',
  settled: null,
  fullName: null,
  metadata: '{}',
  channelReference: 'CKL5T8Q3AB',
  failureCode: 'customer_declined',
};
const paid = { status: 'paid', event: 'payout.completed', paidAt: settledAt } as const;
export const mobilePayout: TransactionOf<'mobile'> = {
  ...mobile,
  ...completed,
  ...paid,
  channelReference: 'CKL7P0O9I8',
};
const failedMobilePayout: TransactionOf<'mobile'> = {
  ...mobilePayout,
  status: 'failed',
  channelReference: null,
  fullName: null,
  metadata: '{}',
  failureCode: 'recipient_not_found',
  paidAt: null,
};
export const bankPayout: TransactionOf<'bank'> = {
  ...bank,
  ...completed,
  ...paid,
  reference: mobilePayout.reference,
  channelReference: 'FT26324XQ81',
};

type Example = { what: string; transaction: MerchantTransaction; event: TransactionEvent; expected: string };
const times = `"created_at":"${acceptedAt}","timestamp":"${settledAt}"}`;
const paymentTimes = `"created_at":"${acceptedAt}","updated_at":"${settledAt}","timestamp":"${settledAt}"}`;

/** The first word is the event; the text is its body behind what all of them begin with. */
const bodies: Record<string, [transaction: MerchantTransaction, body: string]> = {
  'payment.received of a push': [
    push,
    `"channel":{"name":"M-PESA","reference":"CKL5T8Q2WX"},"amount":{"value":"5,000.00","fee":"100.00","settled":"4,900.00"},"customer":{"phone_number":"0754123456","full_name":"ASHA JUMA"},"metadata":{"order_id":"INV-1001","note":"Two chairs"},${paymentTimes}`,
  ],
  'payment.failed of a push the customer declined': [
    failedPush,
    `"channel":{"name":"M-PESA","reference":"CKL5T8Q3AB"},"amount":{"value":"5,000.00"},"customer":{"phone_number":"0754123456","full_name":null},"metadata":{},"failure_reason":"Customer declined the payment","failure_code":"customer_declined",${paymentTimes}`,
  ],
  'payment.failed of a push for which the channel gave no reference: it shows the one we sent': [
    { ...failedPush, channelReference: null },
    `"channel":{"name":"M-PESA","reference":"PYBHJS3KXD7Y999TT4"},"amount":{"value":"5,000.00"},"customer":{"phone_number":"0754123456","full_name":null},"metadata":{},"failure_reason":"Customer declined the payment","failure_code":"customer_declined",${paymentTimes}`,
  ],
  'payment.failed of a push that was sent and never arrived': [
    { ...failedPush, channelReference: null, failureCode: 'network_unavailable' },
    `"channel":{"name":"M-PESA","reference":null},"amount":{"value":"5,000.00"},"customer":{"phone_number":"0754123456","full_name":null},"metadata":{},"failure_reason":"Network temporarily unavailable","failure_code":"network_unavailable",${paymentTimes}`,
  ],
  'payment.failed of a cancelled push, which never reached the channel': [
    { ...failedPush, status: 'cancelled', failureCode: null, channelReference: null, handedOverAt: null },
    `"channel":{"name":"M-PESA","reference":null},"amount":{"value":"5,000.00"},"customer":{"phone_number":"0754123456","full_name":null},"metadata":{},"failure_reason":"Cancelled before the money moved","failure_code":"cancelled",${paymentTimes}`,
  ],
  'payout.completed to a wallet': [
    mobilePayout,
    `"channel":{"name":"m-pesa","reference":"CKL7P0O9I8"},"amount":{"value":"50,000.00"},"fee":"1,000.00","payout_reference":"POBHJS3KXD7Y999TT4","beneficiary":{"phone_number":"0754123456","phone_network":"m-pesa","full_name":"ASHA JUMA"},"metadata":{"order_id":"WD-3001","note":"Withdrawal"},"paid_at":"${settledAt}",${times}`,
  ],
  'payout.completed to a bank account': [
    bankPayout,
    `"channel":{"name":"crdb_bank","reference":"FT26324XQ81"},"amount":{"value":"400,000.00"},"fee":"2,360.00","payout_reference":"POBHJS3KXD7Y999TT4","beneficiary":{"bank_account":"0150123456789","bank_name":"CRDB BANK","bank_bic":"CORUTZTZ"},"metadata":{"order_id":4001,"notes":"November rent"},"paid_at":"${settledAt}",${times}`,
  ],
  'payout.failed to a wallet, with our reference where the channel gave none': [
    failedMobilePayout,
    `"channel":{"name":"m-pesa","reference":"POBHJS3KXD7Y999TT4"},"amount":{"value":"50,000.00"},"failure_reason":"Recipient phone number is invalid","failure_code":"recipient_not_found","payout_reference":"POBHJS3KXD7Y999TT4","beneficiary":{"phone_number":"0754123456","phone_network":"m-pesa","full_name":null},"metadata":{},"paid_at":null,${times}`,
  ],
  'payout.failed to a bank account': [
    {
      ...bankPayout,
      status: 'failed',
      failureCode: 'invalid_account',
      channelReference: 'FT26324XQ99',
      metadata: '{}',
      paidAt: null,
    },
    `"channel":{"name":"crdb_bank","reference":"FT26324XQ99"},"amount":{"value":"400,000.00"},"failure_reason":"Bank account not found","failure_code":"invalid_account","payout_reference":"POBHJS3KXD7Y999TT4","beneficiary":{"bank_account":"0150123456789","bank_name":"CRDB BANK","bank_bic":"CORUTZTZ"},"metadata":{},"paid_at":null,${times}`,
  ],
  'payout.returned, which the bank sent back after it was paid': [
    { ...bankPayout, returnedAt: settledAt, returnReason: 'AC04' },
    `"channel":{"name":"crdb_bank","reference":"FT26324XQ81"},"amount":{"value":"400,000.00"},"return_reason":"AC04","returned_at":"${settledAt}","payout_reference":"POBHJS3KXD7Y999TT4","beneficiary":{"bank_account":"0150123456789","bank_name":"CRDB BANK","bank_bic":"CORUTZTZ"},"metadata":{"order_id":4001,"notes":"November rent"},"paid_at":"${settledAt}",${times}`,
  ],
  'payout.failed of a cancelled payout': [
    { ...failedMobilePayout, status: 'cancelled', failureCode: null },
    `"channel":{"name":"m-pesa","reference":"POBHJS3KXD7Y999TT4"},"amount":{"value":"50,000.00"},"failure_reason":"Cancelled before the money moved","failure_code":"cancelled","payout_reference":"POBHJS3KXD7Y999TT4","beneficiary":{"phone_number":"0754123456","phone_network":"m-pesa","full_name":null},"metadata":{},"paid_at":null,${times}`,
  ],
};
/** ID and TRANSACTION stand for what differs in every run. */
export const examples: Example[] = Object.entries(bodies).map(([what, [transaction, body]]) => {
  const event = /^[\w.]+/.exec(what)?.[0] as TransactionEvent;
  const head = `{"event":"${event}","event_id":"ID","sequence":1,"transaction_id":"TRANSACTION","transaction_mode":"${transaction.mode}"`;
  return { what, transaction, event, expected: `${head},"transaction_currency":"TZS",${body}` };
});
