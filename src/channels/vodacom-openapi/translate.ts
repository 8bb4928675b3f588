import type { Enquiry, EnquiryResult, NotSent, SendResult, Unknown } from '../../domain/channel.ts';
import type { Direction } from '../../domain/kinds.ts';
import type { Minor } from '../../domain/money.ts';
import { aboutAnother } from '../kit/about.ts';
import { channelCode, channelState, failureOfText, readCodes } from '../kit/codes.ts';
import { refusalBy } from '../kit/refused.ts';
import { seen, turnedAway, unclear, unknown } from '../kit/unclear.ts';
import { type Answer, gatewayErrorOf, isAboutOrigin, read } from './client.ts';
import json from './codes.json' with { type: 'json' };
import { answerSchema, enquiryAnswerSchema, type WireEnquiryAnswer } from './wire.ts';

export const table = readCodes('vodacom-openapi', json);
const OPERATOR_CODES = ['INS-992', 'INS-993', 'INS-994'];

export type Asked = {
  direction: Direction;
  /** id of our request: input_ThirdPartyConversationID */
  conversationId: string;
  amount: Minor;
  currency: string;
};

type Ordered = Pick<Enquiry, 'direction' | 'amount' | 'currency'>;

/**
 * Reads the answer to a payment. The code decides, never the HTTP status. INS-0 means "paid" only for a
 * synchronous application, with a transaction id. No answer has an amount: the network carries out the
 * request unchanged.
 */
export function sendResultOf(answer: Answer, mode: 'synchronous' | 'asynchronous', asked: Asked): SendResult {
  if (answer.kind === 'not_sent') return answer;
  if (answer.kind === 'unclear') return unclear(answer);
  const body = read(answerSchema, answer.json);
  if (!body) return gatewayRefusal(answer);
  const another = aboutAnother(asked.conversationId, body.output_ThirdPartyConversationID);
  if (another) return another;
  const transactionId = receiptOf(body.output_TransactionID);
  if (body.output_ResponseCode !== 'INS-0') return refusalOf(body.output_ResponseCode, asked.direction);
  if (answer.status >= 300) return unknown(`INS-0 with HTTP ${answer.status}`);
  if (mode === 'asynchronous' || transactionId === null) return { kind: 'accepted', channelReference: null };
  return succeeded(asked, transactionId);
}

function refusalOf(code: string, direction: Direction): SendResult {
  const meaning = channelCode(table, code, direction);
  if (meaning?.outcome === 'setup') {
    const detail = OPERATOR_CODES.includes(code)
      ? `${code}: the limits of our application are used up; ` +
        'a new session is taken, and an operator must look'
      : `refused: ${code}; an operator must look at our set-up`;
    return turnedAway(detail);
  }
  return refusalBy(meaning, code);
}

/** The gateway in front answered. Only its refusal of our origin proves that nothing was done. */
function gatewayRefusal(answer: Extract<Answer, { kind: 'read' }>): NotSent | Unknown {
  const complaint = gatewayErrorOf(answer.json);
  if (complaint === null) return unknown(`HTTP ${answer.status}, unreadable`);
  if (answer.status >= 400 && isAboutOrigin(complaint))
    return turnedAway('our origin is none of the trusted sources; an operator must look');
  return unknown(`HTTP ${answer.status} with an error of the gateway`);
}

/** `queryId` is the conversation id of the enquiry itself. */
export function enquiryResultOf(
  answer: Answer,
  queryId: string,
  asked: Ordered & { notFoundCodes: readonly string[] },
): EnquiryResult {
  if (answer.kind !== 'read') return unclear(answer);
  const body = read(enquiryAnswerSchema, answer.json);
  if (!body) return unclear(gatewayRefusal(answer));
  const another = aboutAnother(queryId, body.output_ThirdPartyConversationID);
  if (another) return another;
  if (asked.notFoundCodes.includes(body.output_ResponseCode)) return { kind: 'not_found' };
  const code = body.output_ResponseCode;
  if (channelCode(table, code, asked.direction)?.outcome === 'setup')
    return unclear(turnedAway(`enquiry: ${code}`));
  if (code !== 'INS-0' || answer.status >= 300) return unknown(`enquiry: ${code}`);
  return stateOf(body, asked);
}

function stateOf(body: WireEnquiryAnswer, { direction, amount, currency }: Ordered): EnquiryResult {
  const status = body.output_ResponseTransactionStatus ?? '';
  const meaning = channelState(table, status, direction);
  const channelReference = receiptOf(body.output_OriginalTransactionID);
  // The transaction was found, so an unclear state is "seen".
  if (meaning?.outcome === 'pending') return { kind: 'accepted', channelReference };
  if (meaning?.outcome === 'final' && meaning.failureCode) {
    // "Failed" alone gives no cause, but the sentence may.
    const isBare = meaning.failureCode === 'network_error';
    const code = isBare
      ? failureOfText(table, body.output_ResponseDesc ?? '', direction)
      : meaning.failureCode;
    return { kind: 'failed', code, channelReference };
  }
  if (meaning?.outcome !== 'success') return seen(`status ${status}`);
  if (body.output_Reversed === true)
    return seen('completed and reversed, whole or in part: a person decides');
  if (amount === undefined || currency === undefined)
    return seen('completed, but nobody said how much was asked for');
  return succeeded({ amount, currency }, channelReference);
}

function succeeded(
  { amount, currency }: Pick<Asked, 'amount' | 'currency'>,
  channelReference: string | null,
) {
  return { kind: 'succeeded', amount, currency, channelReference, fullName: null } as const;
}

/** Returns null if M-Pesa gives no receipt, in any of its spellings. */
export function receiptOf(text: string | undefined): string | null {
  const receipt = text?.trim() || null;
  return receipt === 'N/A' ? null : receipt;
}

const CONVERSATION_ID = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/i;

/** Returns our id without dashes: 32 characters, the longest that an enquiry accepts. */
export function conversationIdOf(transactionId: string): string {
  return transactionId.replaceAll('-', '').toLowerCase();
}

export function transactionIdOf(conversationId: string): string | null {
  const parts = CONVERSATION_ID.exec(conversationId.trim());
  return parts ? parts.slice(1).join('-').toLowerCase() : null;
}
