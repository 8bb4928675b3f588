import type {
  Enquiry,
  EnquiryResult,
  Failed,
  NameResult,
  Notification,
  SendResult,
  Succeeded,
} from '../../domain/channel.ts';
import type { FailureCode } from '../../domain/failure.ts';
import type { Direction } from '../../domain/kinds.ts';
import { type Minor, minorSaid } from '../../domain/money.ts';
import { aboutAnother, ours } from '../kit/about.ts';
import { readCleanJson } from '../kit/clean-json.ts';
import { type ChannelCode, channelCode, channelState, readCodes } from '../kit/codes.ts';
import { eventKeyOf } from '../kit/event-key.ts';
import { describeResult, type HttpResult, saysNothing } from '../kit/http.ts';
import { namesOf } from '../kit/receipt-fields.ts';
import { seen, turnedAway, unclear, unknown } from '../kit/unclear.ts';
import json from './codes.json' with { type: 'json' };
import type { AirtelOpenapiSettings } from './settings.ts';
import {
  RECEIPT_FIELD,
  transactionAnswerSchema,
  UNDERSTOOD,
  userSchema,
  type WireCallback,
  type WireEnvelope,
  type WireTransactionAnswer,
} from './wire.ts';

export const table = readCodes('airtel-openapi', json);

export type Reading = Pick<AirtelOpenapiSettings, 'payoutBarred' | 'fieldErrorIsFinal'>;
type Answer = HttpResult & { kind: 'answer' };
type Moved = { amount: Minor; currency: string };

const familyOf: Record<Direction, string> = { collection: 'DP008', payout: 'DP009' };
/** An enquiry answers with these codes if it never received the id. */
const NEVER_SEEN = ['ESB000045', 'DP00800001025', 'DP00900001015'];
/** This code beside one of NEVER_SEEN says that the enquiry failed, which is nothing about a payment. */
const ENQUIRY_FAILED = 'ESB000011';
/** A timed-out prompt is a failure only if the status word also says so. */
const TIMED_OUT = 'DP00800001024';
/** A payout with such a code may have been made, whatever the status word. */
const MAYBE_DONE = ['DP00900001000', 'DP00900001014'];
/** These codes say that our public key is wrong or out of date. */
const KEY_REFUSALS = ['DP00800001026', 'DP00900001016', 'DP00900001018', 'ROUTER114', 'ROUTER116'];

/** A code of another call means nothing, such as a payout's code in an answer about a collection. */
function meaningOf(code: string, direction: Direction, reading: Reading): ChannelCode | undefined {
  if (code.startsWith('DP') && !code.startsWith(familyOf[direction])) return undefined;
  if (code === 'DP00900001019' && reading.payoutBarred === 'recipient')
    return channelCode(table, `${code}/recipient`, direction);
  if (code === 'ESB000008' && !reading.fieldErrorIsFinal)
    return channelCode(table, `${code}/ambiguous`, direction);
  return channelCode(table, code, direction);
}

function codesOf({ status, status_code: routerCode }: WireEnvelope): string[] {
  return [status?.response_code, status?.result_code, routerCode].filter(
    (code): code is string => Boolean(code) && code !== UNDERSTOOD,
  );
}

/** Codes that disagree, or an unknown code, mean nothing. */
function togetherOf(codes: string[], direction: Direction, reading: Reading): ChannelCode {
  const meanings = codes.map((code) => meaningOf(code, direction, reading));
  const [first] = meanings;
  const nothing: ChannelCode = { outcome: 'ambiguous', failureCode: null, alert: false };
  if (meanings.some((meaning) => meaning?.outcome === 'duplicate'))
    return { ...nothing, outcome: 'duplicate' };
  if (!first || meanings.some((meaning) => meaning?.outcome !== first.outcome)) return nothing;
  return first;
}

export function refusesOurKey(answer: HttpResult): boolean {
  const body = answer.kind === 'answer' ? readCleanJson(transactionAnswerSchema, answer.body) : null;
  return body !== null && codesOf(body).some((code) => KEY_REFUSALS.includes(code));
}

/** Returns null for an answer that proves nothing: an error page, a time-out, a 5xx. */
function readable(answer: Answer): WireTransactionAnswer | null {
  if (saysNothing(answer.status)) return null;
  return readCleanJson(transactionAnswerSchema, answer.body);
}

export function sendResultOf(
  answer: HttpResult,
  ordered: Moved & { reference: string; direction: Direction },
  reading: Reading,
): SendResult {
  if (answer.kind === 'not_sent') return answer;
  if (answer.kind === 'broken') return unclear(answer);
  const body = readable(answer);
  const codes = body ? codesOf(body) : [];
  const isUnderstood = body?.status?.result_code === UNDERSTOOD || body?.status?.response_code === UNDERSTOOD;
  if (!body || (codes.length === 0 && !isUnderstood))
    return body && answer.status === 429
      ? turnedAway('HTTP 429: too many requests')
      : unknown(describeResult(answer));
  const meaning =
    codes.length === 0
      ? ({ outcome: 'pending', failureCode: null, alert: false } as const)
      : togetherOf(codes, ordered.direction, reading);
  const said = `${codes.join(' ') || UNDERSTOOD}, ${describeResult(answer)}`;
  const transaction = body.data?.transaction;
  const another = aboutAnother(ordered.reference, transaction?.id);
  if (another) return another;
  const state = transaction?.status ? channelState(table, transaction.status, ordered.direction) : undefined;
  switch (meaning.outcome) {
    case 'setup':
      return turnedAway(`refused: ${said}`);
    case 'duplicate':
      return seen(`duplicate: ${said}`);
    case 'ambiguous':
      return unknown(`ambiguous: ${said}`);
    case 'final':
      if (state && state.outcome !== 'final')
        return seen(`a failure in state ${transaction?.status}: ${said}`);
      return failed(meaning.failureCode ?? 'network_error');
    default:
      return takenResultOf(answer, { said, meaning, state, transaction }, ordered);
  }
}

/** A collection's success means only that the customer was asked. A payout's state says if it was made. */
function takenResultOf(
  answer: Answer,
  taken: {
    said: string;
    meaning: ChannelCode;
    state: ChannelCode | undefined;
    transaction: NonNullable<WireTransactionAnswer['data']>['transaction'];
  },
  ordered: Moved & { reference: string; direction: Direction },
): SendResult {
  const { said, meaning, state, transaction } = taken;
  if (answer.status >= 300) return unknown(`not refused, and not taken: ${said}`);
  if (state?.outcome === 'final') return seen(`taken in state ${transaction?.status}: ${said}`);
  const isPaid =
    ordered.direction === 'payout' && meaning.outcome === 'success' && state?.outcome === 'success';
  if (!isPaid) return { kind: 'accepted', channelReference: null };
  const reported = amountIn(transaction?.message);
  return succeeded(reported ?? ordered, transaction ?? {}, ordered.reference);
}

/** The status word decides, because the envelope's codes differ between samples. */
export function enquiryResultOf(answer: HttpResult, asked: Enquiry, reading: Reading): EnquiryResult {
  if (answer.kind !== 'answer') return unclear(answer);
  const body = readable(answer);
  if (!body) return unknown(describeResult(answer));
  const codes = codesOf(body);
  const transaction = body.data?.transaction;
  const said = `${transaction?.status ?? 'no state'} ${codes.join(' ')}, ${describeResult(answer)}`;
  const another = aboutAnother(asked.reference, transaction?.id);
  if (another) return another;
  if (!transaction?.status) {
    const isNeverSeen =
      codes.some((code) => NEVER_SEEN.includes(code)) &&
      codes.every((code) => NEVER_SEEN.includes(code) || code === ENQUIRY_FAILED);
    // A code without a state may be about the enquiry itself: …005 also means "Transaction ID is invalid".
    return isNeverSeen ? { kind: 'not_found' } : unknown(said);
  }
  if (answer.status >= 300) return unknown(said);
  const state = channelState(table, transaction.status, asked.direction);
  switch (state?.outcome) {
    case 'success': {
      const { amount, currency } = amountIn(transaction.message) ?? asked;
      if (amount === undefined || currency === undefined) return seen('paid, but how much is not said');
      return succeeded({ amount, currency }, transaction, asked.reference);
    }
    case 'final':
      if (codes.some((code) => MAYBE_DONE.includes(code))) return seen(said);
      return failed(failureOf(state, codes, { direction: asked.direction, reading }));
    case 'pending':
      return { kind: 'accepted', channelReference: null };
    default:
      return seen(said);
  }
}

function failureOf(
  state: ChannelCode,
  codes: string[],
  { direction, reading }: { direction: Direction; reading: Reading },
): FailureCode {
  if (codes.includes(TIMED_OUT) && direction === 'collection') return 'customer_timeout';
  const why = codes
    .map((code) => meaningOf(code, direction, reading))
    .find((one) => one?.outcome === 'final');
  // ESB000011 says only that it failed. The state may say more (expired).
  const code = why?.failureCode ?? null;
  return code === null || code === 'network_error' ? (state.failureCode ?? 'network_error') : code;
}

export function notificationOf({ transaction }: WireCallback, reading: Reading): Notification {
  const direction: Direction = ours(transaction.id).startsWith('PO') ? 'payout' : 'collection';
  const content = contentOf(transaction, direction, reading);
  const meaning = [transaction.id, transaction.status_code, transaction.code, transaction.airtel_money_id];
  const reported = content.kind === 'succeeded' ? content.amount : null;
  const eventKey = eventKeyOf([...meaning.map((part) => part ?? null), reported]);
  return { eventKey, subject: { reference: transaction.id }, content };
}

function contentOf(
  transaction: WireCallback['transaction'],
  direction: Direction,
  reading: Reading,
): Notification['content'] {
  const state = channelState(table, transaction.status_code, direction);
  if (state?.outcome === 'final') {
    const codes = transaction.code ? [transaction.code] : [];
    if (codes.some((code) => MAYBE_DONE.includes(code))) return { kind: 'ask' };
    return failed(failureOf(state, codes, { direction, reading }));
  }
  const reported = amountIn(transaction.message);
  return state?.outcome === 'success' && reported
    ? succeeded(reported, transaction, transaction.id)
    : { kind: 'ask' };
}

/** Finds the amount in the only sentence that has it: `Paid TZS 5,000 to …`. Returns null without it. */
function amountIn(message: string | null | undefined): Moved | null {
  const [, currency, text] =
    /^Paid ([A-Z]{3}) ?(\d[\d,]{0,15}(?:\.\d{1,2})?)(?![\d.,]*\d)/.exec(message ?? '') ?? [];
  const amount = minorSaid(text ?? '');
  return currency === undefined || amount === null ? null : { amount, currency };
}

export function nameResultOf(answer: HttpResult): NameResult {
  if (answer.kind !== 'answer' || answer.status >= 500) return { kind: 'unknown' };
  const body = readCleanJson(userSchema, answer.body);
  const codes = body ? codesOf(body) : [];
  const [meaning] = codes.map((code) => channelCode(table, code, 'collection'));
  if (meaning?.outcome === 'final' && codes.includes('DP02200000002')) return { kind: 'not_found' };
  const parts = [body?.data?.first_name, body?.data?.last_name].map((part) => part?.trim());
  const fullName = parts.filter(Boolean).join(' ');
  const isOk = answer.status === 200 && (meaning?.outcome ?? 'success') === 'success';
  return isOk && fullName !== '' ? { kind: 'found', fullName } : { kind: 'unknown' };
}

function failed(code: FailureCode): Failed {
  return { kind: 'failed', code, channelReference: null };
}

type Numbers = { airtel_money_id?: string | null | undefined; reference_id?: unknown };

function succeeded({ amount, currency }: Moved, numbers: Numbers, ours: string): Succeeded {
  const { airtel_money_id, reference_id: other } = numbers;
  const reference_id = typeof other === 'boolean' ? null : String(other ?? '');
  const names = namesOf(RECEIPT_FIELD, { airtel_money_id, reference_id }, ours);
  return { kind: 'succeeded', amount, currency, ...names, fullName: null };
}
