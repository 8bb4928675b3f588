import type { Round } from '../domain/event.ts';
import type { Queryable } from '../platform/db/pool.ts';
import { insertOwnEvent, newEventId, writeEvent } from './event.ts';

/** Tells an account's callback URLs its new settlement account. Start the rounds after the commit. */
export async function tellAccountChanged(
  db: Queryable,
  change: { accountId: string; account: string; paysFrom: string },
): Promise<Round[]> {
  const { accountId, account, paysFrom } = change;
  const { rows } = await db.query(
    `SELECT id, to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS now
     /* never null: now */ FROM api_keys
     WHERE account_id = $1 AND callback_url IS NOT NULL AND callback_disabled_reason IS NULL`,
    [accountId],
  );
  return Promise.all(
    rows.map(async ({ id, now }) => {
      const eventId = newEventId();
      const event = 'settlement.account_changed';
      const body = writeEvent<typeof event>({
        event,
        event_id: eventId,
        timestamp: now,
        new_account: account,
        paid_from: paysFrom,
      });
      return insertOwnEvent(db, { eventId, accountId, apiKeyId: id, event, body });
    }),
  );
}
