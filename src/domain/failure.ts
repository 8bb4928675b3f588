import { type ChannelRow, type CodedProtocol, failureData, type Outcome } from './data/failure-codes.ts';
import type { FailureCode } from './failure-code.ts';
import type { Direction } from './kinds.ts';
import { type Message, say } from './messages.ts';

export { type FailureCode, failureCodes } from './failure-code.ts';
export type { Outcome };

/** The message that merchants read beside the code; a channel's own text never reaches them. */
export function failureReasonOf(code: FailureCode): Message {
  return say(`failure_${code}`);
}

/** The meaning of one code of a channel (data/failure-codes.json): `setup` is a refusal before any processing. */
export type ChannelCode = {
  outcome: Outcome;
  failureCode: FailureCode | null;
  alert: boolean;
};

/** The table of one protocol: its code → what it means for a direction; undefined for a code it does not list. */
export function channelCode(
  protocol: CodedProtocol,
  code: string,
  direction: Direction,
): ChannelCode | undefined {
  return meaningOf(failureData.channels[protocol]?.codes, code, direction);
}

/**
 * As `channelCode`, for the status words of a protocol (`completed`, `ACSP`), which have a table of their own and come in any
 * case, and with spaces around them. Its row `*` is every word that it does not list.
 */
export function channelState(
  protocol: CodedProtocol,
  state: string,
  direction: Direction,
): ChannelCode | undefined {
  const states = failureData.channels[protocol]?.states;
  const word = states?.find(({ code }) => code.toUpperCase() === state.trim().toUpperCase())?.code;
  return meaningOf(states, word ?? '*', direction);
}

/** As `channelCode`, of a protocol without codes: its rows are what its sentences contain, in any case; the first counts. */
export function channelText(
  protocol: CodedProtocol,
  text: string,
  direction: Direction,
): ChannelCode | undefined {
  const rows = failureData.channels[protocol]?.codes;
  const sentence = text.toLowerCase();
  const row = rows?.find(({ code }) => sentence.includes(code.toLowerCase()));
  return row && meaningOf(rows, row.code, direction);
}

/**
 * What the sentence of an explicit failure without a code says (data/failure-codes.json, `text_patterns`): the first
 * pattern that it contains; `network_error` when there is none. Never for anything that is not sure to have failed.
 */
export function failureOfText(protocol: CodedProtocol, text: string, direction: Direction): FailureCode {
  const sentence = text.toLowerCase();
  const patterns = failureData.channels[protocol]?.text_patterns;
  return patterns?.find(({ contains }) => sentence.includes(contains))?.[direction] ?? 'network_error';
}

function meaningOf(
  rows: ChannelRow[] | undefined,
  code: string,
  direction: Direction,
): ChannelCode | undefined {
  const row = rows?.find((r) => r.code === code);
  if (!row) return undefined;
  return {
    outcome: row.outcome,
    failureCode: row[direction] ?? row.failure_code ?? null,
    alert: row.alert ?? false,
  };
}
