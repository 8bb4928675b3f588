import type { KeyRing } from '../base/key-ring.ts';
import { type FieldError, GatewayError, validationFailed } from '../domain/errors.ts';
import type { OptionalEvent, Round } from '../domain/event.ts';
import { type Message, say } from '../domain/messages.ts';
import { type Actor, audit } from '../platform/db/audit.ts';
import type { Queryable } from '../platform/db/pool.ts';
import { DEFAULT, insert, NOW, update } from '../platform/db/write.ts';
import { insertOwnEvent, newEventId, writeEvent } from './event.ts';
import { type DisabledReason, unflag } from './failing.ts';
import type { UrlPolicy } from './guard-url.ts';
import { decryptSecret, encryptSecret } from './secrets.ts';
import { passphraseProblem } from './sign.ts';

/** A replaced passphrase keeps signing, together with the new one, for this long. */
const OVERLAP_HOURS = 48;
/** The most signatures on one callback, however often the passphrase changes. */
const LIVE_PASSPHRASES_MAX = 5;

type ChangedBy = 'merchant' | 'operator';

export type CallbackSettings = {
  callbackUrl: string | null;
  passphraseSet: boolean;
  /** true if an address is set and not disabled */
  enabled: boolean;
  disabledReason: DisabledReason | null;
  /** sent in alphabetical order */
  subscribedEvents: OptionalEvent[];
  updatedAt: string;
  /** null: the merchant's own key set the current address */
  operatorSetUrlAt: string | null;
};

/** Never returns the passphrase. Throws `not_found` for an unknown key. */
export async function getCallbackSettings(db: Queryable, keyId: string): Promise<CallbackSettings> {
  const { rows } = await db.query(
    `SELECT k.callback_url AS "callbackUrl", k.callback_url IS NOT NULL
       AND k.callback_disabled_reason IS NULL AS enabled,
       k.callback_disabled_reason AS "disabledReason", k.subscribed_events AS "subscribedEvents",
       k.callback_updated_at AS "updatedAt", k.callback_url_operator_at AS "operatorSetUrlAt",
       EXISTS (SELECT 1 FROM callback_passphrases p
         WHERE p.key_id = k.id AND p.retires_at IS NULL) AS "passphraseSet"
     FROM api_keys k WHERE k.id = $1`,
    [keyId],
  );
  if (!rows[0]) throw unknownKey();
  return rows[0] as CallbackSettings;
}

export type CallbackChange = {
  keyId: string;
  /** undefined: keep; null: remove; the current one: enable it again if disabled */
  callbackUrl?: string | null | undefined;
  /** undefined: keep; null: remove at once; another one: the old one also signs for 48 h */
  passphrase?: string | null | undefined;
  events?: readonly OptionalEvent[] | undefined;
  by: ChangedBy;
  /** for the audit log */
  actor: Actor;
};

export type SettingsDeps = { encryptionKeys: KeyRing; urlPolicy: Pick<UrlPolicy, 'check'> };

/** `told`: events about another address; the caller starts them after the commit. */
export type Saved = { settings: CallbackSettings; isChanged: boolean; told: Round[] };

/**
 * Changes a key's callback address and signing, and audits real changes. Runs in the caller's transaction. A
 * new address is reported to every address of the account, also the old one, because a thief redirects
 * callbacks first. Throws `validation_failed` with every wrong field, and `not_found` for an unknown key. The
 * settings survive a rotation of the key's secret.
 */
export async function saveCallbackSettings(
  db: Queryable,
  change: CallbackChange,
  deps: SettingsDeps,
): Promise<Saved> {
  requireGoodSettings(change, deps.urlPolicy);
  const { keyId, callbackUrl, passphrase, events } = change;
  const { rows } = await db.query(
    'SELECT callback_url, callback_disabled_reason FROM api_keys WHERE id = $1 FOR NO KEY UPDATE',
    [keyId],
  );
  const [before] = rows;
  if (!before) throw unknownKey();
  const isOtherUrl = callbackUrl !== undefined && callbackUrl !== before.callback_url;
  const isEnabled = callbackUrl !== undefined && before.callback_disabled_reason !== null;
  // This comes before the change, so the old passphrases sign the event to the old address.
  const told = isOtherUrl ? await tellOtherUrl(db, change) : [];
  if (callbackUrl !== undefined) await saveUrl(db, change, isOtherUrl);
  const isSigned =
    passphrase !== undefined && (await savePassphrase(db, { keyId, passphrase }, deps.encryptionKeys));
  const isSubscribed = events !== undefined && (await subscribe(db, keyId, events));
  const isChanged = isOtherUrl || isEnabled || isSigned || isSubscribed;
  if (isChanged) {
    await update(db, 'api_keys', { callback_updated_at: NOW }, { id: keyId });
    await auditChange(db, change);
  }
  return { settings: await getCallbackSettings(db, keyId), isChanged, told };
}

/** Writes `callbacks.address_changed` for each address that the account has before the change. */
async function tellOtherUrl(db: Queryable, { keyId, callbackUrl, by }: CallbackChange): Promise<Round[]> {
  const { rows } = await db.query(
    `SELECT k.id, k.account_id, k.callback_url, ${livePassphrases} AS passphrases,
       to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS now
     /* never null: now, passphrases */
     FROM api_keys k WHERE k.account_id = (SELECT account_id FROM api_keys WHERE id = $1)
       AND k.callback_url IS NOT NULL AND (k.id = $1 OR k.callback_disabled_reason IS NULL)`,
    [keyId],
  );
  return Promise.all(
    rows.map(async (key) => {
      const eventId = newEventId();
      const event = 'callbacks.address_changed';
      const body = writeEvent<typeof event>({
        event,
        event_id: eventId,
        timestamp: key.now,
        changed_by: by,
        new_host: callbackUrl ? new URL(callbackUrl).host : null,
      });
      const isOwn = key.id === keyId;
      const told = { eventId, accountId: key.account_id, apiKeyId: key.id, event, body };
      return insertOwnEvent(
        db,
        isOwn ? { ...told, oldUrl: key.callback_url, oldPassphrases: key.passphrases } : told,
      );
    }),
  );
}

/** Throws `validation_failed` with every wrong field. */
export function requireGoodSettings(...asked: Parameters<typeof settingsProblems>): void {
  const errors = settingsProblems(...asked);
  if (errors.length > 0) throw validationFailed(errors);
}

export function settingsProblems(
  { callbackUrl, passphrase }: Pick<CallbackChange, 'callbackUrl' | 'passphrase'>,
  urlPolicy: SettingsDeps['urlPolicy'],
): FieldError[] {
  const problems = {
    callback_url: callbackUrl ? urlPolicy.check(callbackUrl) : emptyProblem(callbackUrl),
    passphrase: typeof passphrase === 'string' ? passphraseProblem(passphrase) : null,
  };
  return Object.entries(problems).flatMap(([field, message]) => (message ? [{ field, message }] : []));
}

function emptyProblem(url: string | null | undefined): Message | null {
  return url === '' ? say('must_be_address_or_null') : null;
}

async function saveUrl(
  db: Queryable,
  { keyId, callbackUrl, by }: CallbackChange,
  isOther: boolean,
): Promise<void> {
  await db.query(
    `UPDATE api_keys SET callback_url = $2, callback_disabled_reason = NULL, callback_disabled_at = NULL,
       callback_failing_since = NULL,
       callback_url_operator_at =
       CASE WHEN NOT $4 THEN callback_url_operator_at WHEN $3 = 'operator' THEN now() END
     WHERE id = $1`,
    [keyId, callbackUrl ?? null, by, isOther],
  );
  await unflag(db, keyId);
}

async function subscribe(db: Queryable, keyId: string, events: readonly OptionalEvent[]): Promise<boolean> {
  const { rowCount } = await db.query(
    'UPDATE api_keys SET subscribed_events = $2 WHERE id = $1 AND subscribed_events <> $2',
    [keyId, [...new Set(events)].sort()],
  );
  return rowCount === 1;
}

async function savePassphrase(
  db: Queryable,
  change: { keyId: string; passphrase: string | null },
  encryptionKeys: KeyRing,
): Promise<boolean> {
  const { keyId, passphrase } = change;
  if (passphrase === null) {
    const removed = await db.query(
      `UPDATE callback_passphrases SET retires_at = now() WHERE key_id = $1 AND ${SIGNS}`,
      [keyId],
    );
    return removed.rowCount !== 0;
  }
  const { rows } = await db.query(
    `SELECT id, ciphertext, retires_at FROM callback_passphrases WHERE key_id = $1 AND ${SIGNS}`,
    [keyId],
  );
  // Sending the current passphrase again changes nothing. An old one becomes current again. No signature
  // appears twice.
  const same = rows.filter((row) => decryptSecret(encryptionKeys, row.ciphertext, keyId) === passphrase);
  if (same.some((row) => row.retires_at === null)) return false;
  await db.query('UPDATE callback_passphrases SET retires_at = now() WHERE id = ANY($1)', [
    same.map((row) => row.id),
  ]);
  await db.query(
    `UPDATE callback_passphrases SET retires_at = now() + make_interval(hours => $2)
     WHERE key_id = $1 AND retires_at IS NULL`,
    [keyId, OVERLAP_HOURS],
  );
  const ciphertext = encryptSecret(encryptionKeys, passphrase, keyId);
  await insert(db, 'callback_passphrases', {
    key_id: keyId,
    ciphertext,
    created_at: DEFAULT,
    retires_at: null,
  });
  return true;
}

const SIGNS = '(retires_at IS NULL OR retires_at > now())';

async function auditChange(db: Queryable, change: CallbackChange): Promise<void> {
  const { actor, keyId, callbackUrl, events } = change;
  const passphrase =
    change.passphrase === undefined ? 'kept' : change.passphrase === null ? 'removed' : 'set';
  // JSON omits undefined members.
  const detail = { callback_url: callbackUrl, events, passphrase };
  await audit(db, { actor, action: 'callbacks.settings', subject: keyId, detail });
}

/** SQL: every live passphrase of key `k`, sealed, newest first. */
export const livePassphrases = `ARRAY(
  SELECT p.ciphertext FROM callback_passphrases p
  WHERE p.key_id = k.id AND (p.retires_at IS NULL OR p.retires_at > now())
  ORDER BY p.id DESC LIMIT ${LIVE_PASSPHRASES_MAX})`;

function unknownKey(): GatewayError {
  return new GatewayError('not_found', say('no_api_key'));
}
