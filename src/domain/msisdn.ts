/** Tanzanian mobile numbers: stored as 255 and nine digits, shown as 0 and nine digits (07XXXXXXXX). */
export type Msisdn = string;

/** In place of a number that was erased: nobody has it, and it is shown as 0000000000. */
export const ERASED_MSISDN = '255000000000';

const PATTERN = /^(?:\+?255|00255|0)?([67]\d{8})$/;

/**
 * Any accepted spelling → 255XXXXXXXXX; null when it is none: 07…, 06…, 7…, 6…, 255…, +255… and 00255…, with spaces,
 * dashes, dots and parentheses anywhere.
 */
export function parseMsisdn(input: string): Msisdn | null {
  const match = PATTERN.exec(input.replace(/[ .()-]/g, ''));
  return match ? `255${match[1]}` : null;
}

/** 255XXXXXXXXX → 07XXXXXXXX, the form of every answer and callback. */
export function showMsisdn(msisdn: Msisdn): string {
  return `0${msisdn.slice(3)}`;
}
