import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { describeError } from '../base/redact.ts';
import { isPermanent } from '../platform/db/errors.ts';

/** Not yet, and that is no fault: Temporal asks again after this pause. Adds no history and no error log. */
export function notYet(message: string, retryAfterMs: number): ApplicationFailure {
  return ApplicationFailure.create({
    message,
    type: 'NotYet',
    category: ApplicationFailureCategory.BENIGN,
    nextRetryDelay: retryAfterMs,
  });
}

/**
 * A database error → a Temporal failure: what another try cannot mend is non-retryable (`Permanent`), all else is
 * retried by the proxy's policy. The only place that knows both worlds.
 */
export function asFailure(error: unknown): Error {
  if (error instanceof ApplicationFailure) return error;
  const original = error instanceof Error ? error : new Error(String(error));
  if (!isPermanent(original)) return original;
  return ApplicationFailure.create({
    // The text goes to Temporal and to the attention list, so it never has a value that Postgres quotes.
    message: describeError(original).message,
    type: 'Permanent',
    nonRetryable: true,
    cause: original,
  });
}
