import { createHash, timingSafeEqual } from 'node:crypto';
import type { NetworkProof } from '../../channels/registry.ts';
import { type Network, networkById } from '../../domain/network.ts';

/** For whom a secret speaks. With `operator`: as one of several, when its message says so. */
export type Speaker = { network: Network; operator: string | undefined };

/**
 * For whom the token of an Authorization header speaks; for nobody when it is unknown. The token alone says which networks
 * may speak, whatever the body claims. Every token is compared, in constant time, so an answer's delay tells nothing.
 */
export function createTokenCheck(proofs: readonly NetworkProof[]): (authorization: string) => Speaker[] {
  const find = createSecretCheck(
    proofs.flatMap((proof) =>
      'token' in proof ? [{ network: proof.network, secret: proof.token, operator: proof.operator }] : [],
    ),
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
  return (given) => find(textOf(given))[0]?.network ?? null;
}

function createSecretCheck(
  secrets: readonly { network: string; secret: string; operator?: string | undefined }[],
) {
  const known = secrets.flatMap(({ network: id, secret, operator }) => {
    const network = networkById(id);
    return network ? [{ network, operator, digest: digestOf(secret) }] : [];
  });
  return (given: string): Speaker[] => {
    const digest = digestOf(given);
    return known.filter((one) => timingSafeEqual(one.digest, digest));
  };
}

/** Of equal length, as the comparison needs them. */
function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
