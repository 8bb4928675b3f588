import { GatewayError, InsufficientFunds } from '../../domain/errors.ts';

export const lacks = (size: string) =>
  new GatewayError('insufficient_balance', `The account has less than ${size}: nothing moved`);

/** Turns InsufficientFunds into a refusal in plain words. */
export async function covered<T>(size: string, posting: Promise<T>): Promise<T> {
  return posting.catch((error) => {
    throw error instanceof InsufficientFunds ? lacks(size) : error;
  });
}
