import type { FailureCode } from '../../src/domain/failure.ts';
import type { ContractSubject } from './contract-flow.ts';

/** Why each ending fails, of a network that says it in words of its own: of a payment, and of a payout. */
export const payerFailures = {
  '019': 'payer_limit_reached',
  '029': 'payer_not_found',
  '039': 'customer_declined',
  '049': 'insufficient_funds',
  '059': 'customer_timeout',
  '069': 'network_error',
} as const;
export const recipientFailures = {
  '019': 'recipient_limit_reached',
  '029': 'recipient_not_found',
  '039': 'account_blocked',
  '049': 'insufficient_float',
  '059': 'network_error',
  '069': 'network_error',
} as const;

/** Of a network that says no more than that it failed, but for these endings. */
export const failuresBut = (known: Partial<ContractSubject['failures']>): ContractSubject['failures'] => ({
  ...(Object.fromEntries(Object.keys(payerFailures).map((ending) => [ending, 'network_error'])) as Record<
    keyof typeof payerFailures,
    FailureCode
  >),
  ...known,
});
