import { createHash } from 'node:crypto';
import ipaddr from 'ipaddr.js';
import {
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRes,
  RLWrapperTimeouts,
} from 'rate-limiter-flexible';
import { GatewayError } from '../../domain/errors.ts';
import { say } from '../../domain/messages.ts';
import type { Database } from '../db/pool.ts';
import type { Log } from '../process/log.ts';
import { inTime } from '../process/promises.ts';
import { type BucketStore, createPostgresBuckets, inGroups } from './shared-buckets.ts';
import { type BucketSize, createTokenBuckets, msPerToken, type Taken } from './token-bucket.ts';

export type RateLimits = {
  /** Counts a key's request. Returns headers for its answer, or throws `rate_limited`. */
  admit(keyId: string): Promise<Record<string, string>>;
  /** Counts a wrong key, token or signature from an address. Throws `rate_limited` after too many. */
  countFailure(address: string): Promise<void>;
  /** Counts a large answer that needs no key. Throws `rate_limited` above a person's pace. */
  admitReader(address: string): void;
  /** Returns true if this process has seen too many failures from an address; asks no store. */
  isLimited(address: string): boolean;
};

type Options = {
  perKey: BucketSize | null;
  /** wrong keys per minute and address; 0: not limited */
  failuresPerMinute: number;
  /** null: each process counts alone */
  shared: Database | null;
  log: Log;
  /** called for each wrong proof, limited or not */
  observeFailure?: () => void;
  now?: () => number;
};

const NO_HEADERS: Record<string, string> = {};

export function createRateLimits(options: Options): RateLimits {
  const { perKey } = options;
  const take = perKey ? createTake({ ...options, perKey }) : null;
  return {
    async admit(keyId) {
      if (!take || !perKey) return NO_HEADERS;
      const taken = await take(keyId);
      const headers = headersOf(perKey, taken);
      if (taken.granted === 0) throw refused(Math.ceil(taken.waitMs / 1_000), headers);
      return headers;
    },
    admitReader: createReaderLimit(options.now ?? (() => performance.now())),
    ...createFailureCount(options),
  };
}

/** This limit is per address: a page makes ten requests, and an office may share an address. */
const READERS: BucketSize = { ratePerSecond: 20, burst: 400 };

function createReaderLimit(now: () => number): RateLimits['admitReader'] {
  const buckets = createTokenBuckets(READERS, now);
  return (address) => {
    const { granted, waitMs } = buckets.take(slotOf(address), 1);
    if (granted === 0) throw refused(Math.ceil(waitMs / 1_000), NO_HEADERS);
  };
}

/** Timeout of one store request, and the pause after a failed one. */
const STORE_TIMEOUT_MS = 1_000;
const STORE_PAUSE_MS = 1_000;

/** Takes a token here or from the store. If the store fails, this process alone may use the whole limit. */
function createTake(options: Options & { perKey: BucketSize }): (keyId: string) => Promise<Taken> {
  const { perKey, shared, log } = options;
  const now = options.now ?? (() => performance.now());
  const own = createTokenBuckets(perKey, now);
  if (!shared) return async (keyId) => own.take(keyId, 1);
  const takeShared = inGroups(withTimeout(createPostgresBuckets(shared, perKey)));
  let aloneUntil = 0;
  return async (keyId) => {
    if (now() < aloneUntil) return own.take(keyId, 1);
    try {
      return await takeShared(keyId);
    } catch (error) {
      aloneUntil = now() + STORE_PAUSE_MS;
      log.warn(
        { err: error },
        'the store of the rate limits does not answer: this process counts for itself',
      );
      return own.take(keyId, 1);
    }
  };
}

function withTimeout(store: BucketStore): BucketStore {
  return {
    take: (key, wanted) =>
      inTime(store.take(key, wanted), STORE_TIMEOUT_MS, () => {
        throw new Error(`no answer within ${STORE_TIMEOUT_MS} ms`);
      }),
  };
}

/**
 * Writes the fields of the IETF draft "RateLimit header fields for HTTP" (httpapi-ratelimit-headers,
 * revisions 09 to 11): `r` requests are admitted in the next `t` seconds, and one more then.
 */
function headersOf(size: BucketSize, taken: Taken): Record<string, string> {
  const windowSeconds = Math.max(1, Math.ceil((size.burst * msPerToken(size)) / 1_000));
  const seconds = Math.max(1, Math.ceil(taken.waitMs / 1_000));
  return {
    'RateLimit-Policy': `"key";q=${size.burst};w=${windowSeconds}`,
    RateLimit: `"key";r=${taken.remaining};t=${seconds}`,
  };
}

function refused(waitSeconds: number, headers: Record<string, string>): GatewayError {
  const seconds = Math.max(1, waitSeconds);
  const message = seconds === 1 ? say('too_many_requests_one_second') : say('too_many_requests', { seconds });
  return new GatewayError('rate_limited', message, {
    headers: { ...headers, 'Retry-After': String(seconds) },
  });
}

const MINUTE_SECONDS = 60;

function createFailureCount(options: Options): Pick<RateLimits, 'countFailure' | 'isLimited'> {
  const { failuresPerMinute, shared, observeFailure = () => {} } = options;
  if (failuresPerMinute === 0) return { countFailure: async () => observeFailure(), isLimited: () => false };
  const now = options.now ?? (() => performance.now());
  const limiter = createLimiter(failuresPerMinute, shared);
  /** keys are slots, so the map stays small */
  const limitedUntil = new Map<string, number>();

  function refuse(waitMs: number): never {
    const seconds = Math.max(1, Math.ceil(waitMs / 1_000));
    throw refused(seconds, {
      'RateLimit-Policy': `"failed-authentication";q=${failuresPerMinute};w=${MINUTE_SECONDS}`,
      RateLimit: `"failed-authentication";r=0;t=${seconds}`,
    });
  }

  const waitOf = (slot: string) => (limitedUntil.get(slot) ?? 0) - now();

  return {
    isLimited: (address) => limitedUntil.size > 0 && waitOf(slotOf(address)) > 0,
    async countFailure(address) {
      observeFailure();
      const slot = slotOf(address);
      if (waitOf(slot) > 0) refuse(waitOf(slot));
      limitedUntil.delete(slot);
      try {
        await limiter.consume(slot);
      } catch (refusal) {
        if (!(refusal instanceof RateLimiterRes)) throw refusal;
        limitedUntil.set(slot, now() + refusal.msBeforeNext);
        refuse(refusal.msBeforeNext);
      }
    },
  };
}

function createLimiter(failuresPerMinute: number, shared: Database | null) {
  const size = { points: failuresPerMinute, duration: MINUTE_SECONDS, keyPrefix: '' };
  const memory = new RateLimiterMemory(size);
  if (!shared) return memory;
  const limiter = new RateLimiterPostgres({
    ...size,
    storeClient: shared,
    storeType: 'pool',
    tableName: 'failed_authentications',
    tableCreated: true,
    insuranceLimiter: memory,
    // An address over the limit is refused without the store until its minute ends.
    inMemoryBlockOnConsumed: failuresPerMinute + 1,
  });
  return new RLWrapperTimeouts({ limiter, timeoutMs: STORE_TIMEOUT_MS, insuranceLimiter: memory });
}

/**
 * Addresses share 65,536 slots, which limits the memory. IPv6 counts by 64-bit network, usually one customer.
 * Two addresses in one slot share only their count of wrong keys.
 */
function slotOf(address: string): string {
  const isV6 = ipaddr.IPv6.isValid(address);
  const network = isV6 ? String(ipaddr.IPv6.parse(address).toByteArray().slice(0, 8)) : address;
  return createHash('sha256').update(network).digest('hex').slice(0, 4);
}
