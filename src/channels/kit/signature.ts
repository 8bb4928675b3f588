import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * The signature covers time, method, path and body, and for an answer also its status and the request.
 * `X-Signature: t=<seconds since 1970>,v1=<hex>`; v1 is HMAC-SHA256 of the lines below, one per secret during
 * a replacement. If keys have names, `k=<name>,` comes first.
 */
export const SIGNATURE_HEADER = 'X-Signature';
/** Clocks may differ by this much, and a copied message can be replayed for so long. */
const TOLERANCE_MS = 5 * 60_000;
const HEADER_CHARACTERS_MAX = 512;
const VALUES_MAX = 4;

/** `path` as agreed, without query. The first secret signs. */
type Message = { method: string; path: string; body: Uint8Array | string };
type SignedRequest = Message;
/** `request` is the request's header. The status is signed because it carries the decision. */
type SignedAnswer = Message & { status: number; request: string };

type Signer = { secrets: readonly string[]; now: Date };

export function signRequest(request: SignedRequest, signer: Signer): string {
  return headerOf(linesOfRequest(request), request.body, signer);
}

export function signAnswer(answer: SignedAnswer, signer: Signer): string {
  return headerOf(linesOfAnswer(answer), answer.body, signer);
}

/** Requires a time within five minutes of now. */
export function isSignedRequest(header: string | undefined, request: SignedRequest, signer: Signer): boolean {
  return isSigned(header, linesOfRequest(request), request.body, signer);
}

export function isSignedAnswer(header: string | undefined, answer: SignedAnswer, signer: Signer): boolean {
  return isSigned(header, linesOfAnswer(answer), answer.body, signer);
}

export function keyNameOf(header: string | undefined): string | null {
  return readHeader(header ?? '')?.keyName ?? null;
}

function linesOfRequest({ method, path }: SignedRequest): string[] {
  return ['request', method, path];
}

function linesOfAnswer({ method, path, status, request }: SignedAnswer): string[] {
  return ['answer', method, path, String(status), request];
}

function headerOf(lines: string[], body: Uint8Array | string, { secrets, now }: Signer): string {
  const seconds = Math.floor(now.getTime() / 1000);
  const [secret = ''] = secrets;
  return `t=${seconds},v1=${macOf([...lines, String(seconds)], body, secret).toString('hex')}`;
}

function isSigned(
  header: string | undefined,
  lines: string[],
  body: Uint8Array | string,
  { secrets, now }: Signer,
): boolean {
  const given = readHeader(header ?? '');
  if (!given || Math.abs(now.getTime() - given.seconds * 1000) > TOLERANCE_MS) return false;
  // Every pair is compared, so that the time taken reveals nothing.
  const matching = secrets.filter((secret) => {
    const mac = macOf([...lines, String(given.seconds)], body, secret);
    return given.values.filter((value) => timingSafeEqual(mac, value)).length > 0;
  });
  return matching.length > 0;
}

type Header = { keyName: string | null; seconds: number; values: Buffer[] };

function readHeader(header: string): Header | null {
  if (header.length > HEADER_CHARACTERS_MAX) return null;
  const match = /^(?:k=([\w.-]{1,40}),)?t=(\d{1,12})((?:,v1=[0-9a-f]{64})+)$/.exec(header);
  if (!match) return null;
  const [, keyName = null, seconds = '', values = ''] = match;
  const macs = values.split(',v1=').slice(1, 1 + VALUES_MAX);
  return { keyName, seconds: Number(seconds), values: macs.map((mac) => Buffer.from(mac, 'hex')) };
}

function macOf(lines: string[], body: Uint8Array | string, secret: string): Buffer {
  return createHmac('sha256', secret)
    .update(`${lines.join('\n')}\n`)
    .update(body)
    .digest();
}
