import type { DoorCall, Proof } from './door.ts';
import { isSameSecret } from './secret.ts';

export function proofOfToken(call: DoorCall, tokens: readonly string[]): Proof {
  const authorization = call.header('Authorization');
  if (isSameSecret(/^Bearer +(\S+) *$/i.exec(authorization)?.[1] ?? '', tokens)) return 'proven';
  return { why: 'The token is not accepted', isWrong: authorization !== '' };
}

/** A message for another short code belongs to another connection. */
export function proofOfShortCode(
  proof: Proof,
  named: string | undefined,
  expected: string | undefined,
): Proof {
  if (proof !== 'proven' || expected === undefined || named === expected) return proof;
  return { why: 'The message is for another short code', isWrong: false };
}

export type Credentials = { username: string; password: string };

export function proofOfCredentials(given: Credentials, expected: Credentials): Proof {
  if (isSameSecret(textOf(given), textOf(expected))) return 'proven';
  return {
    why: 'The user name or password is not accepted',
    isWrong: given.username !== '' || given.password !== '',
  };
}

export function textOf({ username, password }: Credentials): string {
  return JSON.stringify([username, password]);
}
