import type { EnquiryResult, Failed, SendResult } from '../../domain/channel.ts';
import type { Direction } from '../../domain/kinds.ts';
import { CURRENCY, minorSaid } from '../../domain/money.ts';
import { aboutAnother } from '../kit/about.ts';
import { type ChannelCode, channelCode, channelState, failureOfText, readCodes } from '../kit/codes.ts';
import { describeResult, type HttpResult, saysNothing } from '../kit/http.ts';
import { refusalBy } from '../kit/refused.ts';
import { seen, unclear, unknown } from '../kit/unclear.ts';
import json from './codes.json' with { type: 'json' };
import { type Command, pushAnswerSchema, readCommand, readJson } from './wire.ts';

const RECEIPT_FIELD = 'TXNID';
export const table = readCodes('mixx', json);

export function pushResultOf(answer: HttpResult, reference: string): SendResult {
  const unread = unreadOf(answer);
  if (unread) return unread;
  const body = answer.kind === 'answer' ? readJson(pushAnswerSchema, answer.body) : null;
  if (!body) return unknown(`unreadable: ${describeResult(answer)}`);
  const another = aboutAnother(reference, body.ReferenceID);
  if (another) return another;
  const code = channelCode(table, body.ResponseCode, 'collection');
  if (code?.outcome === 'duplicate') return seen(`duplicate: ${body.ResponseCode}`);
  if (code?.outcome === 'pending' && body.ResponseStatus) return { kind: 'accepted', channelReference: null };
  // A code that contradicts its status proves nothing.
  if (body.ResponseStatus) return unknown(`${body.ResponseCode} with a true status`);
  return refusalBy(code, body.ResponseCode);
}

/** A payout's answer has no amount, so success means only accepted. `100` is unknown, like a time-out. */
export function payoutResultOf(answer: HttpResult, reference: string): SendResult {
  const read = commandOf(answer);
  if ('kind' in read) return read;
  const another = aboutAnother(reference, read.text('REFERENCEID'));
  if (another) return another;
  const status = read.text('TXNSTATUS');
  if (status === null) return unknown('an answer without TXNSTATUS');
  const code = payoutCodeOf(status);
  const channelReference = read.text(RECEIPT_FIELD);
  if (code?.outcome === 'success') return { kind: 'accepted', channelReference };
  return refusalBy(code, status, channelReference);
}

/** Payout codes come with or without leading zeros: `00317`, `317`. */
export function payoutCodeOf(status: string): ChannelCode | undefined {
  const forms = [status, status.padStart(5, '0'), status.replace(/^0+(?=.)/, '')];
  if (!/^\d{1,6}$/.test(status)) return undefined;
  return forms.map((form) => channelCode(table, form, 'payout')).find((code) => code !== undefined);
}

/** Reads the network's status of a reference. A success needs the amount. */
export function statusOf(
  answer: HttpResult,
  question: { reference: string; direction: Direction; notFoundCodes: readonly string[] },
): EnquiryResult {
  const read = commandOf(answer);
  if ('kind' in read) return read.kind === 'not_sent' ? unclear(read) : read;
  const resultCode = read.text('RESULTCODE');
  if (resultCode === null) return unknown('an answer without RESULTCODE');
  const named = read.text('EXTERNALREFID');
  if (question.notFoundCodes.includes(resultCode))
    return aboutAnother(question.reference, named) ?? { kind: 'not_found' };
  if (!/^0+$/.test(resultCode)) return unknown(`RESULTCODE ${resultCode}`);
  // The answer always has a reference.
  const another = aboutAnother(question.reference, named ?? 'nobody');
  if (another) return another;
  return stateOf(read, question.direction);
}

function stateOf(read: Command, direction: Direction): EnquiryResult {
  const word = read.text('TXNSTATUS') ?? '';
  const channelReference = read.text(RECEIPT_FIELD);
  const state = channelState(table, word, direction);
  if (state?.outcome === 'pending') return { kind: 'accepted', channelReference };
  if (state?.outcome === 'final')
    return failedOf(state, read.text('RESULTDESC'), direction, channelReference);
  if (state?.outcome !== 'success') return seen(`TXNSTATUS ${word}`);
  const amount = minorSaid(read.text('AMOUNT') ?? '');
  if (amount === null) return seen('a success that does not say how much moved');
  return { kind: 'succeeded', amount, currency: CURRENCY, channelReference, fullName: null };
}

/** `reversed` is certain. The sentence of any other failure may give a more exact code. */
function failedOf(
  state: ChannelCode,
  sentence: string | null,
  direction: Direction,
  channelReference: string | null,
): Failed {
  const stated = state.failureCode ?? 'network_error';
  const code = stated === 'network_error' ? failureOfText(table, sentence ?? '', direction) : stated;
  return { kind: 'failed', code, channelReference };
}

function commandOf(answer: HttpResult): Command | Exclude<SendResult, { kind: 'accepted' }> {
  const unread = unreadOf(answer);
  if (unread) return unread;
  const command = answer.kind === 'answer' ? readCommand(answer.body) : null;
  // "Internal service error occurred…" and HTML come with every HTTP status.
  return command ?? unknown(`no COMMAND: ${describeResult(answer)}`);
}

function unreadOf(answer: HttpResult): Exclude<SendResult, { kind: 'accepted' }> | null {
  if (answer.kind === 'not_sent') return answer;
  if (answer.kind === 'broken') return unclear(answer);
  return saysNothing(answer.status) ? unknown(describeResult(answer)) : null;
}
