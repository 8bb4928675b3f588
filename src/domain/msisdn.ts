import { type Message, say } from './messages.ts';

/** A Tanzanian mobile number is stored as 255 and nine digits, and shown as 0 and nine digits. */
export type Msisdn = string;

/** Replaces an erased number; nobody has it, and it is shown as 0000000000. */
export const ERASED_MSISDN = '255000000000';

const PATTERN = /^(?:\+?255|00255|0)?([67]\d{8})$/;

/** Chats and spreadsheets add these to numbers: direction marks, special spaces and dashes. */
const DROPPED = /[ \u00a0\u202f()\-\u2010-\u2013\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const DECIMAL = /^\+?\d+[.,](?:\d{0,2}|0+)$/;
const SCIENTIFIC = /^\d+(?:[.,]\d+)?e\+?\d+$/i;
const ZERO_AFTER_COUNTRY = /^(?:\+|00)?2550[67]\d{8}$/;
const GROUP_DIGITS_MIN = 2;

/**
 * Reads a number to pay or ask as 255XXXXXXXXX, or returns what is wrong. A dot or comma separates groups
 * only if it cannot be a decimal point: `75412345.0` is a number one digit short that a spreadsheet turned
 * into a float.
 */
export function readPhone(text: string): { msisdn: Msisdn } | { msisdn: null; wrong: Message } {
  const kept = text.replace(DROPPED, '');
  if (DECIMAL.test(kept) || SCIENTIFIC.test(kept)) return { msisdn: null, wrong: say('is_shortened') };
  const groups = kept.split(/[.,]/);
  const number = groups.join('');
  if (ZERO_AFTER_COUNTRY.test(number)) return { msisdn: null, wrong: say('must_leave_out_zero') };
  const isGrouped = groups.length <= 2 || groups.every(({ length }) => length >= GROUP_DIGITS_MIN);
  const match = isGrouped ? PATTERN.exec(number) : null;
  if (match) return { msisdn: `255${match[1]}` };
  return { msisdn: null, wrong: say('must_be_phone_here') };
}

/** Reads a network's number as 255XXXXXXXXX; null if invalid. Takes 07…, 7…, 255…, +255… and 00255…. */
export function parseMsisdn(input: string): Msisdn | null {
  const match = PATTERN.exec(input.replace(/[ .()-]/g, ''));
  return match ? `255${match[1]}` : null;
}

/** 255XXXXXXXXX → 07XXXXXXXX, the form of every answer and callback. */
export function showMsisdn(msisdn: Msisdn): string {
  return `0${msisdn.slice(3)}`;
}
