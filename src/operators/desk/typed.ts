import { validationFailed } from '../../domain/errors.ts';

export function requireNumber(typed: string | undefined, field: string): number {
  if (/^\d{1,12}$/.test(typed ?? '')) return Number(typed);
  throw validationFailed([{ field, message: 'must be a whole number' }]);
}
