import { failureData } from './data/failure-codes.ts';
import type { FailureCode } from './failure-code.ts';
import type { Direction } from './kinds.ts';

/**
 * What the sentence of an explicit failure without a code says (data/failure-codes.json, `text_patterns`): the first
 * pattern that it contains; `network_error` when there is none. Never for anything that is not sure to have failed.
 */
export function failureOfText(protocol: string, text: string, direction: Direction): FailureCode {
  const sentence = text.toLowerCase();
  const patterns = failureData.channels[protocol]?.text_patterns;
  return patterns?.find(({ contains }) => sentence.includes(contains))?.[direction] ?? 'network_error';
}
