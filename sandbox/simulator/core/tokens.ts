import { randomBytes } from 'node:crypto';

const KEPT_MAX = 1_000;

export function createTokens(lifeMs: number) {
  const ends = new Map<string, number>();
  return {
    give(): string {
      const token = randomBytes(24).toString('base64url');
      ends.set(token, Date.now() + lifeMs);
      for (const old of ends.keys()) if (ends.size > KEPT_MAX) ends.delete(old);
      return token;
    },
    isGood: (token = '') => (ends.get(token) ?? 0) > Date.now(),
  };
}
