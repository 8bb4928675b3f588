import { type Frozen, frozenError } from '../../accounts/freeze.ts';
import { jsonText } from '../../base/json-text.ts';
import type {
  bankPayoutAnswer,
  billAnswer as billAnswerSchema,
  mobilePayoutAnswer,
  pushAnswer as pushAnswerSchema,
  qrAnswer as qrAnswerSchema,
  refundAnswer as refundAnswerSchema,
} from '../../contract/answer-schemas.ts';
import { writeJson } from '../../contract/json-of.ts';
import { errorBody, GatewayError } from '../../domain/errors.ts';
import { translate } from '../../domain/language.ts';
import type { LimitRefusal } from '../../domain/limits.ts';
import { formatMoney, type Minor, minor, toUnits } from '../../domain/money.ts';
import { networkNameOf } from '../../domain/network.ts';
import type {
  BillRequest,
  PayoutRequest,
  PushRequest,
  QrRequest,
  RefundRequest,
  Submission,
} from '../../domain/operation.ts';
import { REFUND_MIN, type RefundObstacle, refundObstacles } from '../../domain/refund.ts';
import type { PreviewMismatch } from './previews.ts';

/**
 * The bodies that the accepting transaction stores under an Idempotency-Key: JSON text, the same bytes for every
 * repeat. They are made here, from the submission alone, so that a re-run makes them again byte for byte.
 */

/** 200 of `POST payments/ussd`. */
export function pushAnswer(submission: Submission<PushRequest>): string {
  const { request, transactionId } = submission;
  return writeJson<typeof pushAnswerSchema>({
    success: true,
    message: inLanguageOf(submission, 'The customer has been asked to confirm the payment'),
    transaction_id: transactionId,
    transaction_channel: networkNameOf(request.channel),
    amount: { value: toUnits(request.amount), currency: request.currency },
    metadata: jsonText(submission.metadata),
  });
}

/** 200 of `POST payments/billpay`. */
export function billAnswer(submission: Submission<BillRequest>, controlNumber: string): string {
  const { request, transactionId } = submission;
  return writeJson<typeof billAnswerSchema>({
    success: true,
    message: inLanguageOf(submission, 'The bill order has been created'),
    transaction_id: transactionId,
    bill: { amount: formatMoney(request.amount), reference: controlNumber, mode: request.billMode },
    metadata: jsonText(submission.metadata),
    expires_at: request.expiresAt,
  });
}

/** 200 of `POST payments/qr`. The image is part of the stored bytes: another release may draw it otherwise. */
export function qrAnswer(
  submission: Submission<QrRequest>,
  code: { payload: string; image: string },
): string {
  const { request, transactionId } = submission;
  return writeJson<typeof qrAnswerSchema>({
    success: true,
    message: inLanguageOf(submission, 'Show this QR code to the customer'),
    transaction_id: transactionId,
    transaction_channel: networkNameOf(request.channel),
    amount: { value: toUnits(request.amount), currency: request.currency },
    metadata: jsonText(submission.metadata),
    transaction_mode: 'qr',
    qr: { payload: code.payload, image: code.image, expires_at: request.expiresAt },
  });
}

/** 200 of `POST payouts/mobile` and `POST payouts/bank`. `current` and `reserved` are the balance after the hold. */
export function payoutAnswer(
  submission: Submission<PayoutRequest>,
  money: { fee: Minor; current: Minor; reserved: Minor },
): string {
  const { request, transactionId } = submission;
  const first = {
    success: true,
    message: inLanguageOf(submission, 'The payout has been accepted'),
    balance: { current: toUnits(money.current), reserved: toUnits(money.reserved) },
    transaction_id: transactionId,
    status: 'initiated',
    amount: { value: toUnits(request.amount), currency: request.currency, fee: toUnits(money.fee) },
  } as const;
  const metadata = jsonText(submission.metadata);
  switch (request.mode) {
    case 'mobile':
      return writeJson<typeof mobilePayoutAnswer>({ ...first, metadata });
    case 'bank': {
      const bank = { account_number: request.accountNumber, bic: request.bic };
      return writeJson<typeof bankPayoutAnswer>({ ...first, bank, metadata });
    }
  }
}

/** 200 of `POST payments/{id}/refunds`. */
export function refundAnswer(
  submission: Submission<RefundRequest>,
  money: { amount: Minor; fee: Minor; current: Minor; reserved: Minor },
): string {
  const { request, transactionId } = submission;
  return writeJson<typeof refundAnswerSchema>({
    success: true,
    message: inLanguageOf(submission, 'The refund has been accepted'),
    balance: { current: toUnits(money.current), reserved: toUnits(money.reserved) },
    transaction_id: transactionId,
    refund_of: request.refundOf,
    status: 'initiated',
    amount: { value: toUnits(money.amount), currency: request.currency, fee: toUnits(money.fee) },
    metadata: jsonText(submission.metadata),
  });
}

/** Of a submission, what its refusal needs. */
type Refused = Pick<Submission, 'requestId' | 'language'>;

/** 409, stored under the key: nothing of the payment can be given back. */
export function notRefundableAnswer(submission: Refused, obstacle: RefundObstacle): string {
  return refusal(submission, 'not_refundable', `${refundObstacles[obstacle]}. ${NEW_KEY}`);
}

/** 409, stored under the key: less of the payment is left. */
export function refundExceedsPaymentAnswer(
  submission: Refused,
  money: { refunded: Minor; left: Minor },
): string {
  return refusal(
    submission,
    'refund_exceeds_payment',
    `${formatMoney(money.refunded)} of this payment are refunded or on their way; at most ${formatMoney(money.left)} ` +
      `can be refunded now, and not less than ${formatMoney(REFUND_MIN)}. ${NEW_KEY}`,
  );
}

const NEW_KEY = 'Nothing was done; another attempt needs a new Idempotency-Key';

/** 409, stored under the key: the balance does not cover amount and fee. */
export function insufficientBalanceAnswer(
  submission: Submission,
  money: { available: Minor; amount: Minor; fee: Minor },
): string {
  const total = minor(money.amount + money.fee);
  const { currency } = submission.request;
  return refusal(
    submission,
    'insufficient_balance',
    `The balance of ${formatMoney(money.available)} ${currency} does not cover ${formatMoney(total)} ${currency} ` +
      `(${formatMoney(money.amount)} and the fee of ${formatMoney(money.fee)}). ` +
      'Top up, then send the payout with a new Idempotency-Key',
  );
}

/** 409, stored under the key: the submission waited too long before it was accepted, so it is not executed late. */
export function submissionExpiredAnswer(submission: Refused): string {
  return refusal(
    submission,
    'submission_expired',
    'This request waited too long to be accepted and nothing was done. Send it again with a new Idempotency-Key',
  );
}

/** 409, stored under the key: a limit of the account or of its API key. */
export function limitAnswer(submission: Refused, { code, message }: LimitRefusal): string {
  return refusal(submission, code, message);
}

/** 403, never stored: the key stays free. */
export function frozenAnswer(submission: Refused, frozen: Frozen): string {
  return refusal(submission, 'forbidden', frozenError(frozen).message);
}

/** 409, never stored: the key stays free. */
export function previewMismatchAnswer(submission: Refused, mismatch: PreviewMismatch): string {
  return refusal(submission, 'preview_mismatch', previewMismatchMessage(mismatch));
}

/** Why the preview of a payout cannot be used, as the merchant reads it. */
export function previewMismatchMessage(mismatch: PreviewMismatch): string {
  return `${mismatchSentence(mismatch)}. Nothing was done; preview again, or leave preview_id out`;
}

function mismatchSentence(mismatch: PreviewMismatch): string {
  if (Array.isArray(mismatch))
    return `This preview was made for a payout with another ${mismatch.join(', ')}`;
  switch (mismatch) {
    case 'unknown':
      return 'There is no preview with this preview_id';
    case 'expired':
      return 'This preview has expired';
    case 'used':
      return 'This preview was already used by another payout';
  }
}

function refusal(
  submission: Refused,
  code:
    | LimitRefusal['code']
    | 'insufficient_balance'
    | 'submission_expired'
    | 'preview_mismatch'
    | 'forbidden'
    | 'not_refundable'
    | 'refund_exceeds_payment',
  message: string,
): string {
  const error = new GatewayError(code, inLanguageOf(submission, message));
  return JSON.stringify(errorBody(error, submission.requestId));
}

/** Written in the language that was asked for, because what is stored is repeated as it was first given. */
function inLanguageOf({ language = 'en' }: Pick<Submission, 'language'>, sentence: string): string {
  return translate(sentence, language);
}
