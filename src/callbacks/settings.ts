import { type Actor, audit } from '../db/audit.ts';
import type { Database, Queryable } from '../db/pool.ts';
import { inTransaction } from '../db/transaction.ts';
import { GatewayError, validationFailed } from '../domain/errors.ts';
import type { KeyRing } from '../domain/key-ring.ts';
import type { TransactionEvent } from './event.ts';
import { unflag } from './failing.ts';
import type { UrlPolicy } from './guard-url.ts';
import { decryptSecret, encryptSecret } from './secrets.ts';
import { passphraseProblem } from './sign.ts';

/** A replaced passphrase goes on signing beside the new one for this long. */
const OVERLAP_HOURS = 48;
/** However often a passphrase is changed, a callback carries at most this many signatures. */
const LIVE_PASSPHRASES_MAX = 5;

export type CallbackSettings = {
  callbackUrl: string | null;
  passphraseSet: boolean;
  /** whether callbacks are sent: an address is set and was not disabled */
  enabled: boolean;
  disabledReason: string | null;
  /** which events are sent, in the order of the alphabet */
  subscribedEvents: TransactionEvent[];
  updatedAt: string;
};

/** What an API key's callbacks are set to; never the passphrase. Throws `not_found` for an unknown key. */
export async function getCallbackSettings(db: Queryable, keyId: string): Promise<CallbackSettings> {
  const { rows } = await db.query(
    `SELECT k.callback_url, k.callback_disabled_reason, k.subscribed_events, k.callback_updated_at,
       EXISTS (SELECT 1 FROM callback_passphrases p WHERE p.key_id = k.id AND p.retires_at IS NULL) AS passphrase_set
     FROM api_keys k WHERE k.id = $1`,
    [keyId],
  );
  const row = rows[0];
  if (!row) throw unknownKey();
  return {
    callbackUrl: row.callback_url,
    passphraseSet: row.passphrase_set,
    enabled: row.callback_url !== null && row.callback_disabled_reason === null,
    disabledReason: row.callback_disabled_reason,
    subscribedEvents: row.subscribed_events,
    updatedAt: row.callback_updated_at,
  };
}

export type CallbackChange = {
  keyId: string;
  /** undefined: kept; null: removed; set again, even to the same: enabled again */
  callbackUrl?: string | null | undefined;
  /** undefined: kept; null: removed at once; another one: the old one signs beside it for 48 h */
  passphrase?: string | null | undefined;
  /** the events to send; undefined: kept */
  events?: readonly TransactionEvent[] | undefined;
  /** who did it, for the audit log */
  actor: Actor;
};

/**
 * Changes where callbacks go and what signs them, audited. Throws `validation_failed` naming every wrong field, and
 * `not_found` for an unknown key. The settings belong to the key's id: they survive the rotation of its secret.
 */
export async function saveCallbackSettings(
  database: Database,
  change: CallbackChange,
  deps: { encryptionKeys: KeyRing; urlPolicy: Pick<UrlPolicy, 'check'> },
): Promise<CallbackSettings> {
  refuseWrong(change, deps.urlPolicy);
  return inTransaction(database, async (db) => {
    const { rowCount } = await db.query('SELECT 1 FROM api_keys WHERE id = $1 FOR NO KEY UPDATE', [
      change.keyId,
    ]);
    if (rowCount === 0) throw unknownKey();
    if (change.callbackUrl !== undefined) await saveUrl(db, change.keyId, change.callbackUrl);
    if (change.passphrase !== undefined) {
      await savePassphrase(db, { ...change, passphrase: change.passphrase }, deps.encryptionKeys);
    }
    if (change.events !== undefined) await subscribe(db, change.keyId, change.events);
    await auditChange(db, change);
    return getCallbackSettings(db, change.keyId);
  });
}

function refuseWrong(change: CallbackChange, urlPolicy: Pick<UrlPolicy, 'check'>): void {
  const { callbackUrl, passphrase } = change;
  const problems = {
    callback_url: callbackUrl ? urlPolicy.check(callbackUrl) : emptyProblem(callbackUrl),
    passphrase: typeof passphrase === 'string' ? passphraseProblem(passphrase) : null,
  };
  const errors = Object.entries(problems).flatMap(([field, message]) =>
    message ? [{ field, message }] : [],
  );
  if (errors.length > 0) throw validationFailed(errors);
}

function emptyProblem(url: string | null | undefined): string | null {
  return url === '' ? 'must be an absolute http(s) address, or null to remove it' : null;
}

async function saveUrl(db: Queryable, keyId: string, url: string | null): Promise<void> {
  await db.query(
    `UPDATE api_keys SET callback_url = $2, callback_disabled_reason = NULL, callback_disabled_at = NULL,
       callback_failing_since = NULL, callback_updated_at = now()
     WHERE id = $1`,
    [keyId, url],
  );
  await unflag(db, keyId);
}

async function subscribe(db: Queryable, keyId: string, events: readonly TransactionEvent[]): Promise<void> {
  await db.query('UPDATE api_keys SET callback_updated_at = now(), subscribed_events = $2 WHERE id = $1', [
    keyId,
    [...new Set(events)].sort(),
  ]);
}

async function savePassphrase(
  db: Queryable,
  change: { keyId: string; passphrase: string | null },
  encryptionKeys: KeyRing,
): Promise<void> {
  const { keyId, passphrase } = change;
  if (passphrase === null) {
    await db.query('DELETE FROM callback_passphrases WHERE key_id = $1', [keyId]);
  } else {
    await db.query('DELETE FROM callback_passphrases WHERE key_id = $1 AND retires_at <= now()', [keyId]);
    const { rows } = await db.query(
      'SELECT id, ciphertext, retires_at FROM callback_passphrases WHERE key_id = $1',
      [keyId],
    );
    // The same one sent again is no rotation, and one that comes back signs anew: none appears twice among the signatures.
    const same = rows.filter((row) => decryptSecret(encryptionKeys, row.ciphertext, keyId) === passphrase);
    if (same.some((row) => row.retires_at === null)) return;
    await db.query('DELETE FROM callback_passphrases WHERE id = ANY($1)', [same.map((row) => row.id)]);
    await db.query(
      `UPDATE callback_passphrases SET retires_at = now() + make_interval(hours => $2)
       WHERE key_id = $1 AND retires_at IS NULL`,
      [keyId, OVERLAP_HOURS],
    );
    await db.query('INSERT INTO callback_passphrases (key_id, ciphertext) VALUES ($1, $2)', [
      keyId,
      encryptSecret(encryptionKeys, passphrase, keyId),
    ]);
  }
  await db.query('UPDATE api_keys SET callback_updated_at = now() WHERE id = $1', [keyId]);
}

async function auditChange(db: Queryable, change: CallbackChange): Promise<void> {
  const { actor, keyId, callbackUrl, events } = change;
  const passphrase =
    change.passphrase === undefined ? 'kept' : change.passphrase === null ? 'removed' : 'set';
  // JSON leaves out what is undefined.
  const detail = { callback_url: callbackUrl, events, passphrase };
  await audit(db, { actor, action: 'callbacks.settings', subject: keyId, detail });
}

/** SQL: every live passphrase of the key `k`, sealed, the newest first. */
export const livePassphrases = `ARRAY(
  SELECT p.ciphertext FROM callback_passphrases p
  WHERE p.key_id = k.id AND (p.retires_at IS NULL OR p.retires_at > now())
  ORDER BY p.id DESC LIMIT ${LIVE_PASSPHRASES_MAX})`;

function unknownKey(): GatewayError {
  return new GatewayError('not_found', 'No API key has this id');
}
