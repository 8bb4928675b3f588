import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { BrokenInvariant } from '../domain/errors.ts';
import { describeError } from '../domain/redact.ts';
import { InsufficientFunds } from '../ledger/transfer.ts';

/** Not yet, and that is no fault: Temporal asks again after this pause. Adds no history and no error log. */
export function notYet(message: string, retryAfterMs: number): ApplicationFailure {
  return ApplicationFailure.create({
    message,
    type: 'NotYet',
    category: ApplicationFailureCategory.BENIGN,
    nextRetryDelay: retryAfterMs,
  });
}

/** SQLSTATE classes that another try cannot mend: bad data, broken constraints, wrong SQL, raised exceptions. */
const PERMANENT_CLASSES = new Set(['22', '23', '42', 'P0']);

/**
 * A database error → a Temporal failure: what another try cannot mend is non-retryable (`Permanent`), all else is
 * retried by the proxy's policy. The only place that knows both worlds.
 */
export function asFailure(error: unknown): Error {
  if (error instanceof ApplicationFailure) return error;
  const original = error instanceof Error ? error : new Error(String(error));
  if (!isPermanent(original)) return original;
  return ApplicationFailure.create({
    // It lies in Temporal and in the attention list: never a value that Postgres quotes.
    message: describeError(original).message,
    type: 'Permanent',
    nonRetryable: true,
    cause: original,
  });
}

/** InsufficientFunds gets here only when a held or booked amount is not there: accept has dealt with its own. */
function isPermanent(error: Error): boolean {
  if (error instanceof BrokenInvariant || error instanceof InsufficientFunds) return true;
  const code = 'code' in error ? String(error.code) : '';
  return /^[0-9A-Z]{5}$/.test(code) && PERMANENT_CLASSES.has(code.slice(0, 2));
}
