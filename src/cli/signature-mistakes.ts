import { createHash, createHmac } from 'node:crypto';

/** One way to make a signature: the right one has no mistakes. */
export type Candidate = { signature: string; mistakes: Mistake[] };

/** The mistake, and what to do instead. */
export type Mistake = { what: string; advice: string };

export type Signed = {
  body: Buffer;
  /** `webhook-id` and `webhook-timestamp` */
  id: string;
  timestamp: string;
  passphrase: string;
};

type Variant<T> = { value: T; mistake: Mistake | null };

const right = <T>(value: T): Variant<T> => ({ value, mistake: null });
const wrong = <T>(value: T, what: string, advice: string): Variant<T> => ({
  value,
  mistake: { what, advice },
});

/**
 * Every signature that comes out of these when something usual goes wrong with the key, the body, what is signed, or
 * how it is written down, those with the fewest mistakes first. The first one has none.
 */
export function candidates(kind: 'service' | 'standard', signed: Signed): Candidate[] {
  const all: Candidate[] = [];
  for (const key of keysOf(kind, signed.passphrase))
    for (const body of bodiesOf(signed.body))
      for (const content of contentsOf(kind, signed, body.value))
        for (const encoding of encodingsOf(kind)) {
          const mistakes = [key, body, content, encoding].flatMap(({ mistake }) =>
            mistake ? [mistake] : [],
          );
          all.push({ signature: encoding.value(key.value(content.value)), mistakes });
        }
  return all.sort((a, b) => a.mistakes.length - b.mistakes.length);
}

type Digest = (content: Buffer) => Buffer;

const hmacWith =
  (key: Buffer): Digest =>
  (content) =>
    createHmac('sha256', key).update(content).digest();

const PREFIX = 'whsec_';
const WHOLE = 'Service-Signature is keyed with the UTF-8 bytes of the whole passphrase, whsec_ included.';
const DECODED = 'webhook-signature is keyed with the base64-decoded rest of a whsec_ passphrase.';
const RAW_KEY =
  "A passphrase without whsec_ is its own bytes: tell a Standard Webhooks library {format: 'raw'}. Where it was set with whsec_, that is part of it.";
const CLEAN = 'Take the passphrase without quotes, spaces or a line break around it.';

function keysOf(kind: 'service' | 'standard', passphrase: string): Variant<Digest>[] {
  const text = (value: string) => hmacWith(Buffer.from(value, 'utf8'));
  const decoded = (value: string) => hmacWith(Buffer.from(value, 'base64'));
  const ordinary = (value: string) =>
    kind === 'standard' && value.startsWith(PREFIX) ? decoded(value.slice(PREFIX.length)) : text(value);
  const keys = [right(ordinary(passphrase))];
  const trimmed = passphrase.trim().replace(/^(["'])(.*)\1$/s, '$2');
  if (trimmed !== passphrase)
    keys.push(wrong(ordinary(trimmed), 'the passphrase without what stands around it', CLEAN));
  keys.push(wrong(text(`${passphrase}\n`), 'the passphrase with a line break at its end', CLEAN));
  if (passphrase.startsWith(PREFIX)) {
    const rest = passphrase.slice(PREFIX.length);
    if (kind === 'service')
      keys.push(wrong(decoded(rest), 'the base64-decoded rest of whsec_ as key', WHOLE));
    else keys.push(wrong(text(passphrase), 'the text of the whole passphrase as key', DECODED));
    const advice = kind === 'service' ? WHOLE : DECODED;
    keys.push(wrong(text(rest), 'the text after whsec_ as key', advice));
  } else {
    if (kind === 'service')
      keys.push(wrong(text(PREFIX + passphrase), 'the passphrase with whsec_ before it', WHOLE));
    else keys.push(wrong(decoded(passphrase), 'the base64-decoded passphrase as key', RAW_KEY));
  }
  const hashed: Digest = (content) => createHash('sha256').update(passphrase).update(content).digest();
  keys.push(wrong(hashed, 'a plain SHA-256 of passphrase and body', 'Use HMAC-SHA256.'));
  const unkeyed: Digest = (content) => createHash('sha256').update(content).digest();
  keys.push(wrong(unkeyed, 'a plain SHA-256 without a key', 'Use HMAC-SHA256, keyed with the passphrase.'));
  return keys;
}

const RAW = 'Check the bytes as they came, before a JSON parser or a framework touches them.';
const NEWLINE =
  'The body has no line break at its end: save and read it byte for byte (printf %s, not echo).';

function bodiesOf(body: Buffer): Variant<Buffer>[] {
  const bodies = [right(body)];
  const text = body.toString('utf8');
  const add = (value: string, what: string, advice: string) => {
    if (value !== text) bodies.push(wrong(Buffer.from(value, 'utf8'), what, advice));
  };
  add(text.replace(/\r?\n$/, ''), 'the body without the line break at its end', NEWLINE);
  add(`${text}\n`, 'the body with a line break at its end', NEWLINE);
  add(text.trim().replace(/^\ufeff/, ''), 'the body without the white space around it', RAW);
  for (const [what, value] of Object.entries(rewritten(text))) add(value, what, RAW);
  return bodies;
}

/** The same JSON as other programs would write it. */
function rewritten(text: string): Record<string, string> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return {};
  }
  const compact = JSON.stringify(value);
  const ascii = (json: string) =>
    json.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const escaped = ascii(compact).replaceAll('/', '\\/');
  const spaced = JSON.stringify(value, null, 1)
    .replace(/\n */g, ' ')
    .replace(/([[{]) | ([\]}])/g, '$1$2');
  return {
    'the body written again as compact JSON': compact,
    'the body written again as JSON with spaces (as Python’s json.dumps does)': ascii(spaced),
    'the body written again as JSON with spaces': spaced,
    'the body written again with escaped slashes (as PHP’s json_encode does)': escaped,
    'the body written again with escaped letters': ascii(compact),
    'the body written again with its keys sorted': JSON.stringify(sorted(value)),
    'the body written again over several lines': JSON.stringify(value, null, 2),
    'the body written again over several lines (4 spaces)': JSON.stringify(value, null, 4),
  };
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}

function contentsOf(
  kind: 'service' | 'standard',
  { id, timestamp }: Signed,
  body: Buffer,
): Variant<Buffer>[] {
  const standard = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]);
  if (kind === 'service')
    return [
      right(body),
      wrong(standard, 'id, timestamp and body together', 'Service-Signature covers the body alone.'),
    ];
  const all = 'webhook-signature covers webhook-id.webhook-timestamp.body, with dots between them.';
  return [
    right(standard),
    wrong(body, 'the body alone', all),
    wrong(Buffer.concat([Buffer.from(`${timestamp}.`), body]), 'timestamp and body without the id', all),
  ];
}

function encodingsOf(kind: 'service' | 'standard'): Variant<(digest: Buffer) => string>[] {
  const hex = (digest: Buffer) => digest.toString('hex');
  const upper = (digest: Buffer) => digest.toString('hex').toUpperCase();
  const base64 = (digest: Buffer) => digest.toString('base64');
  const url = (digest: Buffer) => digest.toString('base64url');
  const ofHex = (digest: Buffer) => Buffer.from(digest.toString('hex')).toString('base64');
  const advice =
    kind === 'service' ? 'Service-Signature is lower-case hex.' : 'webhook-signature is v1, and base64.';
  return [
    right(kind === 'service' ? hex : base64),
    wrong(kind === 'service' ? base64 : hex, kind === 'service' ? 'in base64' : 'in hex', advice),
    wrong(upper, 'in upper-case hex', advice),
    wrong(url, 'in URL-safe base64', advice),
    wrong(ofHex, 'in base64 of the hex text', advice),
  ];
}
