import { type FeeSchedule, feeFor } from './fees.ts';
import { MINOR_PER_UNIT, type Minor, minor } from './money.ts';

/** payouts per settlement; the next settlement takes the rest */
export const PARTS_MAX = 100;

export type PartLimits = { partMin: Minor; partMax: Minor };

/** Splits a settlement into payouts of `partMax`. A last payout below `partMin` takes from the one before. */
export function partsOf(amount: Minor, { partMin, partMax }: PartLimits): Minor[] {
  const full = Math.floor(amount / partMax);
  const rest = minor(amount - full * partMax);
  const parts = Array<Minor>(full).fill(partMax);
  if (rest === 0) return parts;
  if (full === 0 || rest >= partMin) return [...parts, rest];
  return [...parts.slice(1), minor(partMax + rest - partMin), partMin];
}

/** Each part pays its own fee. */
export function feesOfParts(parts: readonly Minor[], fees: FeeSchedule): Minor {
  return minor(parts.reduce((sum, part) => sum + feeFor('settlement', part, fees).fee, 0));
}

/**
 * Returns the largest amount that `spare` covers with the fees, or 0: whole shillings, in minor units. Leaves
 * out a last part that is too small for a payout, or not above its fee.
 */
export function mostWithin(
  { spare, cap, ...limits }: { spare: number; cap: Minor } & PartLimits,
  fees: FeeSchedule,
): Minor {
  let amount = wholeShillings(Math.min(spare, cap, limits.partMax * PARTS_MAX));
  for (;;) {
    amount = worthSending(amount, limits, fees);
    const over = amount + feesOfParts(partsOf(amount, limits), fees) - spare;
    if (amount === 0 || over <= 0) return amount;
    // By some tariffs a smaller amount costs more, but the loop ends because each turn lowers the amount.
    amount = wholeShillings(amount - over);
  }
}

/** Keeps a single payout whatever its fee, because the merchant's rule has a least amount. */
function worthSending(amount: Minor, { partMin, partMax }: PartLimits, fees: FeeSchedule): Minor {
  const rest = minor(amount % partMax);
  const isTooSmall = rest < partMin || (amount > partMax && rest <= feesOfParts([rest], fees));
  return isTooSmall ? minor(amount - rest) : amount;
}

function wholeShillings(amount: number): Minor {
  return minor(Math.max(0, Math.floor(amount / MINOR_PER_UNIT) * MINOR_PER_UNIT));
}
