import { createHash, timingSafeEqual } from 'node:crypto';
import { type Network, networkById } from '../domain/network.ts';

/** A network's proof of itself; it may have several while one replaces another. */
export type BillToken = { network: string; token: string };

/**
 * Whose token an Authorization header carries; null for nobody's. The token alone says which network speaks, whatever
 * the body claims. Every token is compared, in constant time, so an answer's delay tells nothing.
 */
export function createTokenCheck(tokens: readonly BillToken[]): (authorization: string) => Network | null {
  const known = tokens.map(({ network, token }) => ({
    network: networkById(network),
    digest: digestOf(token),
  }));
  return (authorization) => {
    const given = digestOf(/^Bearer +(\S+) *$/i.exec(authorization)?.[1] ?? '');
    const matching = known.filter(({ digest }) => timingSafeEqual(digest, given));
    return matching[0]?.network ?? null;
  };
}

/** Of equal length, as the comparison needs them. */
function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
