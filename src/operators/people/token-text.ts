import { makeKey } from '../../accounts/key-format.ts';

export const TOKEN_DAYS_MAX = 366;
export const TOKEN_DAYS = 90;

/** The text stays with its owner; id and fingerprint are public. */
export function makeToken(): { token: string; tokenId: string; fingerprint: string } {
  const { text, id, fingerprint } = makeKey('op');
  return { token: text, tokenId: id, fingerprint };
}
