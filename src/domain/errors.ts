import type { Operations } from './channel-health.ts';
import { inEnglish, type Sentence, say } from './messages.ts';

/** Merchants' error codes with HTTP status (a code without one does not compile). */
export const merchantHttpStatusOf = {
  invalid_request: 400,
  invalid_json: 400,
  idempotency_key_missing: 400,
  idempotency_key_invalid: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  insufficient_balance: 409,
  payment_number_taken: 409,
  not_cancellable: 409,
  preview_mismatch: 409,
  submission_expired: 409,
  limit_exceeded: 409,
  duplicate_suspected: 409,
  not_refundable: 409,
  not_settleable: 409,
  refund_exceeds_payment: 409,
  batch_number_taken: 409,
  batch_state: 409,
  items_changed: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  validation_failed: 422,
  too_many_values: 422,
  unsupported_currency: 422,
  unsupported_network: 422,
  unknown_bank: 422,
  recipient_not_found: 422,
  amount_out_of_range: 422,
  idempotency_key_reused: 422,
  rate_limited: 429,
  internal_error: 500,
  unavailable: 503,
  outcome_unknown: 503,
} as const;

/** Only operators see `conflict`: the request does not fit the present state. */
export const httpStatusOf = { ...merchantHttpStatusOf, conflict: 409 } as const;

export type MerchantErrorCode = keyof typeof merchantHttpStatusOf;
export type ErrorCode = keyof typeof httpStatusOf;

export type FieldError = { field: string; message: Sentence };

export type GatewayErrorDetail = {
  errors?: FieldError[];
  transactionId?: string;
  headers?: Record<string, string>;
  /** only in the refusal of `GET status` */
  operations?: Operations;
};

/** Merchants or operators see this refusal. Any other error becomes an opaque `internal_error`. */
export class GatewayError extends Error {
  readonly code: ErrorCode;
  readonly sentence: Sentence;
  readonly detail: GatewayErrorDetail;
  constructor(code: ErrorCode, sentence: Sentence, detail: GatewayErrorDetail = {}) {
    super(inEnglish(sentence));
    this.name = 'GatewayError';
    this.code = code;
    this.sentence = sentence;
    this.detail = detail;
  }
}

export function conflict(message: string): GatewayError {
  return new GatewayError('conflict', message);
}

export function validationFailed(errors: FieldError[]): GatewayError {
  return new GatewayError('validation_failed', sentenceOf(errors), { errors });
}

export function sentenceOf(errors: readonly FieldError[]): Sentence {
  const [first] = errors;
  if (errors.length === 1 && first) return say('field_wrong', { field: first.field, problem: first.message });
  const names = [...new Set(errors.map(({ field }) => field))];
  return say('fields_wrong', { count: names.length, names: names.join(', ') });
}

/** This must never happen, and no retry fixes it: the step changes nothing, and a person is notified. */
export class BrokenInvariant extends Error {
  override readonly name = 'BrokenInvariant';
}

/** The API did not make the submission, or its key may no longer do this. Nothing is booked. */
export class UntrustedSubmission extends Error {
  override readonly name = 'UntrustedSubmission';
}

/** A balance does not cover a transfer. A conditional write of ours decides it. */
export class InsufficientFunds extends Error {
  constructor() {
    super('the balance does not cover this');
    this.name = 'InsufficientFunds';
  }
}

export type ErrorBody = {
  success: false;
  message: Sentence;
  code: ErrorCode;
  docs?: string;
  request_id: string;
  errors?: FieldError[];
  transaction_id?: string;
  operations?: Operations;
  retryable: boolean;
};

/**
 * docs/api.md shows the envelope; `retryable`: 429, 500 and 503 only. `docs` is a path, because refusals are
 * stored and the service's address may change; `withDocs` completes it when the body is sent.
 */
export function errorBody(error: GatewayError, requestId: string): ErrorBody {
  const status = httpStatusOf[error.code];
  return {
    success: false,
    message: error.sentence,
    code: error.code,
    ...(Object.hasOwn(merchantHttpStatusOf, error.code) ? { docs: `/docs/errors#${error.code}` } : {}),
    request_id: requestId,
    ...(error.detail.errors ? { errors: error.detail.errors } : {}),
    ...(error.detail.transactionId ? { transaction_id: error.detail.transactionId } : {}),
    ...(error.detail.operations ? { operations: error.detail.operations } : {}),
    retryable: status === 429 || status >= 500,
  };
}

/** No earlier text can look like `docs`, because JSON escapes quotes. */
export function withDocs(text: string, origin: string | undefined): string {
  if (origin === undefined || !text.startsWith('{"success":false')) return text;
  return text.replace('"docs":"/', `"docs":"${origin}/`);
}
