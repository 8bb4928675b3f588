import { validationFailed } from '../../domain/errors.ts';
import { CURRENCY, type Minor, minorTyped } from '../../domain/money.ts';

/** Shillings as a person types them, in minor units. */
export function requireAmount(
  typed: string | undefined,
  field: string,
  { orZero = false }: { orZero?: boolean } = {},
): Minor {
  const amount = minorTyped(typed ?? '');
  if (amount !== null && (amount > 0 || orZero)) return amount;
  throw validationFailed([{ field, message: `must be an amount in ${CURRENCY}, like 50000 or 50,000.50` }]);
}

export function requireNumber(typed: string | undefined, field: string): number {
  if (/^\d{1,12}$/.test(typed ?? '')) return Number(typed);
  throw validationFailed([{ field, message: 'must be a whole number' }]);
}
