import type { KeyRing } from '../base/key-ring.ts';
import type { Database, Queryable } from '../platform/db/pool.ts';
import { inTransaction } from '../platform/db/transaction.ts';
import { update } from '../platform/db/write.ts';
import { decryptSecret, encryptSecret, keyNameIn } from './secrets.ts';

const BATCH_MAX = 100;

/**
 * Seals every stored passphrase with the first key, so an older key can be removed. Idempotent. Skips a row
 * that another transaction changes, because that change seals it with the first key. Returns how many it
 * sealed. Throws if a passphrase's key is missing.
 */
export async function resealPassphrases(database: Database, keys: KeyRing): Promise<number> {
  let count = 0;
  for (;;) {
    const sealed = await inTransaction(database, (db) => resealSome(db, keys));
    count += sealed;
    if (sealed === 0) return count;
  }
}

async function resealSome(db: Queryable, keys: KeyRing): Promise<number> {
  const { rows } = await db.query(
    `SELECT id, key_id, ciphertext FROM callback_passphrases WHERE ${keyNameIn('ciphertext')} <> $1
     ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED`,
    [keys[0].id, BATCH_MAX],
  );
  for (const { id, key_id: owner, ciphertext } of rows) {
    const anew = encryptSecret(keys, decryptSecret(keys, ciphertext, owner), owner);
    await update(db, 'callback_passphrases', { ciphertext: anew }, { id });
  }
  return rows.length;
}

/** Counts passphrases by their sealing key, including those that sign events still due to an old address. */
export async function countSealed(db: Queryable): Promise<Map<string, number>> {
  const { rows } = await db.query(
    `SELECT ${keyNameIn('ciphertext')} AS name, count(*)::int AS count FROM (
       SELECT ciphertext FROM callback_passphrases WHERE retires_at IS NULL OR retires_at > now()
       UNION ALL SELECT unnest(old_passphrases) FROM callback_events
       WHERE state = 'pending' AND old_url IS NOT NULL
     ) sealed GROUP BY 1 /* never null: name, count */`,
  );
  return new Map(rows.map(({ name, count }) => [name, count]));
}
