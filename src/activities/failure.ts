import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { describeError } from '../base/redact.ts';
import { isPermanent } from '../platform/db/errors.ts';

/** Makes Temporal retry after this pause, without history or error log, because nothing is wrong. */
export function notYet(message: string, retryAfterMs: number): ApplicationFailure {
  return ApplicationFailure.create({
    message,
    type: 'NotYet',
    category: ApplicationFailureCategory.BENIGN,
    nextRetryDelay: retryAfterMs,
  });
}

/** Turns database errors into Temporal failures. `Permanent` is never retried; all others are. */
export function asFailure(error: unknown): Error {
  if (error instanceof ApplicationFailure) return error;
  const original = error instanceof Error ? error : new Error(String(error));
  if (!isPermanent(original)) return original;
  return ApplicationFailure.create({
    // The text goes to Temporal and the attention list, so it must not contain values that Postgres quotes.
    message: describeError(original).message,
    type: 'Permanent',
    nonRetryable: true,
    cause: original,
  });
}
