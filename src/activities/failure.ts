import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';

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
  const code = 'code' in original ? String(original.code) : '';
  if (!/^[0-9A-Z]{5}$/.test(code) || !PERMANENT_CLASSES.has(code.slice(0, 2))) return original;
  return ApplicationFailure.create({
    message: original.message,
    type: 'Permanent',
    nonRetryable: true,
    cause: original,
  });
}
