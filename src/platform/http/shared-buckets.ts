import type { Database } from '../db/pool.ts';
import { type BucketSize, msPerToken, type Taken, takenOf } from './token-bucket.ts';

/** Takes tokens from a bucket that all processes share. Rejects if the store does not answer. */
export type BucketStore = { take(key: string, wanted: number): Promise<Taken> };

/** A key's bucket is one row, which is refilled and taken from under its lock, by the database's clock. */
export function createPostgresBuckets(database: Database, size: BucketSize): BucketStore {
  return {
    async take(key, wanted) {
      const { rows } = await database.query(
        `INSERT INTO rate_limit_buckets AS bucket (key_id, full_at, granted)
         VALUES ($1, clock_timestamp() + least($2::int, $3::int) * $4::interval, least($2::int, $3::int))
         ON CONFLICT (key_id) DO UPDATE SET (full_at, granted) = (
           SELECT greatest(bucket.full_at, now.at) + given.tokens * $4::interval, given.tokens
           FROM (SELECT clock_timestamp() AS at) now,
             LATERAL (SELECT greatest(0, least($2::int,
               floor($3::int - extract(epoch FROM greatest(bucket.full_at - now.at, '0'))
                 / extract(epoch FROM $4::interval) + 1e-6)::int)) AS tokens) given)
         RETURNING granted, extract(epoch FROM full_at - clock_timestamp())::float8 * 1000 AS until_full_ms`,
        [key, wanted, size.burst, `${msPerToken(size)} milliseconds`],
      );
      const [row] = rows;
      return { ...takenOf(size, row?.until_full_ms ?? 0), granted: row?.granted ?? 0 };
    },
  };
}

type Group = { size: number; taken: Promise<Taken> };

/**
 * Sends one statement at a time per process and key. Requests that arrive meanwhile share the next one, and
 * the store still counts every admitted request. Rejects if the store does not answer.
 */
export function inGroups(store: BucketStore): (key: string) => Promise<Taken> {
  const last = new Map<string, Promise<Taken>>();
  const next = new Map<string, Group>();

  function open(key: string): Group {
    // Requests that wait for a failing statement fail with it, so that a hanging store delays nobody twice.
    const before = Promise.resolve(last.get(key)).finally(() => next.delete(key));
    const group: Group = { size: 0, taken: before.then(() => store.take(key, group.size)) };
    const forget = () => last.get(key) === group.taken && last.delete(key);
    group.taken.then(forget, forget);
    last.set(key, group.taken);
    next.set(key, group);
    return group;
  }

  return async (key) => {
    const group = next.get(key) ?? open(key);
    group.size += 1;
    const place = group.size;
    const taken = await group.taken;
    const granted = place <= taken.granted ? 1 : 0;
    return { ...taken, granted, remaining: taken.remaining + Math.max(0, taken.granted - place) };
  };
}
