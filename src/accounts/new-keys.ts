import type { KeyRing } from '../base/key-ring.ts';
import { GatewayError } from '../domain/errors.ts';
import { type Actor, audit } from '../platform/db/audit.ts';
import type { Queryable } from '../platform/db/pool.ts';
import { macOfRow } from '../platform/db/proofs.ts';
import { DEFAULT, insert } from '../platform/db/write.ts';
import { hashOf } from './key-format.ts';
import type { Scope } from './keys.ts';

/** The owner made the secret; its text never reaches us. */
type Secret = {
  keyId: string;
  /** SHA-256 in hex of the key's whole text */
  fingerprint: string;
};

type By = {
  actor: Actor;
  /** agreement of two operators */
  proposalId?: string;
};

export type NewKey = Secret &
  By & {
    accountId: string;
    scopes: readonly Scope[];
    label?: string | undefined;
    /** keys of one holder count as one person where two are needed */
    holder?: string | undefined;
    /** ISO 8601; absent: never */
    expiresAt?: string | undefined;
    /** addresses or networks (`10.0.0.0/8`); absent: any */
    allowedIps?: readonly string[] | undefined;
  };

/** A rotated secret stays valid this long, so a merchant can change over. */
const OVERLAP_DAYS = 7;

/** Adds a key in the caller's transaction. Throws `conflict` if the id is taken. */
export async function addKey(db: Queryable, hashSecrets: KeyRing, key: NewKey): Promise<void> {
  const { keyId, accountId, label = '', holder = null, scopes, allowedIps = [], expiresAt = null } = key;
  const named = { id: keyId, account_id: accountId, scopes, holder, allowed_ips: allowedIps };
  const { rowCount } = await insert(
    db,
    'api_keys',
    {
      id: keyId,
      account_id: accountId,
      label,
      holder,
      scopes,
      allowed_ips: allowedIps,
      expires_at: expiresAt,
      revoked_at: null,
      created_at: DEFAULT,
      last_used_at: null,
      callback_url: null,
      callback_disabled_reason: null,
      callback_disabled_at: null,
      callback_failing_since: null,
      subscribed_events: DEFAULT,
      callback_updated_at: DEFAULT,
      callback_url_operator_at: null,
      mac: macOfRow(db, 'api_keys', { ...named, expires_at: expiresAt }),
    },
    { onConflict: 'DO NOTHING' },
  );
  if (rowCount === 0) throw new GatewayError('conflict', `There is a key ${keyId} already: make another one`);
  await addSecret(db, hashSecrets, key);
  await note(db, 'keys.create', key, { account_id: accountId, label, holder, scopes });
}

/**
 * Adds a secret to a key, in the caller's transaction. The previous one stays valid for a week, an older one
 * ends now. Throws `not_found` for a revoked key, `conflict` for a secret that it had before.
 */
export async function rotateKey(db: Queryable, hashSecrets: KeyRing, secret: Secret & By): Promise<void> {
  await requireLiveKey(db, secret.keyId);
  await db.query(
    `UPDATE api_key_secrets SET retires_at = CASE
       WHEN retires_at IS NULL THEN now() + make_interval(days => $2) ELSE now() END
     WHERE key_id = $1 AND (retires_at IS NULL OR retires_at > now())`,
    [secret.keyId, OVERLAP_DAYS],
  );
  await addSecret(db, hashSecrets, secret);
  await note(db, 'keys.rotate', secret, {});
}

/** Locks the key until the transaction ends. */
export async function requireLiveKey(db: Queryable, keyId: string): Promise<void> {
  const { rowCount } = await db.query(
    'SELECT 1 FROM api_keys WHERE id = $1 AND revoked_at IS NULL FOR UPDATE',
    [keyId],
  );
  if (rowCount === 0) throw new GatewayError('not_found', `There is no live key ${keyId}`);
}

async function addSecret(db: Queryable, hashSecrets: KeyRing, { keyId, fingerprint }: Secret): Promise<void> {
  const [first] = hashSecrets;
  const credential = { kind: 'key', id: keyId, fingerprint } as const;
  const hashes = hashSecrets.map(({ key }) => hashOf(key, credential));
  const { rowCount } = await db.query(
    `INSERT INTO api_key_secrets (key_id, hash, hashed_with) SELECT $1, $2, $3
     WHERE NOT EXISTS (SELECT FROM api_key_secrets WHERE key_id = $1 AND hash = ANY($4))`,
    [keyId, hashOf(first.key, credential), first.id, hashes],
  );
  if (rowCount === 0)
    throw new GatewayError('conflict', `Key ${keyId} had this secret before: make another one`);
}

async function note(db: Queryable, action: string, { keyId, actor, proposalId }: Secret & By, about: object) {
  await audit(db, { actor, action, subject: keyId, detail: { ...about, proposal: proposalId } });
}
