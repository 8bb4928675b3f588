import { readOnce } from '../base/read-once.ts';
import type { Database } from '../platform/db/pool.ts';

const FRESH_MS = 5_000;
/** A hash takes 32 bytes. With more keys than this, the service queries for each request. */
const KEYS_MAX = 1_000_000;

/** Knows the hashes of live keys, at most 5 s old. So a wrong key costs no query of its own. */
export function createLiveKeys(database: Database): (hash: Buffer) => Promise<boolean> {
  async function read(): Promise<ReadonlySet<string> | null> {
    const { rows } = await database.query(
      `SELECT s.hash FROM api_key_secrets s JOIN api_keys k ON k.id = s.key_id
       WHERE (s.retires_at IS NULL OR s.retires_at > now()) AND k.revoked_at IS NULL LIMIT $1`,
      [KEYS_MAX + 1],
    );
    return rows.length > KEYS_MAX ? null : new Set(rows.map((row) => row.hash.toString('base64')));
  }

  const liveHashes = readOnce(read, { freshMs: FRESH_MS });
  return async (hash) => {
    const hashes = await liveHashes();
    return hashes === null || hashes.has(hash.toString('base64'));
  };
}
