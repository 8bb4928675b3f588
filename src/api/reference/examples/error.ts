import { writeAnswer } from '../../../contract/json-of.ts';
import {
  errorBody,
  GatewayError,
  type GatewayErrorDetail,
  type MerchantErrorCode,
  sentenceOf,
  withDocs,
} from '../../../domain/errors.ts';
import { type Message, type Sentence, say } from '../../../domain/messages.ts';
import { previewMismatchMessage, withNewKey } from '../../../transactions/acceptance/refusals.ts';

const id = '09c97599-0ab0-5cb9-ad18-d6327c66ef03';

/** The body that a merchant reads with each code; a code without an example does not compile. */
const messages: Record<MerchantErrorCode, [message: Sentence, detail?: GatewayErrorDetail]> = {
  invalid_request: ['This is not an HTTP request that can be read'],
  invalid_json: [say('body_no_object')],
  idempotency_key_missing: [say('idempotency_key_missing')],
  idempotency_key_invalid: [say('idempotency_key_wrong')],
  unauthorized: [say('send_api_key')],
  forbidden: [say('scope_missing', { scope: 'payouts:write' })],
  not_found: [say('no_payment')],
  method_not_allowed: [say('use_methods', { method: 'GET', second: 'HEAD' })],
  insufficient_balance: [
    say('balance_too_small', {
      available: '1,000.00',
      currency: 'TZS',
      total: '51,000.00',
      amount: '50,000.00',
      fee: '1,000.00',
    }),
  ],
  payment_number_taken: [
    say('payment_number_taken', { number: 'INV-2001' }),
    { errors: [{ field: 'payment_number', message: say('must_be_unique_bill') }] },
  ],
  not_cancellable: [say('payout_handed_over', { channel: say('network') })],
  preview_mismatch: [previewMismatchMessage(['amount'])],
  submission_expired: [say('submission_expired')],
  limit_exceeded: [
    say('two_sentences', {
      first: say('limit_of_day', {
        whose: say('this_account'),
        limit: '5,000,000.00 TZS',
        name: 'payout_daily_max',
        used: '4,960,000.00 TZS',
        amount: '50,000.00 TZS',
        time: '2026-01-15T21:00:00Z',
      }),
      second: say('send_when_it_fits'),
    }),
  ],
  duplicate_suspected: [
    say('duplicate_suspected', {
      time: '2026-01-15T09:30:00Z',
      seconds: 60,
      later: '2026-01-15T09:31:00Z',
    }),
  ],
  batch_number_taken: [
    say('batch_number_taken', { number: 'SALARIES-2026-11' }),
    { errors: [{ field: 'batch_number', message: say('must_be_unique_batch') }] },
  ],
  batch_state: [say('batch_is', { status: 'finished' })],
  items_changed: [say('batch_items_changed')],
  not_refundable: [withNewKey(say('refund_payer_unknown'))],
  not_settleable: [say('settlement_no_rule')],
  refund_exceeds_payment: [
    withNewKey(say('refund_too_much', { refunded: '5,000.00', left: '0.00', minimum: '1.00' })),
  ],
  payload_too_large: [say('body_too_large', { size: 64 })],
  unsupported_media_type: [say('body_not_json_type')],
  too_many_values: [say('too_many_values', { maximum: 2_000 })],
  validation_failed: [
    say('fields_wrong', { count: 2, names: 'amount, phone_number' }),
    {
      errors: [
        { field: 'amount', message: say('must_be_whole_shillings') },
        { field: 'phone_number', message: say('is_required') },
      ],
    },
  ],
  unsupported_currency: ofField('currency', say('must_be_currency', { currency: 'TZS' })),
  unsupported_network: [
    say('number_not_of_networks_here'),
    { errors: [{ field: 'phone_number', message: say('not_of_networks_here') }] },
  ],
  unknown_bank: ofField('bic', say('bank_mistyped', { bic: 'CORUTZTX', likely: 'CORUTZTZ' })),
  recipient_not_found: [
    say('recipient_unknown'),
    { errors: [{ field: 'phone_number', message: say('is_not_known_to_channel') }] },
  ],
  amount_out_of_range: [
    say('amount_too_large', { subject: say('a_mobile_payout'), amount: '300,000', currency: 'TZS' }),
    { errors: [{ field: 'amount', message: say('must_be_at_most', { amount: '300,000' }) }] },
  ],
  idempotency_key_reused: [say('idempotency_key_reused')],
  rate_limited: [say('too_many_requests_one_second')],
  internal_error: [say('internal_error')],
  unavailable: [say('service_unavailable')],
  outcome_unknown: [say('outcome_unknown'), { transactionId: id }],
};

function ofField(field: string, message: Message): [Sentence, GatewayErrorDetail] {
  const errors = [{ field, message }];
  return [sentenceOf(errors), { errors }];
}

/** The error envelope by code, made by the function that makes the real ones. */
export const errorExamples = Object.fromEntries(
  Object.entries(messages).map(([code, [message, detail]]) => [
    code,
    { value: bodyOf(new GatewayError(code as MerchantErrorCode, message, detail)) },
  ]),
);

function bodyOf(error: GatewayError): unknown {
  const text = writeAnswer(errorBody(error, 'req_01jd4zr7m2'), 'en');
  return JSON.parse(withDocs(text, 'https://pay.example.com'));
}
