import { createHash, timingSafeEqual } from 'node:crypto';
import type { NetworkProof } from '../../channels/registry.ts';
import { type Network, networkById } from '../../domain/network.ts';

/**
 * Whose token an Authorization header carries; null for nobody's. The token alone says which network speaks, whatever
 * the body claims. Every token is compared, in constant time, so an answer's delay tells nothing.
 */
export function createTokenCheck(proofs: readonly NetworkProof[]): (authorization: string) => Network | null {
  const find = createSecretCheck(
    proofs.flatMap((proof) => ('token' in proof ? [{ network: proof.network, secret: proof.token }] : [])),
  );
  return (authorization) => find(/^Bearer +(\S+) *$/i.exec(authorization)?.[1] ?? '');
}

/** Whose user name and password these are, for protocols without a bearer token; compared as tokens are. */
export function createCredentialsCheck(
  proofs: readonly NetworkProof[],
): (given: { username: string; password: string }) => Network | null {
  const textOf = ({ username, password }: { username: string; password: string }) =>
    JSON.stringify([username, password]);
  const find = createSecretCheck(
    proofs.flatMap((proof) => ('token' in proof ? [] : [{ network: proof.network, secret: textOf(proof) }])),
  );
  return (given) => find(textOf(given));
}

function createSecretCheck(secrets: readonly { network: string; secret: string }[]) {
  const known = secrets.map(({ network, secret }) => ({
    network: networkById(network),
    digest: digestOf(secret),
  }));
  return (given: string): Network | null => {
    const digest = digestOf(given);
    const matching = known.filter((one) => timingSafeEqual(one.digest, digest));
    return matching[0]?.network ?? null;
  };
}

/** Of equal length, as the comparison needs them. */
function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
