import type { Queryable } from '../db/pool.ts';

/** A URL that has taken nothing for this long is disabled. */
const FAILING_DAYS_MAX = 5;
export const FAILING_REASON = `No callback was accepted for ${FAILING_DAYS_MAX} days`;

/**
 * Failures further apart than this are not one failure: nothing was tried in between, so nobody knows. Longer than the
 * longest pause between two attempts of one event, which is 24 h + 20 %.
 */
const SILENCE_HOURS_MAX = 30;
/** The last failure is written again only when what is noted is older: a thousand failures at once are one write. */
const NOTED_MINUTES = 10;

/** SQL: this failure belongs to those before it. */
const GOES_ON = `coalesce(callback_last_failure_at >= now() - interval '${SILENCE_HOURS_MAX} hours', false)`;
/** SQL: and the first of them was long enough ago. */
const TOO_LONG = `(${GOES_ON} AND callback_failing_since <= now() - interval '${FAILING_DAYS_MAX} days')`;

/**
 * A failed attempt, seen from its URL: one that comes 5 days after the first since the last success (or since the URL
 * was set) disables the URL, when the failures in between were never more than 30 hours apart; after a longer silence
 * the days are counted afresh. `gone` (410) disables it at once. Only while it is still the URL that answered: one that
 * the merchant has set since is not to blame. Returns why it was disabled just now, else null.
 */
export async function noteFailure(
  db: Queryable,
  failure: { keyId: string; url: string; gone: string | null },
): Promise<string | null> {
  const { rows } = await db.query(
    `UPDATE api_keys SET callback_last_failure_at = now(),
       callback_failing_since = CASE WHEN ${GOES_ON} THEN callback_failing_since ELSE now() END,
       callback_disabled_reason = coalesce($3, CASE WHEN ${TOO_LONG} THEN $4 END),
       callback_disabled_at = CASE WHEN $3::text IS NOT NULL OR ${TOO_LONG} THEN now() END
     WHERE id = $1 AND callback_url = $2 AND callback_disabled_reason IS NULL
       AND ($3::text IS NOT NULL OR ${TOO_LONG}
            OR coalesce(callback_last_failure_at < now() - interval '${NOTED_MINUTES} minutes', true))
     RETURNING callback_disabled_reason, callback_failing_since`,
    [failure.keyId, failure.url, failure.gone, FAILING_REASON],
  );
  const reason: string | null = rows[0]?.callback_disabled_reason ?? null;
  if (reason === null) return null;
  await db.query('INSERT INTO audit_log (actor, action, subject, detail) VALUES ($1, $2, $3, $4)', [
    'delivery',
    'callbacks.disabled',
    failure.keyId,
    { callback_url: failure.url, reason, failing_since: rows[0].callback_failing_since },
  ]);
  // A receiver that says it is gone has been told so; one that silently takes nothing is for a person to ring up.
  if (failure.gone === null) await flag(db, failure.keyId, rows[0].callback_failing_since);
  return reason;
}

async function flag(db: Queryable, keyId: string, failingSince: string): Promise<void> {
  await db.query(
    `INSERT INTO attention (subject, reason, detail) VALUES ($1, 'callbacks_disabled', $2) ON CONFLICT DO NOTHING`,
    [keyId, `The callback URL of this API key has taken nothing since ${failingSince} and was disabled`],
  );
}

/** The URL was set again: what a person was asked to look at has answered itself. */
export async function unflag(db: Queryable, keyId: string): Promise<void> {
  await db.query(
    `UPDATE attention SET resolved_at = now()
     WHERE subject = $1 AND reason = 'callbacks_disabled' AND resolved_at IS NULL`,
    [keyId],
  );
}

/** API keys whose callbacks were stopped because their URL answered nothing any more. Revoked keys count too. */
export async function countDisabled(db: Queryable): Promise<number> {
  const { rows } = await db.query(
    'SELECT count(*) AS count FROM api_keys WHERE callback_disabled_reason IS NOT NULL',
  );
  return rows[0].count;
}
