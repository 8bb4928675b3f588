/** Tanzanian mobile numbers: stored as 255 and nine digits, shown as 0 and nine digits (07XXXXXXXX). */
export type Msisdn = string;

const PATTERN = /^(?:\+?255|0)([67]\d{8})$/;

/** Any accepted form (07…, 06…, 255…, +255…, spaces and dashes dropped) → 255XXXXXXXXX; null when it is none. */
export function parseMsisdn(input: string): Msisdn | null {
  const match = PATTERN.exec(input.replace(/[ -]/g, ''));
  return match ? `255${match[1]}` : null;
}

/** 255XXXXXXXXX → 07XXXXXXXX, the form of every answer and callback. */
export function showMsisdn(msisdn: Msisdn): string {
  return `0${msisdn.slice(3)}`;
}
