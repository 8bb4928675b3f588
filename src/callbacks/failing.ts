import { inEnglish, type Message, say } from '../domain/messages.ts';
import { audit } from '../platform/db/audit.ts';
import type { Queryable } from '../platform/db/pool.ts';
import { DEFAULT, insert, NOW, update } from '../platform/db/write.ts';

const FAILING_DAYS_MAX = 5;
export type DisabledReason = 'gone' | 'not_accepted';
export const disabledReasons: Record<DisabledReason, Message> = {
  gone: say('disabled_gone'),
  not_accepted: say('disabled_not_accepted', { days: FAILING_DAYS_MAX }),
};

/** Only an event that was tried this long may disable the URL: a first failure may be a short outage. */
const TRIED_HOURS_MIN = 24;

/** SQL: no attempt has succeeded for too long, and this event was tried long enough. */
const TOO_LONG = `(callback_failing_since <= now() - interval '${FAILING_DAYS_MAX} days' AND EXISTS (
  SELECT 1 FROM callback_attempts a
  WHERE a.event_id = $3 AND a.event_at = (SELECT created_at FROM callback_events WHERE id = $3)
    AND a.round = $4 AND a.sent_at <= now() - interval '${TRIED_HOURS_MIN} hours'))`;

/**
 * Stores a failed attempt. A URL is failing from the first failure after its last success (or after it was
 * set). After 5 days, an event that was tried for a day and fails again disables the URL; `isGone` (410) does
 * so at once. A URL that the merchant has set since stays enabled. Returns why the URL was disabled just now,
 * or null.
 */
export async function noteFailure(
  db: Queryable,
  failure: { keyId: string; url: string; eventId: string; round: number; isGone: boolean },
): Promise<DisabledReason | null> {
  const { rows } = await db.query(
    `UPDATE api_keys SET callback_failing_since = coalesce(callback_failing_since, now()),
       callback_disabled_reason = CASE WHEN $5 THEN 'gone' WHEN ${TOO_LONG} THEN 'not_accepted' END,
       callback_disabled_at = CASE WHEN $5 OR ${TOO_LONG} THEN now() END
     WHERE id = $1 AND callback_url = $2 AND callback_disabled_reason IS NULL
       AND ($5 OR callback_failing_since IS NULL OR ${TOO_LONG})
     RETURNING callback_disabled_reason, callback_failing_since /* never null: callback_failing_since */`,
    [failure.keyId, failure.url, failure.eventId, failure.round, failure.isGone],
  );
  const [row] = rows;
  const reason = (row?.callback_disabled_reason ?? null) as DisabledReason | null;
  if (!row || reason === null) return null;
  await audit(db, {
    actor: 'delivery',
    action: 'callbacks.disabled',
    subject: failure.keyId,
    detail: {
      callback_url: failure.url,
      reason: inEnglish(disabledReasons[reason]),
      failing_since: row.callback_failing_since,
    },
  });
  // A receiver that answers 410 knows about it. If it never answers, an operator informs the merchant.
  if (!failure.isGone) await flag(db, failure.keyId, row.callback_failing_since);
  return reason;
}

async function flag(db: Queryable, keyId: string, failingSince: string): Promise<void> {
  const detail = `The callback URL of this API key has taken nothing since ${failingSince} and was disabled`;
  await insert(
    db,
    'attention',
    {
      transaction_id: null,
      subject: keyId,
      reason: 'callbacks_disabled',
      thing: DEFAULT,
      detail,
      raised_at: DEFAULT,
      resolved_at: null,
    },
    { onConflict: 'DO NOTHING' },
  );
}

/** Closes the entry, because the merchant has set the URL again. */
export async function unflag(db: Queryable, keyId: string): Promise<void> {
  await update(
    db,
    'attention',
    { resolved_at: NOW },
    { subject: keyId, reason: 'callbacks_disabled', resolved_at: null },
  );
}

/** Includes revoked keys. */
export async function countDisabled(db: Queryable): Promise<number> {
  const { rows } = await db.query(
    'SELECT count(*) AS count FROM api_keys WHERE callback_disabled_reason IS NOT NULL',
  );
  return rows[0].count;
}
