import { GatewayError, InsufficientFunds } from '../../domain/errors.ts';

export const lacks = (size: string) =>
  new GatewayError('insufficient_balance', `The account has less than ${size}: nothing moved`);

/** Refuses in plain words when the ledger rejects with InsufficientFunds. */
export async function covered<T>(size: string, posting: Promise<T>): Promise<T> {
  return posting.catch((error) => {
    throw error instanceof InsufficientFunds ? lacks(size) : error;
  });
}
