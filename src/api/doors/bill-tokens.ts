import { createHash, timingSafeEqual } from 'node:crypto';
import type { BillService } from '../../channels/door.ts';
import type { NetworkProof } from '../../channels/registry.ts';
import { SIGNATURE_HEADER } from '../../channels/signature.ts';
import { GatewayError } from '../../domain/errors.ts';
import { noteSecretUse } from '../../domain/secret-uses.ts';
import type { DoorContext } from '../http/app.ts';
import type { FailureCounter } from '../http/middleware/guards.ts';

export type Senders = {
  /** By the bearer token and, where the provider signs, the body. */
  ofToken(
    context: DoorContext,
    message: NonNullable<Parameters<BillService['networkOfToken']>[0]> & { now: () => Date },
  ): Promise<NetworkProof>;
  ofCredentials(
    context: DoorContext,
    credentials: { username: string; password: string },
  ): Promise<NetworkProof>;
};

/** Who speaks at a bill door, before anything of it is read. Each throws `unauthorized`, or `rate_limited` after too many. */
export function createSenders(deps: { proofs: readonly NetworkProof[]; failures: FailureCounter }): Senders {
  const { failures } = deps;
  const proofsOfToken = createTokenCheck(deps.proofs);
  const proofOfCredentials = createCredentialsCheck(deps.proofs);

  /** Counts a wrong proof. What carries none is refused without being counted. */
  async function refuse(context: DoorContext, message: string, isWrong: boolean): Promise<never> {
    if (isWrong) await failures.countFailure(failures.addressOf(context.req));
    throw new GatewayError('unauthorized', message);
  }

  return {
    async ofToken(context, { body, operatorOf, now }) {
      const authorization = context.get('Authorization');
      const address = failures.addressOf(context.req);
      const allowed = proofsOfToken(authorization).filter(
        ({ operator, allows }) => allows(address) && (operator === undefined || operatorOf !== undefined),
      );
      if (allowed.length === 0) return refuse(context, 'The token is not accepted', authorization !== '');
      const signature = context.get(SIGNATURE_HEADER);
      const needsSignature = allowed.some(({ isSigned }) => isSigned);
      const bytes = needsSignature && body ? await body() : null;
      const { method, path } = context;
      const proven = allowed.filter(
        ({ isSigned }) =>
          !isSigned || (bytes && isSigned({ method, path, signature, body: bytes, now: now() })),
      );
      if (proven.length === 0) return refuse(context, `Sign the message: ${SIGNATURE_HEADER}`, true);
      const proof = await speaking(proven, operatorOf);
      noteSecretUse(proof.token);
      return proof;
    },
    async ofCredentials(context, credentials) {
      const proof = proofOfCredentials(credentials);
      if (proof?.allows(failures.addressOf(context.req))) {
        noteSecretUse(credentials.password);
        return proof;
      }
      const isWrong = credentials.username !== '' || credentials.password !== '';
      return refuse(context, 'The user name or password is not accepted', isWrong);
    },
  };
}

/**
 * The networks for which the token of an Authorization header may speak; none when it is unknown. The token alone
 * decides, whatever the body claims. Every token is compared, in constant time, so an answer's delay reveals nothing.
 */
function createTokenCheck(proofs: readonly NetworkProof[]): (authorization: string) => TokenProof[] {
  const find = createSecretCheck(
    proofs.flatMap((proof) => ('token' in proof ? [{ proof, secret: proof.token }] : [])),
  );
  return (authorization) => find(/^Bearer +(\S+) *$/i.exec(authorization)?.[1] ?? '');
}

/** An aggregator's message says for which of its networks it speaks. */
async function speaking(
  proven: readonly TokenProof[],
  operatorOf: (() => Promise<string | null>) | undefined,
): Promise<TokenProof> {
  const single = proven.find(({ operator }) => operator === undefined);
  if (single) return single;
  const name = (await operatorOf?.())?.trim().toUpperCase();
  const named = proven.find(({ operator }) => operator === name);
  if (named) return named;
  throw new GatewayError('invalid_json', 'operator must be one of those that this token speaks for');
}

type TokenProof = Extract<NetworkProof, { token: string }>;

/** Whose user name and password these are, for protocols without a bearer token; compared as tokens are. */
function createCredentialsCheck(
  proofs: readonly NetworkProof[],
): (given: { username: string; password: string }) => NetworkProof | null {
  const textOf = ({ username, password }: { username: string; password: string }) =>
    JSON.stringify([username, password]);
  const find = createSecretCheck(
    proofs.flatMap((proof) => ('token' in proof ? [] : [{ proof, secret: textOf(proof) }])),
  );
  return (given) => find(textOf(given))[0] ?? null;
}

function createSecretCheck<Proof>(secrets: readonly { proof: Proof; secret: string }[]) {
  const known = secrets.map(({ proof, secret }) => ({ proof, digest: digestOf(secret) }));
  return (given: string): Proof[] => {
    const digest = digestOf(given);
    return known.filter((one) => timingSafeEqual(one.digest, digest)).map(({ proof }) => proof);
  };
}

/** Of equal length, as the comparison needs them. */
function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
