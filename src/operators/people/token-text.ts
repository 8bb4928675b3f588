import { makeKey } from '../../accounts/key-format.ts';

export const TOKEN_DAYS_MAX = 366;
export const TOKEN_DAYS = 90;

/** A token as its owner makes it: its text stays with him, id and fingerprint may be seen by everybody. */
export function makeToken(): { token: string; tokenId: string; fingerprint: string } {
  const { text, id, fingerprint } = makeKey('op');
  return { token: text, tokenId: id, fingerprint };
}
