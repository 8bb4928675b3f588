import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { minor } from '../../src/domain/money.ts';
import type { NumbersRequest, WantedNumber } from '../../src/domain/number.ts';
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
  return {
    ...merchant,
    requestId: 'test',
    receivedAt: new Date().toISOString(),
    controlNumberPrefix: '77',
    numbers: numbers.map((changes) => wantedNumber(merchant.accountId, changes)),
  };
}

function wantedNumber(accountId: string, { minimum, maximum, ...changes }: NumberChanges): WantedNumber {
  const { customerReference = randomUUID() } = changes;
  const inMinor = (amount: number | undefined) => (amount === undefined ? null : minor(amount * 100));
  return {
    id: numberIdOf(accountId, customerReference),
    customerReference,
    purpose: 'collect',
    description: null,
    minimum: inMinor(minimum),
    maximum: inMinor(maximum),
    currency: 'TZS',
    metadata: '{}',
    ...changes,
  };
}

/** A number that was made, by the worker. */
export async function makeNumber(database: Database, merchant: Merchant, changes: NumberChanges = {}) {
  const { made } = await makeNumbers(asRole(database, 'worker'), numbersRequest(merchant, changes));
  return made[0] ?? assert.fail('no number was made');
}
