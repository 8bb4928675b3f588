import { BrokenInvariant } from '../../domain/errors.ts';

export function only<R>([row]: readonly R[]): R {
  if (row === undefined) throw new BrokenInvariant('a statement that always gives a row gave none');
  return row;
}
