import type { Failed, NotSent, Succeeded, Unknown } from '../../domain/channel.ts';
import type { FailureCode } from '../../domain/failure.ts';
import type { Direction } from '../../domain/kinds.ts';
import { type Minor, minorSaid } from '../../domain/money.ts';
import { aboutAnother } from '../kit/about.ts';
import { channelCode, channelState, readCodes } from '../kit/codes.ts';
import { type Names, namesOf } from '../kit/receipt-fields.ts';
import { seen, turnedAway, unclear, unknown } from '../kit/unclear.ts';
import type { SelcomAnswer } from './client.ts';
import json from './codes.json' with { type: 'json' };
import type { SelcomSettings } from './settings.ts';
import type { WireEnvelope, WireOrder } from './wire.ts';

export const table = readCodes('selcom', json);

export type OwnCodes = Pick<SelcomSettings, 'notFoundCodes' | 'duplicateCodes' | 'unclearCodes'>;

export type Verdict =
  | { kind: 'done' }
  | { kind: 'pending' }
  | { kind: 'refused'; code: FailureCode }
  | { kind: 'setup' }
  | { kind: 'duplicate' }
  | { kind: 'not_found' }
  | { kind: 'unclear' };

const FAILURE_WORDS = ['FAIL', 'FAILED'];
const PENDING_WORDS = ['PENDING', 'INPROGRESS'];

/** Reads code and word together: a contradiction is unclear. 000 needs the right word and a 2xx. */
export function verdictOf(
  { status, envelope }: Extract<SelcomAnswer, { kind: 'envelope' }>,
  direction: Direction,
  own: OwnCodes,
): Verdict {
  const { resultcode } = envelope;
  const word = envelope.result.trim().toUpperCase();
  if (own.notFoundCodes.includes(resultcode)) return { kind: 'not_found' };
  if (own.duplicateCodes.includes(resultcode)) return { kind: 'duplicate' };
  if (own.unclearCodes.includes(resultcode)) return { kind: 'unclear' };
  const code = channelCode(table, resultcode, direction);
  const failed = FAILURE_WORDS.includes(word);
  if (code?.outcome === 'success' || code?.outcome === 'pending') {
    if (failed || status >= 300) return { kind: 'unclear' };
    const pending = code.outcome === 'pending' || PENDING_WORDS.includes(word);
    if (pending) return { kind: 'pending' };
    return word === 'SUCCESS' ? { kind: 'done' } : { kind: 'unclear' };
  }
  if (!failed || code?.outcome === 'ambiguous') return { kind: 'unclear' };
  if (code?.outcome === 'setup') return { kind: 'setup' };
  return { kind: 'refused', code: code?.failureCode ?? 'network_error' };
}

/** Only a final code refuses. After a 409 or an unlisted code money may have moved. */
export function refusalOf(
  { status, envelope }: Extract<SelcomAnswer, { kind: 'envelope' }>,
  { direction, code }: { direction: Direction; code: FailureCode },
): Failed | Unknown {
  const { resultcode } = envelope;
  const said = `refused: HTTP ${status}, code ${resultcode}`;
  if (status === 409 || resultcode === '409') return seen(said);
  if (channelCode(table, resultcode, direction)?.outcome !== 'final') return unknown(said);
  return { kind: 'failed', code, channelReference: referenceOf(envelope) };
}

/** 412: a field is missing or wrong. 409: the id was sent before. */
const ABOUT_THE_QUESTION = ['412', '409'];

/**
 * Returns true if the answer refuses the payment, not the question. An HTTP error refuses the question. A
 * code about a field, or an answer without our transid, may refuse it too.
 */
export function refusesThatItself(
  { status, envelope }: Extract<SelcomAnswer, { kind: 'envelope' }>,
  reference: string,
): boolean {
  return status < 300 && envelope.transid === reference && !ABOUT_THE_QUESTION.includes(envelope.resultcode);
}

/** A bank account has its own failure code for an unknown recipient. */
export function failureFor(kind: 'wallet' | 'bank', code: FailureCode): FailureCode {
  return kind === 'bank' && code === 'recipient_not_found' ? 'invalid_account' : code;
}

/** Writes codes for the log, never Selcom's sentences. */
export function describe(answer: SelcomAnswer): string {
  if (answer.kind !== 'envelope') return answer.detail;
  return `HTTP ${answer.status}, code ${answer.envelope.resultcode}`;
}

/** Selcom's id, or null. */
export function referenceOf(named: Pick<WireEnvelope, 'reference'>): string | null {
  return namesIn(named, '').channelReference;
}

type Named = Partial<Record<'reference' | 'transid' | 'receipt', string | null | undefined>>;

/** Leaves out a transid of ours. */
export function namesIn({ reference, transid, receipt }: Named, ours: string): Names {
  return namesOf('reference', { reference, transid, receipt }, ours);
}

/** COMPLETED without an amount proves nothing. */
export function orderOf(
  order: WireOrder,
  expected: { reference: string; currency: string },
): Succeeded | Failed | Unknown | { kind: 'accepted'; channelReference: string | null } {
  const another = aboutAnother(expected.reference, order.order_id);
  if (another) return another;
  const state = channelState(table, order.payment_status.trim().toUpperCase(), 'collection');
  const names = namesIn(order, expected.reference);
  const { channelReference } = names;
  if (state?.outcome === 'pending') return { kind: 'accepted', channelReference };
  if (state?.outcome === 'final')
    return { kind: 'failed', code: state.failureCode ?? 'network_error', channelReference };
  if (state?.outcome !== 'success') return seen('an order in a state that nobody knows');
  const amount = minorSaid(order.amount ?? '');
  if (amount === null) return seen('a completed order without an amount');
  return { kind: 'succeeded', amount, currency: expected.currency, ...names, fullName: null };
}

/** Finds the amount in the only sentence of a push's status that has it: `Amt TZS 15,000`. */
export function amountInMessage(message: string | null | undefined, currency: string): Minor | null {
  const said = (message ?? '')
    .split('\n')
    .map((line) => /^Amt ([A-Z]{3}) ([\d,]{1,16}(?:\.\d{1,2})?)$/.exec(line.trim()))
    .find((found) => found !== null);
  return said?.[1] === currency ? minorSaid((said[2] ?? '').replaceAll(',', '')) : null;
}

export function unclearSend(answer: Exclude<SelcomAnswer, { kind: 'envelope' }>): NotSent | Unknown {
  return answer.kind === 'not_sent' ? answer : unclear(answer);
}

export function unclearEnquiry(answer: SelcomAnswer, verdict?: Verdict): Unknown {
  if (answer.kind !== 'envelope') return unclear(answer);
  return unclear(verdict?.kind === 'setup' ? turnedAway(describe(answer)) : unknown(describe(answer)));
}
