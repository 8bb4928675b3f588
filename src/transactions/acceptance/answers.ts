import type { Frozen } from '../../accounts/freeze.ts';
import { jsonText } from '../../base/json-text.ts';
import type {
  bankPayoutAnswer,
  billAnswer as billAnswerSchema,
  mobilePayoutAnswer,
  pushAnswer as pushAnswerSchema,
  qrAnswer as qrAnswerSchema,
  refundAnswer as refundAnswerSchema,
  settlementAnswer as settlementAnswerSchema,
} from '../../contract/answer-schemas.ts';
import { writeAnswer, writeJson } from '../../contract/json-of.ts';
import { errorBody, GatewayError } from '../../domain/errors.ts';
import type { Language } from '../../domain/language.ts';
import type { LimitRefusal } from '../../domain/limits.ts';
import { type Message, say } from '../../domain/messages.ts';
import { formatMoney, type Minor, minor, toUnits } from '../../domain/money.ts';
import { networkNameOf } from '../../domain/network.ts';
import type {
  BillRequest,
  PayoutRequest,
  PushRequest,
  QrRequest,
  RefundRequest,
  SettlementRequest,
  Submission,
} from '../../domain/operation.ts';
import { partyOf } from '../../domain/party.ts';
import { REFUND_MIN, type RefundObstacle, refundObstacles } from '../../domain/refund.ts';
import type { PreviewMismatch } from './previews.ts';

/**
 * The bodies that the accepting transaction stores under an Idempotency-Key: JSON text, the same bytes for every
 * repeat. They are made here, from the submission alone, so that a re-run makes them again byte for byte.
 */

/** 200 of `POST payments/ussd`. */
export function pushAnswer(submission: Submission<PushRequest>): string {
  const { request, transactionId } = submission;
  return writeJson<typeof pushAnswerSchema>(
    {
      success: true,
      message: say('push_accepted'),
      transaction_id: transactionId,
      transaction_channel: networkNameOf(request.channel),
      amount: { value: toUnits(request.amount), currency: request.currency },
      metadata: jsonText(submission.metadata),
    },
    languageOf(submission),
  );
}

/** 200 of `POST payments/billpay`. */
export function billAnswer(submission: Submission<BillRequest>, controlNumber: string): string {
  const { request, transactionId } = submission;
  return writeJson<typeof billAnswerSchema>(
    {
      success: true,
      message: say('bill_created'),
      transaction_id: transactionId,
      bill: { amount: formatMoney(request.amount), reference: controlNumber, mode: request.billMode },
      pay_url: request.payUrl,
      metadata: jsonText(submission.metadata),
      expires_at: request.expiresAt,
    },
    languageOf(submission),
  );
}

/** 200 of `POST payments/qr`. The image is part of the stored bytes: another release may draw it otherwise. */
export function qrAnswer(
  submission: Submission<QrRequest>,
  code: { payload: string; image: string },
): string {
  const { request, transactionId } = submission;
  return writeJson<typeof qrAnswerSchema>(
    {
      success: true,
      message: say('qr_created'),
      transaction_id: transactionId,
      transaction_channel: networkNameOf(request.channel),
      amount: { value: toUnits(request.amount), currency: request.currency },
      metadata: jsonText(submission.metadata),
      transaction_mode: 'qr',
      qr: { payload: code.payload, image: code.image, expires_at: request.expiresAt },
      pay_url: request.payUrl,
    },
    languageOf(submission),
  );
}

/** 200 of `POST payouts/mobile` and `POST payouts/bank`. `current` and `reserved` are the balance after the hold. */
export function payoutAnswer(
  submission: Submission<PayoutRequest>,
  money: { fee: Minor; current: Minor; reserved: Minor },
): string {
  const { request, transactionId } = submission;
  const first = {
    success: true,
    message: say('payout_accepted'),
    balance: { current: toUnits(money.current), reserved: toUnits(money.reserved) },
    transaction_id: transactionId,
    status: 'initiated',
    amount: { value: toUnits(request.amount), currency: request.currency, fee: toUnits(money.fee) },
  } as const;
  const metadata = jsonText(submission.metadata);
  const language = languageOf(submission);
  const party = partyOf(request);
  if (party.kind === 'wallet') return writeJson<typeof mobilePayoutAnswer>({ ...first, metadata }, language);
  const bank = { account_number: party.accountNumber, bic: party.bic };
  return writeJson<typeof bankPayoutAnswer>({ ...first, bank, metadata }, language);
}

/** 200 of `POST payments/{id}/refunds`. */
export function refundAnswer(
  submission: Submission<RefundRequest>,
  money: { amount: Minor; fee: Minor; current: Minor; reserved: Minor },
): string {
  const { request, transactionId } = submission;
  return writeJson<typeof refundAnswerSchema>(
    {
      success: true,
      message: say('refund_accepted'),
      balance: { current: toUnits(money.current), reserved: toUnits(money.reserved) },
      transaction_id: transactionId,
      refund_of: request.refundOf,
      status: 'initiated',
      amount: { value: toUnits(money.amount), currency: request.currency, fee: toUnits(money.fee) },
      metadata: jsonText(submission.metadata),
    },
    languageOf(submission),
  );
}

/** 200 of `POST payouts/settlement`. `current` and `reserved` are the balance after the holds of all its payouts. */
export function settlementAnswer(
  submission: Submission<SettlementRequest>,
  {
    amount,
    payouts,
    current,
    reserved,
  }: { amount: Minor; payouts: string[]; current: Minor; reserved: Minor },
): string {
  return writeJson<typeof settlementAnswerSchema>(
    {
      success: true,
      message: say('settlement_accepted'),
      balance: { current: toUnits(current), reserved: toUnits(reserved) },
      settlement: { id: submission.transactionId, amount: toUnits(amount), payouts },
      metadata: jsonText(submission.metadata),
    },
    languageOf(submission),
  );
}

/** 409, never stored: the key stays free. */
export function notSettleableAnswer(submission: Refused, why: Message): string {
  return refusal(submission, 'not_settleable', why);
}

/** 409, stored under the key: amount and fees would leave less than the rule keeps. */
export function settlementBalanceAnswer(
  submission: Submission<SettlementRequest>,
  money: { available: Minor; rule: { keep: Minor }; amount: Minor; fee: Minor },
): string {
  const message = say('settlement_leaves_too_little', {
    available: formatMoney(money.available),
    keep: formatMoney(money.rule.keep),
    amount: formatMoney(money.amount),
    fee: formatMoney(money.fee),
  });
  return refusal(submission, 'insufficient_balance', withNewKey(message));
}

/** Of a submission, what its refusal needs. */
type Refused = Pick<Submission, 'requestId' | 'language'>;

/** 409, stored under the key: nothing of the payment can be given back. */
export function notRefundableAnswer(submission: Refused, obstacle: RefundObstacle): string {
  return refusal(submission, 'not_refundable', withNewKey(refundObstacles[obstacle]));
}

/** 409, stored under the key: the money of a push of a page belongs to what it paid. */
export function refundWhatItPaysAnswer(submission: Refused, pays: string): string {
  return refusal(submission, 'not_refundable', withNewKey(say('refund_what_it_pays', { id: pays })));
}

/** 503, never stored: what a statement shows of the payment is not explained yet. */
export function refundWaitsAnswer(submission: Refused): string {
  return refusal(submission, 'unavailable', say('refund_waits'));
}

/** 409, stored under the key: less of the payment is left. */
export function refundExceedsPaymentAnswer(
  submission: Refused,
  money: { refunded: Minor; left: Minor },
): string {
  const [refunded, left] = [formatMoney(money.refunded), formatMoney(money.left)];
  const why = say('refund_too_much', { refunded, left, minimum: formatMoney(REFUND_MIN) });
  return refusal(submission, 'refund_exceeds_payment', withNewKey(why));
}

/** A refusal that is stored: what it says, and that the key is used up. */
export function withNewKey(first: Message): Message {
  return say('two_sentences', { first, second: say('use_new_key') });
}

/** 409, stored under the key: the balance does not cover amount and fee. */
export function insufficientBalanceAnswer(
  submission: Submission,
  money: { available: Minor; amount: Minor; fee: Minor },
): string {
  const total = minor(money.amount + money.fee);
  const message = say('balance_too_small', {
    available: formatMoney(money.available),
    currency: submission.request.currency,
    total: formatMoney(total),
    amount: formatMoney(money.amount),
    fee: formatMoney(money.fee),
  });
  return refusal(submission, 'insufficient_balance', message);
}

/** 409, stored under the key: the submission waited too long before it was accepted, so it is not executed late. */
export function submissionExpiredAnswer(submission: Refused): string {
  return refusal(submission, 'submission_expired', say('submission_expired'));
}

/** 409, stored under the key: a limit of the account or of its API key. */
export function limitAnswer(submission: Refused, { code, message }: LimitRefusal): string {
  return refusal(submission, code, message);
}

/** 403, never stored: the key stays free. */
export function frozenAnswer(submission: Refused, frozen: Frozen): string {
  return refusal(submission, 'forbidden', say(`${frozen}_frozen`));
}

/** 409, never stored: the key stays free. */
export function previewMismatchAnswer(submission: Refused, mismatch: PreviewMismatch): string {
  return refusal(submission, 'preview_mismatch', previewMismatchMessage(mismatch));
}

/** Why the preview of a payout cannot be used, as the merchant reads it. */
export function previewMismatchMessage(mismatch: PreviewMismatch): Message {
  const first = Array.isArray(mismatch)
    ? say('preview_differs', { parts: mismatch.join(', ') })
    : say(`preview_${mismatch}`);
  return say('two_sentences', { first, second: say('preview_again') });
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
    | 'not_settleable'
    | 'unavailable'
    | 'refund_exceeds_payment',
  message: Message,
): string {
  const body = errorBody(new GatewayError(code, message), submission.requestId);
  return writeAnswer(body, languageOf(submission));
}

/** What is stored is in the language that was asked for, because it is repeated as it was first given. */
function languageOf({ language = 'en' }: Pick<Submission, 'language'>): Language {
  return language;
}
