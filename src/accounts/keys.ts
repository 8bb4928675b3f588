import { timingSafeEqual } from 'node:crypto';
import { type KeyRing, keyNamed } from '../base/key-ring.ts';
import { type Actor, audit } from '../platform/db/audit.ts';
import { type Listed, type Page, readPage } from '../platform/db/listing.ts';
import type { Database, Queryable } from '../platform/db/pool.ts';
import { prepared } from '../platform/db/prepared.ts';
import { proves } from '../platform/db/proofs.ts';
import { NOW, update } from '../platform/db/write.ts';
import { isAllowed } from './addresses.ts';
import { FREEZES, type Frozen, frozenOf, KEY_FROZEN_AT } from './freeze.ts';
import { type Credential, fingerprintOf, hashOf, type KeyEnvironment, readKeyId } from './key-format.ts';
import { createLastUsed } from './last-used.ts';
import { createLiveKeys } from './live-keys.ts';

export const scopes = [
  'payments:write',
  'payments:read',
  'payouts:write',
  'payouts:read',
  'payouts:approve',
  'callbacks:write',
] as const;
export type Scope = (typeof scopes)[number];

export const keyStates = ['in_use', 'frozen', 'revoked'] as const;
export type KeyState = (typeof keyStates)[number];

export type Principal = {
  keyId: string;
  accountId: string;
  scopes: readonly Scope[];
  /** a frozen account or key may read and cancel, but create nothing */
  frozen: Frozen | null;
};

export type KeySummary = {
  id: string;
  accountId: string;
  label: string;
  holder: string | null;
  scopes: Scope[];
  allowedIps: string[];
  expiresAt: string | null;
  revokedAt: string | null;
  frozenAt: string | null;
  createdAt: string;
  /** to the minute */
  lastUsedAt: string | null;
  liveSecrets: number;
  callbackUrl: string | null;
  /** why nothing is sent there any more; null while it works */
  callbackDisabledReason: string | null;
};

type KeyFilters = { accountId?: string | undefined; state?: KeyState | undefined };

export type Keys = ReturnType<typeof createKeys>;

/** SQL for an API key `k`'s MAC and the facts that it covers. */
export const PROVEN_KEY = 'k.id, k.account_id, k.scopes, k.holder, k.allowed_ips, k.expires_at, k.mac';

/** Ends a key and all its secrets at once. Its callbacks go on. False if it was revoked before. */
export async function revokeKey(
  db: Queryable,
  { keyId: id, actor, reason }: { keyId: string; actor: Actor; reason: string },
): Promise<boolean> {
  const { rowCount } = await update(db, 'api_keys', { revoked_at: NOW }, { id, revoked_at: null });
  if (rowCount === 0) return false;
  await audit(db, { actor, action: 'keys.revoke', subject: id, detail: { reason } });
  return true;
}

/** Lists API keys for operators, and checks them for the API. Two operators add a key (new-keys.ts). */
export function createKeys(deps: {
  database: Database;
  /** KEY_HASH_SECRET: the first one hashes; a key hashed by an older one is hashed again on use */
  hashSecrets: KeyRing;
  environment: KeyEnvironment;
}) {
  const { database, hashSecrets, environment } = deps;
  const secrets = createSecrets(deps);
  const noteUse = createLastUsed((id) => update(database, 'api_keys', { last_used_at: NOW }, { id }));
  const isLive = createLiveKeys(database);

  /** Reads the database every time, so a revocation is effective with the next request, in every process. */
  async function authenticate(apiKey: string, address: string): Promise<Principal | null> {
    const id = readKeyId(`sk_${environment}`, apiKey);
    if (id === null) return null;
    const { rows } = await database.query(
      prepared(`SELECT ${PROVEN_KEY}, s.id AS secret_id, s.hash, s.hashed_with, ${FREEZES} AS freezes
       FROM api_keys k JOIN api_key_secrets s ON s.key_id = k.id
       WHERE k.id = $1 AND ${liveSecret} AND k.revoked_at IS NULL
         AND (k.expires_at IS NULL OR k.expires_at > now())`),
      [id],
    );
    const row = rows.find((candidate) => secrets.isOf(candidate, apiKey));
    if (!row || !(await proves(database, 'api_keys', row)) || !isAllowed(row.allowed_ips, address))
      return null;
    await secrets.keepFresh(row, apiKey);
    noteUse(id);
    return {
      keyId: id,
      accountId: row.account_id,
      scopes: row.scopes as Scope[],
      frozen: await frozenOf(database, row.freezes),
    };
  }

  /** True if the key may exist, so a database query is worth it. Costs at most one query in five seconds. */
  async function isKnown(apiKey: string): Promise<boolean> {
    const id = readKeyId(`sk_${environment}`, apiKey);
    if (id === null) return false;
    const known = await Promise.all(
      hashSecrets.map(({ key }) => isLive(hashOf(key, credentialOf(id, apiKey)))),
    );
    return known.includes(true);
  }

  return {
    authenticate,
    isKnown,
    environment,
    listKeys: (where: Page & KeyFilters) => listKeys(database, where),
  };
}

/** Secrets are stored as hashes, each with the name of the service secret that made it. */
function createSecrets({ database, hashSecrets }: { database: Database; hashSecrets: KeyRing }) {
  const [first] = hashSecrets;
  return {
    isOf(row: { id: string; hash: Buffer; hashed_with: string }, apiKey: string): boolean {
      const secret = keyNamed(hashSecrets, row.hashed_with);
      if (!secret) return false;
      return timingSafeEqual(row.hash, hashOf(secret.key, credentialOf(row.id, apiKey)));
    },
    /**
     * Hashes a key again if an older secret hashed it. Needs the key's text, which is not stored. The row of
     * the old hash ends and stays, so that nobody adds a hash again whose secret was ended. A failure leaves
     * it for the next request.
     */
    async keepFresh(
      row: { id: string; secret_id: number; hashed_with: string },
      apiKey: string,
    ): Promise<void> {
      if (row.hashed_with === first.id) return;
      const hash = hashOf(first.key, credentialOf(row.id, apiKey));
      await database.query(HASH_ANEW, [row.secret_id, hash, first.id]).catch(() => {});
    },
  };
}

const credentialOf = (id: string, apiKey: string): Credential => ({
  kind: 'key',
  id,
  fingerprint: fingerprintOf(apiKey),
});

/** SQL: a secret `s` that still opens its key. */
const liveSecret = '(s.retires_at IS NULL OR s.retires_at > now())';

/** The new row ends when the old one would have ended. A rotation locks the key first, and so does this. */
const HASH_ANEW = `
  WITH old AS (
    SELECT s.id, s.key_id, s.retires_at FROM api_keys k JOIN api_key_secrets s ON s.key_id = k.id
    WHERE s.id = $1 AND ${liveSecret} FOR KEY SHARE OF k FOR NO KEY UPDATE OF s
  ), anew AS (
    INSERT INTO api_key_secrets (key_id, hash, hashed_with, retires_at)
    SELECT key_id, $2, $3, retires_at FROM old ON CONFLICT DO NOTHING RETURNING key_id
  )
  UPDATE api_key_secrets SET retires_at = now()
  WHERE id IN (SELECT old.id FROM old JOIN anew ON anew.key_id = old.key_id)` as const;

/** Counts, by name, how many key secrets and operator tokens each service secret has hashed. */
export async function countHashed(db: Queryable): Promise<Map<string, number>> {
  const { rows } = await db.query(
    `SELECT hashed_with AS name, count(*)::int AS count FROM (
       SELECT s.hashed_with FROM api_key_secrets s JOIN api_keys k ON k.id = s.key_id
       WHERE ${liveSecret} AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())
       UNION ALL SELECT hashed_with FROM operator_tokens WHERE revoked_at IS NULL AND expires_at > now()
     ) AS live GROUP BY 1 /* never null: name, count */`,
  );
  return new Map(rows.map(({ name, count }) => [name, count]));
}

async function listKeys(
  database: Database,
  { accountId, state, ...page }: Page & KeyFilters,
): Promise<Listed<KeySummary>> {
  const text = `SELECT k.*, ${KEY_FROZEN_AT} AS frozen_at,
      (SELECT count(*) FROM api_key_secrets s WHERE s.key_id = k.id AND ${liveSecret}) AS live_secrets
    /* never null: live_secrets */
    FROM api_keys k WHERE ($1::uuid IS NULL OR k.account_id = $1) AND ($2::text IS NULL OR $2 =
      CASE WHEN k.revoked_at IS NOT NULL THEN 'revoked' WHEN ${KEY_FROZEN_AT} IS NOT NULL THEN 'frozen'
        ELSE 'in_use' END)`;
  const values = [accountId ?? null, state ?? null];
  const { items: rows, ...total } = await readPage(
    database,
    { text, values, order: 'k.created_at, k.id' },
    page,
  );
  const items = rows.map((row) => ({
    id: row.id,
    accountId: row.account_id,
    label: row.label,
    holder: row.holder,
    scopes: row.scopes as Scope[],
    allowedIps: row.allowed_ips,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    frozenAt: row.frozen_at,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    liveSecrets: row.revoked_at === null ? row.live_secrets : 0,
    callbackUrl: row.callback_url,
    callbackDisabledReason: row.callback_disabled_reason,
  }));
  return { items, ...total };
}
