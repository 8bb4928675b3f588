import { type FeeSchedule, feeFor } from './fees.ts';
import { MINOR_PER_UNIT, type Minor, minor } from './money.ts';

/** So many payouts at most make one settlement: what is left goes with the next one. */
export const PARTS_MAX = 100;

/** A settlement as payouts of at most `partMax` each, the last one smaller. */
export function partsOf(amount: Minor, partMax: Minor): Minor[] {
  const full = Math.floor(amount / partMax);
  const rest = minor(amount - full * partMax);
  return [...Array<Minor>(full).fill(partMax), ...(rest > 0 ? [rest] : [])];
}

/** Each part pays its own fee. */
export function feesOfParts(parts: readonly Minor[], fees: FeeSchedule): Minor {
  return minor(parts.reduce((sum, part) => sum + feeFor('settlement', part, fees).fee, 0));
}

/** The most, in whole shillings, that `spare` pays with its fees; 0 where it pays none. */
export function mostWithin(
  { spare, cap, partMax }: { spare: number; cap: Minor; partMax: Minor },
  fees: FeeSchedule,
): Minor {
  let amount = wholeShillings(Math.min(spare, cap, partMax * PARTS_MAX));
  for (;;) {
    const over = amount + feesOfParts(partsOf(amount, partMax), fees) - spare;
    if (over <= 0) return amount;
    // Less never costs more but by an odd tariff; it ends all the same, because each turn takes something off.
    amount = wholeShillings(amount - over);
    if (amount === 0) return amount;
  }
}

function wholeShillings(amount: number): Minor {
  return minor(Math.max(0, Math.floor(amount / MINOR_PER_UNIT) * MINOR_PER_UNIT));
}
