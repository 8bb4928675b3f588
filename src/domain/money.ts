/** Money is an integer of minor units (1 TZS = 100). Only this file meets floats, as JSON numbers. */
export type Minor = number & { readonly __brand: 'Minor' };

export const MINOR_PER_UNIT = 100;

/** This is the only currency so far; every row and message still carries its own. */
export const CURRENCY = 'TZS';

/** People enter at most 10 million million shillings: a larger balance would be unreadable. */
export const MONEY_MAX = 1_000_000_000_000_000;

/** Throws RangeError unless it is a safe integer: a bug, not a bad request. */
export function minor(value: number): Minor {
  if (!Number.isSafeInteger(value)) throw new RangeError(`not a safe integer of minor units: ${value}`);
  return value as Minor;
}

/** Reads shillings with at most two decimals as minor units; null otherwise. */
export function minorFromUnits(value: number): Minor | null {
  const scaled = Math.round(value * MINOR_PER_UNIT);
  if (!Number.isSafeInteger(scaled) || scaled / MINOR_PER_UNIT !== value) return null;
  return scaled as Minor;
}

/** This is xs:decimal without a minus: `1000`, `+1000.` and `0001000.00` are one amount. */
const DECIMAL = /^\+?(0*(?:[1-9]\d{0,12})?)(?:\.(\d{0,2})0*)?$/;

/** Reads a decimal of a channel, a statement or a person; null if invalid. */
export function minorFromDecimal(text: string): Minor | null {
  const [, units = '', cents = ''] = DECIMAL.exec(text.trim()) ?? [];
  if (units === '' && cents === '') return null;
  return minor(Number(units) * MINOR_PER_UNIT + Number(cents.padEnd(2, '0')));
}

/** Commas only group thousands: `50000,50` means 50,000.50 and must not become 5,000,050. */
const TYPED = /^(\d{1,3}(,\d{3})+|\d+)(\.\d+)?$/;

/** Reads shillings as typed (`50000`, `50,000.50`); null if invalid. */
export function minorTyped(text: string): Minor | null {
  return TYPED.test(text) ? minorFromDecimal(text.replaceAll(',', '')) : null;
}

/** Reads a network's amount, also with thousands commas, or beside our currency; null if invalid. */
export function minorSaid(text: string): Minor | null {
  const bare = text.trim().replace(/^TZS ?| ?TZS$/i, '');
  return minorTyped(bare) ?? minorFromDecimal(bare);
}

/** Keeps the text too: people read it if the amount is invalid. */
export function readAmount(text: string | null = ''): { amount: Minor | null; amountAsSent: string } {
  return { amount: minorSaid(text ?? ''), amountAsSent: (text ?? '').slice(0, 256) };
}

/** Returns shillings, as creation answers show them (5000, 12500.5). */
export function toUnits(amount: Minor): number {
  return amount / MINOR_PER_UNIT;
}

/** Writes a wire decimal: `5000` if whole, else `12500.50`. */
export function toDecimal(amount: Minor): string {
  return amount % MINOR_PER_UNIT === 0 ? String(amount / MINOR_PER_UNIT) : toFixedDecimal(amount);
}

/** Writes two decimals and no separators: `50000.00`. */
export function toFixedDecimal(amount: Minor): string {
  const absolute = Math.abs(amount);
  const cents = String(absolute % MINOR_PER_UNIT).padStart(2, '0');
  return `${amount < 0 ? '-' : ''}${Math.trunc(absolute / MINOR_PER_UNIT)}.${cents}`;
}

/** Writes `n,nnn.nn`. */
export function formatMoney(amount: Minor): string {
  return toFixedDecimal(amount).replace(/\B(?=(\d{3})+\.)/g, ',');
}
