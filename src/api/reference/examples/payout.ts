import type { z } from 'zod';
import type {
  bankPayoutAnswer,
  bankPreviewAnswer,
  beneficiary,
  mobilePayoutAnswer,
  mobilePreviewAnswer,
  payoutLookup,
} from '../../../contract/answer-schemas.ts';
import type { Examples } from '../../../contract/json-of.ts';
import { CREATED, SETTLED } from './payment.ts';
import { REFUND_ID, REFUND_REFERENCE, REFUNDED_ID, refundMetadata, refundReason } from './refund.ts';

type Lookup = z.output<typeof payoutLookup>;
type Payout = Lookup['payout'];

const PREVIEW_ENDS = '2026-11-20T08:30:30.123456Z';
const PREVIEW_ID = 'prv_6j2m9x4tq8w1k5zd';

const mobileMetadata = { order_id: 'WD-3001', note: 'Withdrawal' };
const bankMetadata = { order_id: 4001, notes: 'November rent' };

/** The beneficiary of the examples, as lookups, lists and callbacks show it. */
export const wallet = {
  phone_number: '0754123456',
  phone_network: 'm-pesa',
  full_name: 'ASHA JUMA',
} satisfies z.output<typeof beneficiary>;
export const unnamedWallet = { ...wallet, full_name: null };
export const account = {
  bank_account: '0150123456789',
  bank_name: 'CRDB BANK',
  bank_bic: 'CORUTZTZ',
} satisfies z.output<typeof beneficiary>;

const mobileBody = {
  amount: 50000,
  currency: 'TZS',
  phone_number: '0754123456',
  metadata: mobileMetadata,
};
const bankBody = {
  amount: 400000,
  currency: 'TZS',
  account_number: '0150123456789',
  bic: 'CORUTZTZ',
  beneficiary: { full_name: 'Asha Juma', phone_number: '0754123456' },
  metadata: bankMetadata,
};

export const mobilePreviewBodies = { preview: mobileBody };
export const bankPreviewBodies = { preview: bankBody };
export const mobilePayoutBodies = {
  payout: mobileBody,
  previewed_payout: { ...mobileBody, preview_id: PREVIEW_ID },
};
export const bankPayoutBodies = {
  payout: bankBody,
  previewed_payout: { ...bankBody, preview_id: PREVIEW_ID },
};

export const mobilePreviewAnswers = {
  preview: {
    success: true,
    message: 'Nothing has been sent yet. This payout would cost 51,000.00 TZS',
    preview_id: PREVIEW_ID,
    expires_at: PREVIEW_ENDS,
    amount: { value: 50000, currency: 'TZS', fee: 1000, total: 51000 },
    balance: { current: 2000000, reserved: 0, sufficient: true },
    channel: { name: 'm-pesa' },
    beneficiary: { full_name: 'ASHA JUMA', name_match: null, phone_number: '0754123456' },
    limits: { minimum: 1, maximum: 300000 },
    metadata: mobileMetadata,
  },
} satisfies Examples<typeof mobilePreviewAnswer>;

export const bankPreviewAnswers = {
  preview: {
    success: true,
    message: 'Nothing has been sent yet. This payout would cost 402,360.00 TZS',
    preview_id: 'prv_9c3h7v2np5r8y4fa',
    expires_at: PREVIEW_ENDS,
    amount: { value: 400000, currency: 'TZS', fee: 2360, total: 402360 },
    balance: { current: 1949000, reserved: 51000, sufficient: true },
    channel: { name: 'crdb_bank' },
    beneficiary: {
      full_name: 'ASHA JUMA',
      name_match: true,
      account_number: '0150123456789',
      bank_name: 'CRDB BANK',
      bic: 'CORUTZTZ',
    },
    limits: { minimum: 1, maximum: 1000000 },
    metadata: bankMetadata,
  },
} satisfies Examples<typeof bankPreviewAnswer>;

export const mobilePayoutAnswers = {
  accepted: {
    success: true,
    message: 'The payout has been accepted',
    balance: { current: 1949000, reserved: 51000 },
    transaction_id: 'd9e6e47f-5f57-5c65-91cf-ad3f9294eb44',
    status: 'initiated',
    amount: { value: 50000, currency: 'TZS', fee: 1000 },
    metadata: mobileMetadata,
  },
} satisfies Examples<typeof mobilePayoutAnswer>;

export const bankPayoutAnswers = {
  accepted: {
    success: true,
    message: 'The payout has been accepted',
    balance: { current: 1546640, reserved: 453360 },
    transaction_id: '8f81e959-b399-501e-8691-e48151c57788',
    status: 'initiated',
    amount: { value: 400000, currency: 'TZS', fee: 2360 },
    bank: { account_number: '0150123456789', bic: 'CORUTZTZ' },
    metadata: bankMetadata,
  },
} satisfies Examples<typeof bankPayoutAnswer>;

const mobile = {
  transaction_currency: 'TZS',
  payout_reference: 'POBHJS3KXD7Y999TT4',
  channel: { name: 'm-pesa', reference: 'POBHJS3KXD7Y999TT4' },
  beneficiary: wallet,
  metadata: mobileMetadata,
  created_at: CREATED,
  updated_at: SETTLED,
} satisfies Partial<Payout>;
const mobileParty = {
  transaction_id: 'd9e6e47f-5f57-5c65-91cf-ad3f9294eb44',
  transaction_method: 'mobile',
  amount: { value: '50,000.00', fee: '1,000.00' },
  mobile: { phone_number: '0754123456', network: 'm-pesa' },
} satisfies Partial<Payout>;

const lookup = (status: Lookup['status'], payout: Payout): Lookup => ({
  success: true,
  message: 'Payout retrieved successfully',
  status,
  payout,
});

const cancelled = lookup('cancelled', {
  event: 'payout.failed',
  transaction_id: '715f4be8-a519-5cae-87af-3ed5d2fb94f6',
  amount: { value: '50,000.00' },
  status_reason: "Cancelled at the merchant's request; 51,000.00 returned to the balance",
  ...mobile,
  payout_reference: 'POBJQ8FBSYTQ9FQ57P',
  channel: { name: 'm-pesa', reference: 'POBJQ8FBSYTQ9FQ57P' },
});

/** The receipt of the mobile payout of the examples. */
export const PAYOUT_RECEIPT = 'https://lipa.example.com/r/Ny8sQk4aWd1ZtE6pGm0LrQ';

export const payoutAnswers = {
  pending: lookup('pending', {
    event: 'payout.pending',
    ...mobileParty,
    status_reason: 'The network has not confirmed yet; next enquiry at 2026-11-20T08:17:00Z',
    ...mobile,
    updated_at: CREATED,
  }),
  paid: {
    ...lookup('paid', {
      event: 'payout.completed',
      ...mobileParty,
      paid_at: SETTLED,
      ...mobile,
      channel: { name: 'm-pesa', reference: 'CKL5T8Q2WX' },
    }),
    receipt_url: PAYOUT_RECEIPT,
  },
  paid_to_a_bank: lookup('paid', {
    event: 'payout.completed',
    transaction_id: '8f81e959-b399-501e-8691-e48151c57788',
    transaction_method: 'ach',
    amount: { value: '400,000.00', fee: '2,360.00' },
    bank: { account_number: '0150123456789', name: 'CRDB BANK', bic: 'CORUTZTZ' },
    paid_at: SETTLED,
    transaction_currency: 'TZS',
    payout_reference: 'POA0F8D4F4G58WAXW8',
    channel: { name: 'crdb_bank', reference: 'FT26324XQ99' },
    beneficiary: account,
    metadata: bankMetadata,
    created_at: CREATED,
    updated_at: SETTLED,
  }),
  failed: lookup('failed', {
    event: 'payout.failed',
    transaction_id: '7623ce68-c35b-56f3-8568-079931b50f4f',
    amount: { value: '50,000.00' },
    failure_reason: 'Recipient phone number is invalid',
    failure_code: 'recipient_not_found',
    ...mobile,
    payout_reference: 'POAVSRAT07K4RVA3TF',
    channel: { name: 'm-pesa', reference: 'POAVSRAT07K4RVA3TF' },
    beneficiary: unnamedWallet,
    metadata: {},
  }),
  refund: lookup('paid', {
    event: 'payout.completed',
    ...mobileParty,
    transaction_id: REFUND_ID,
    amount: { value: '2,000.00', fee: '300.00' },
    paid_at: SETTLED,
    ...mobile,
    payout_reference: REFUND_REFERENCE,
    metadata: refundMetadata,
    refund_of: REFUNDED_ID,
    reason: refundReason,
  }),
  cancelled,
};

export const cancelledPayout = { cancelled };
