import {
  errorBody,
  GatewayError,
  type GatewayErrorDetail,
  type MerchantErrorCode,
} from '../../../domain/errors.ts';
import { previewMismatchMessage } from '../../../transactions/acceptance/answers.ts';

const id = '09c97599-0ab0-5cb9-ad18-d6327c66ef03';

/** The body that a merchant reads with each code; a code without an example does not compile. */
const messages: Record<MerchantErrorCode, [message: string, detail?: GatewayErrorDetail]> = {
  invalid_request: ['This is not an HTTP request that can be read'],
  invalid_json: ['The body must be a JSON object'],
  idempotency_key_missing: [
    'Send an Idempotency-Key header: one new value per payment, the same value when you retry it',
  ],
  idempotency_key_invalid: [
    'The Idempotency-Key header must be sent once, with 1 to 255 visible ASCII characters and no spaces',
  ],
  unauthorized: ['Send a valid API key: Authorization: Bearer <API_KEY>'],
  forbidden: ['This API key lacks the scope payouts:write'],
  not_found: ['There is no payment with this id'],
  method_not_allowed: ['Use GET or HEAD at this address'],
  insufficient_balance: [
    'The balance of 1,000.00 TZS does not cover 51,000.00 TZS (50,000.00 and the fee of 1,000.00). Top up, then send the payout with a new Idempotency-Key',
  ],
  payment_number_taken: [
    'The payment number INV-2001 already belongs to another bill',
    { errors: [{ field: 'payment_number', message: 'must be unique; it is used by another bill' }] },
  ],
  not_cancellable: ['The payout has been handed to the network and may still be paid'],
  preview_mismatch: [previewMismatchMessage(['amount'])],
  submission_expired: [
    'This request waited too long to be accepted and nothing was done. Send it again with a new Idempotency-Key',
  ],
  limit_exceeded: [
    'The payouts of a day of this account may be 5,000,000.00 TZS in all (payout_daily_max): 4,960,000.00 TZS are used, and 50,000.00 TZS would be too much. It is free again at 2026-01-15T21:00:00Z, midnight in Dar es Salaam. Nothing was done; send the payout with a new Idempotency-Key when it fits',
  ],
  duplicate_suspected: [
    'The same amount with the same number or account was accepted at 2026-01-15T09:30:00Z under another Idempotency-Key, and duplicate_window_s is 60 s. Nothing was done; if you mean it, send it with a new Idempotency-Key after 2026-01-15T09:31:00Z',
  ],
  not_refundable: [
    'The network did not say who paid. Nothing was done; another attempt needs a new Idempotency-Key',
  ],
  refund_exceeds_payment: [
    '5,000.00 of this payment are refunded or on their way; at most 0.00 can be refunded now, and not less than 1.00. Nothing was done; another attempt needs a new Idempotency-Key',
  ],
  payload_too_large: ['The body is larger than 64 KiB'],
  unsupported_media_type: ['Send the body as application/json'],
  validation_failed: [
    '2 fields need correcting: amount, phone_number',
    {
      errors: [
        { field: 'amount', message: 'must be a whole number of shillings above 0' },
        { field: 'phone_number', message: 'is required' },
      ],
    },
  ],
  unsupported_currency: ['currency must be TZS', { errors: [{ field: 'currency', message: 'must be TZS' }] }],
  unsupported_network: [
    'This number belongs to no network that is offered here; if it was ported, name its network in transaction_channel',
    { errors: [{ field: 'phone_number', message: 'belongs to no network that is offered here' }] },
  ],
  unknown_bank: [
    'bic CORUTZTX does not exist; did you mean CORUTZTZ?',
    { errors: [{ field: 'bic', message: 'CORUTZTX does not exist; did you mean CORUTZTZ?' }] },
  ],
  recipient_not_found: [
    'The recipient does not exist at this network or bank',
    { errors: [{ field: 'phone_number', message: 'is not known to the network or bank' }] },
  ],
  amount_out_of_range: [
    'A mobile payout is at most 300,000 TZS',
    { errors: [{ field: 'amount', message: 'must be at most 300,000' }] },
  ],
  idempotency_key_reused: [
    'This Idempotency-Key was already used for a different request. Nothing was done; use a new key for a new payment',
  ],
  rate_limited: ['Too many requests; try again in 1 second'],
  internal_error: ['Something went wrong on our side. Quote the request id to support'],
  unavailable: ['The service is temporarily unavailable'],
  outcome_unknown: [
    'The outcome is not known yet. Send the same request with the same Idempotency-Key: it will not be done twice. A new key could pay twice',
    { transactionId: id },
  ],
};

/** The error envelope by code, made by the function that makes the real ones. */
export const errorExamples = Object.fromEntries(
  Object.entries(messages).map(([code, [message, detail]]) => [
    code,
    { value: errorBody(new GatewayError(code as MerchantErrorCode, message, detail), 'req_01jd4zr7m2') },
  ]),
);
