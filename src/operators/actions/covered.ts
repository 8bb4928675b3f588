import { GatewayError, InsufficientFunds } from '../../domain/errors.ts';

export const lacks = (size: string) =>
  new GatewayError('insufficient_balance', `The account has less than ${size}: nothing moved`);

/** What the ledger refuses for want of money, in words for people. */
export async function covered<T>(size: string, posting: Promise<T>): Promise<T> {
  return posting.catch((error) => {
    throw error instanceof InsufficientFunds ? lacks(size) : error;
  });
}
