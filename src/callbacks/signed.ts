import type { KeyRing } from '../base/key-ring.ts';
import { GatewayError } from '../domain/errors.ts';
import type { CallbackEventName } from '../domain/event.ts';
import { isEventId } from '../domain/ids.ts';
import { say } from '../domain/messages.ts';
import type { Queryable } from '../platform/db/pool.ts';
import { isOwnEvent } from './log.ts';
import { decryptSecret } from './secrets.ts';
import { livePassphrases } from './settings.ts';
import { signatureHeaders } from './sign.ts';

export type SignedCallback = {
  eventId: string;
  event: CallbackEventName;
  /** the exact text that is signed */
  body: string;
  headers: Record<string, string>;
};

/**
 * Signs an event as an attempt would send it now; sends and stores nothing. Only the event's own key may ask.
 * Throws `not_found` for an unknown event, another key's event, an event that our processes did not write, or
 * one whose personal data was erased.
 */
export async function signCallback(
  db: Queryable,
  { eventId, keyId }: { eventId: string; keyId: string },
  encryptionKeys: KeyRing,
): Promise<SignedCallback> {
  const unknown = () => new GatewayError('not_found', say('no_callback_event'));
  if (!isEventId(eventId)) throw unknown();
  const { rows } = await db.query(
    `SELECT e.id AS "eventId", e.api_key_id AS "apiKeyId", e.event, e.transaction_id AS "transactionId",
       e.sequence, e.body, e.mac, coalesce(e.old_passphrases, ${livePassphrases}) AS ciphertexts,
       extract(epoch FROM now())::float8 * 1000 AS sent_at_ms
     FROM callback_events e JOIN api_keys k ON k.id = e.api_key_id
     WHERE e.id = $1 AND k.id = $2 AND e.body <> '{}' /* never null: ciphertexts, sent_at_ms */`,
    [eventId, keyId],
  );
  const row = rows[0];
  if (!row || !(await isOwnEvent(db, row))) throw unknown();
  const passphrases = row.ciphertexts.map((sealed) => decryptSecret(encryptionKeys, sealed, keyId));
  const { body, sent_at_ms: sentAtMs } = row;
  const event = row.event as CallbackEventName;
  return {
    eventId,
    event,
    body,
    headers: {
      'Content-Type': 'application/json',
      ...signatureHeaders({ eventId, body, passphrases, sentAtMs }),
    },
  };
}
