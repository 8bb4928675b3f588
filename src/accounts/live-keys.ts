import type { Database } from '../db/pool.ts';

const FRESH_MS = 5_000;
/** 32 bytes each; a service with more keys looks every key up. */
const KEYS_MAX = 1_000_000;

/**
 * Whether a key's hash is one of those that live, as of at most five seconds ago: for requests whose wrong keys must not
 * cost a query each. It says nothing about expiry or addresses: `authenticate` still decides.
 */
export function createLiveKeys(
  database: Database,
  now: () => number = () => performance.now(),
): (hash: Buffer) => Promise<boolean> {
  let hashes: ReadonlySet<string> | null = null;
  let readAt = -Infinity;
  let reading: Promise<void> | null = null;

  async function read(): Promise<void> {
    const { rows } = await database.query(
      `SELECT s.hash FROM api_key_secrets s JOIN api_keys k ON k.id = s.key_id
       WHERE (s.retires_at IS NULL OR s.retires_at > now()) AND k.revoked_at IS NULL LIMIT $1`,
      [KEYS_MAX + 1],
    );
    hashes = rows.length > KEYS_MAX ? null : new Set(rows.map((row) => row.hash.toString('base64')));
    readAt = now();
  }

  return async (hash) => {
    if (now() - readAt >= FRESH_MS) {
      reading ??= read().finally(() => {
        reading = null;
      });
      await reading;
    }
    return hashes === null || hashes.has(hash.toString('base64'));
  };
}
