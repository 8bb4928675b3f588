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
import { say } from '../../domain/messages.ts';
import { formatMoney, type Minor, toUnits } from '../../domain/money.ts';
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
import type { Refused } from './verdict.ts';

/** Builds the answer from the submission alone, so a re-run makes the same bytes. */

export function pushAnswer(submission: Submission<PushRequest>): string {
  const { request, transactionId } = submission;
  return writeJson<typeof pushAnswerSchema>(submission, {
    success: true,
    message: say('push_accepted'),
    transaction_id: transactionId,
    transaction_channel: networkNameOf(request.channel),
    amount: { value: toUnits(request.amount), currency: request.currency },
    metadata: jsonText(submission.metadata),
  });
}

export function billAnswer(submission: Submission<BillRequest>, controlNumber: string): string {
  const { request, transactionId } = submission;
  return writeJson<typeof billAnswerSchema>(submission, {
    success: true,
    message: say('bill_created'),
    transaction_id: transactionId,
    bill: { amount: formatMoney(request.amount), reference: controlNumber, mode: request.billMode },
    pay_url: request.payUrl,
    metadata: jsonText(submission.metadata),
    expires_at: request.expiresAt,
  });
}

/** 200 of `POST payments/qr`. Contains the image, because another release may draw it differently. */
export function qrAnswer(
  submission: Submission<QrRequest>,
  code: { payload: string; image: string },
): string {
  const { request, transactionId } = submission;
  return writeJson<typeof qrAnswerSchema>(submission, {
    success: true,
    message: say('qr_created'),
    transaction_id: transactionId,
    transaction_channel: networkNameOf(request.channel),
    amount: { value: toUnits(request.amount), currency: request.currency },
    metadata: jsonText(submission.metadata),
    transaction_mode: 'qr',
    qr: { payload: code.payload, image: code.image, expires_at: request.expiresAt },
    pay_url: request.payUrl,
  });
}

/** 200 of `POST payouts/mobile` and `POST payouts/bank`. `current` and `reserved`: after the hold. */
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
  const party = partyOf(request);
  if (party.kind === 'wallet')
    return writeJson<typeof mobilePayoutAnswer>(submission, { ...first, metadata });
  const bank = { account_number: party.accountNumber, bic: party.bic };
  return writeJson<typeof bankPayoutAnswer>(submission, { ...first, bank, metadata });
}

export function refundAnswer(
  submission: Submission<RefundRequest>,
  money: { amount: Minor; fee: Minor; current: Minor; reserved: Minor },
): string {
  const { request, transactionId } = submission;
  return writeJson<typeof refundAnswerSchema>(submission, {
    success: true,
    message: say('refund_accepted'),
    balance: { current: toUnits(money.current), reserved: toUnits(money.reserved) },
    transaction_id: transactionId,
    refund_of: request.refundOf,
    status: 'initiated',
    amount: { value: toUnits(money.amount), currency: request.currency, fee: toUnits(money.fee) },
    metadata: jsonText(submission.metadata),
  });
}

/** 200 of `POST payouts/settlement`, after all holds. */
export function settlementAnswer(
  submission: Submission<SettlementRequest>,
  {
    amount,
    payouts,
    current,
    reserved,
  }: { amount: Minor; payouts: string[]; current: Minor; reserved: Minor },
): string {
  return writeJson<typeof settlementAnswerSchema>(submission, {
    success: true,
    message: say('settlement_accepted'),
    balance: { current: toUnits(current), reserved: toUnits(reserved) },
    settlement: { id: submission.transactionId, amount: toUnits(amount), payouts },
    metadata: jsonText(submission.metadata),
  });
}

export function refusalAnswer(
  { requestId, language }: Pick<Submission, 'requestId' | 'language'>,
  { refused, say: message }: Pick<Refused, 'refused' | 'say'>,
): string {
  return writeAnswer(errorBody(new GatewayError(refused, message), requestId), language ?? 'en');
}

export function sentenceIn(body: string): string {
  return JSON.parse(body).message;
}
