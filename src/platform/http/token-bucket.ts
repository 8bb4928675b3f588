export type BucketSize = {
  ratePerSecond: number;
  /** tokens in a full bucket: requests that may come at once */
  burst: number;
};

export type Taken = {
  granted: number;
  /** whole tokens left */
  remaining: number;
  /** time until one more token */
  waitMs: number;
};

export const msPerToken = (size: BucketSize) => 1_000 / size.ratePerSecond;

const SWEEP_ABOVE = 1_000;

/**
 * A full bucket has `burst` tokens and refills at `ratePerSecond`. We store when it will be full and forget
 * full buckets, so memory grows only with the keys in use.
 */
export function createTokenBuckets(size: BucketSize, now: () => number) {
  const fullAt = new Map<string, number>();
  let sweepAbove = SWEEP_ABOVE;

  function sweep(at: number): void {
    for (const [key, moment] of fullAt) if (moment <= at) fullAt.delete(key);
    sweepAbove = Math.max(SWEEP_ABOVE, 2 * fullAt.size);
  }

  return {
    take(key: string, wanted: number): Taken {
      const at = now();
      const before = Math.max(fullAt.get(key) ?? at, at);
      const granted = Math.min(wanted, takenOf(size, before - at).remaining);
      const after = before + granted * msPerToken(size);
      if (fullAt.size >= sweepAbove) sweep(at);
      fullAt.set(key, after);
      return { ...takenOf(size, after - at), granted };
    },
    get size() {
      return fullAt.size;
    },
  };
}

/** Returns true while this process asks a channel no faster than its rate. */
export function createChannelRates(rateOf: (channelId: string) => number): (channelId: string) => boolean {
  const buckets = new Map<string, ReturnType<typeof createTokenBuckets>>();
  return (channelId) => {
    const ratePerSecond = rateOf(channelId);
    const size = { ratePerSecond, burst: Math.max(1, Math.floor(ratePerSecond)) };
    const bucket = buckets.get(channelId) ?? createTokenBuckets(size, () => performance.now());
    buckets.set(channelId, bucket);
    return bucket.take(channelId, 1).granted === 1;
  };
}

export function takenOf(size: BucketSize, untilFullMs: number): Omit<Taken, 'granted'> {
  const tokens = size.burst - Math.max(0, untilFullMs) / msPerToken(size);
  // Floating point may lose a billionth of a token, which must not cost the merchant the token.
  const remaining = Math.max(0, Math.floor(tokens + 1e-9));
  return { remaining, waitMs: Math.max(0, (remaining + 1 - tokens) * msPerToken(size)) };
}
