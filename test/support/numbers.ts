import { randomUUID } from 'node:crypto';
import type { NumbersRequest, StandingNumber, WantedNumber } from '../../src/domain/number.ts';
import { numberIdOf } from '../../src/transactions/acceptance/idempotency.ts';
import { makeNumbers } from '../../src/transactions/acceptance/numbers.ts';
import { asRole } from './database.ts';
import type { Merchant } from './merchant.ts';
import type { Database } from './queryable.ts';

/** Amounts in whole shillings. */
export type NumberChanges = Partial<Omit<WantedNumber, 'id' | 'minimum' | 'maximum'>> & {
  minimum?: number;
  maximum?: number;
};

/** Numbers as the API asks for them. */
export function numbersRequest(merchant: Merchant, ...numbers: NumberChanges[]): NumbersRequest {
  const { accountId, apiKeyId } = merchant;
  return {
    accountId,
    apiKeyId,
    requestId: 'test',
    receivedAt: new Date().toISOString(),
    controlNumberPrefix: '77',
    numbers: numbers.map((changes) => wantedNumber(accountId, changes)),
  };
}

function wantedNumber(accountId: string, { minimum, maximum, ...changes }: NumberChanges): WantedNumber {
  const { customerReference = randomUUID() } = changes;
  const minor = (amount: number | undefined) =>
    amount === undefined ? null : ((amount * 100) as WantedNumber['minimum']);
  return {
    id: numberIdOf(accountId, customerReference),
    customerReference,
    purpose: 'collect',
    description: null,
    minimum: minor(minimum),
    maximum: minor(maximum),
    currency: 'TZS',
    metadata: '{}',
    ...changes,
  };
}

/** A number that was made, by the worker. */
export async function makeNumber(
  database: Database,
  merchant: Merchant,
  changes: NumberChanges = {},
): Promise<StandingNumber> {
  const { made } = await makeNumbers(asRole(database, 'worker'), numbersRequest(merchant, changes));
  const [number] = made;
  if (!number) throw new Error('no number was made');
  return number;
}
