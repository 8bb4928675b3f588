import type { Database } from '../db/pool.ts';
import { type BucketSize, msPerToken, type Taken, takenOf } from './token-bucket.ts';

/** Takes tokens from the bucket that all processes share. Rejects when the store does not answer. */
export type BucketStore = { take(key: string, wanted: number): Promise<Taken> };

/** A key's bucket is one row, refilled and taken under its lock, by the database's clock. */
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
               floor($3::int - extract(epoch FROM greatest(bucket.full_at - now.at, '0')) / extract(epoch FROM $4::interval)
                 + 1e-6)::int)) AS tokens) given)
         RETURNING granted, extract(epoch FROM full_at - clock_timestamp())::float8 * 1000 AS until_full_ms`,
        [key, wanted, size.burst, `${msPerToken(size)} milliseconds`],
      );
      const [row] = rows;
      return { ...takenOf(size, row?.until_full_ms ?? 0), granted: row?.granted ?? 0 };
    },
  };
}

type Held = {
  tokens: number;
  /** the store had this many left when it gave the lease */
  left: number;
  /** then unused tokens are given up */
  until: number;
  /** the store had no more; it is not asked again before */
  emptyUntil: number;
  waitMs: number;
  size: number;
  waiting: number;
  asking: Promise<void> | null;
};

const LEASE_MS = 1_000;
/** A lease is at most this part of a burst: it is what a process may hold back from the others. */
const LEASE_PART = 20;
const SWEEP_ABOVE = 1_000;

/**
 * Leases: a process takes a few tokens of a key at a time and hands them out itself. A lease starts at one token,
 * doubles while it is used up within a second, and is given up after one: what is taken is nearly what is used, so all
 * processes together admit the limit within a tenth. An empty store is not asked again before it can give a lease.
 */
export function createLeases(options: { store: BucketStore; size: BucketSize; now: () => number }) {
  const { store, size, now } = options;
  const most = Math.max(1, Math.floor(size.burst / LEASE_PART));
  const held = new Map<string, Held>();
  let sweepAbove = SWEEP_ABOVE;

  function heldOf(key: string): Held {
    const known = held.get(key);
    if (known) return known;
    if (held.size >= sweepAbove) {
      for (const [old, lease] of held) if (lease.until <= now() && lease.waiting === 0) held.delete(old);
      sweepAbove = Math.max(SWEEP_ABOVE, 2 * held.size);
    }
    const none = { tokens: 0, left: 0, until: 0, emptyUntil: 0, waitMs: 0, size: 0, waiting: 0 };
    const fresh: Held = { ...none, asking: null };
    held.set(key, fresh);
    return fresh;
  }

  async function ask(key: string, lease: Held): Promise<void> {
    const inUse = now() < lease.until && lease.tokens === 0;
    lease.size = inUse ? Math.min(most, Math.max(1, lease.size * 2)) : 1;
    // Those who wait for this answer use their tokens at once: that is no holding back.
    const wanted = Math.min(size.burst, Math.max(lease.size, lease.waiting));
    const taken = await store.take(key, wanted);
    lease.tokens = taken.granted;
    lease.left = taken.remaining;
    lease.waitMs = taken.waitMs;
    lease.until = now() + LEASE_MS;
    lease.emptyUntil = taken.remaining === 0 ? now() + Math.min(LEASE_MS, msPerToken(size) * most) : 0;
  }

  return {
    /** Rejects if the store does not answer. */
    async take(key: string): Promise<Taken> {
      const lease = heldOf(key);
      lease.waiting += 1;
      try {
        for (;;) {
          if (lease.tokens > 0 && now() < lease.until) {
            lease.tokens -= 1;
            return { granted: 1, remaining: lease.tokens + lease.left, waitMs: lease.waitMs };
          }
          if (now() < lease.emptyUntil) return { granted: 0, remaining: 0, waitMs: lease.waitMs };
          lease.asking ??= ask(key, lease).finally(() => {
            lease.asking = null;
          });
          await lease.asking;
        }
      } finally {
        lease.waiting -= 1;
      }
    },
  };
}
