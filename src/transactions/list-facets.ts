import type { TransactionFilter } from './list.ts';

const TYPES = ['bill', 'payment', 'payout'];

/**
 * What a filter asks for besides the idempotency key and the range of time, each as `transaction_facets` in
 * migrations/0003_lists.sql writes it down for every transaction. No transaction has the facet of no type.
 */
export function facetsOf(filter: TransactionFilter): string[] {
  const { types = TYPES, status, mode, channel, bic, msisdn, reference, metadata = [] } = filter;
  const type = TYPES.filter((name) => types.includes(name)).join('|');
  const given = Object.entries({ type, status, mode, channel, bic, phone: msisdn, reference })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}:${value}`);
  return [...new Set([...given, ...metadata.map(([key, value]) => `metadata:${key}\n${value}`)])];
}
