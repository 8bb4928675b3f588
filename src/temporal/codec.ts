import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { type Payload, type PayloadCodec, ValueError } from '@temporalio/common';

const ENCODING = 'binary/encrypted';
const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

const utf8 = (text: string) => new TextEncoder().encode(text);

/** A key by its name: `key` is 32 bytes in base64. The name is written beside what it encrypts. */
export type PayloadKey = { id: string; key: string };

export type PayloadSettings = {
  PAYLOAD_ENCRYPTION?: boolean | undefined;
  PAYLOAD_ENCRYPTION_KEYS?: readonly PayloadKey[] | undefined;
  ENCRYPTION_KEY: string;
};

/**
 * The codec of this installation; undefined where nothing is or was encrypted. Without keys of its own it uses one
 * derived from ENCRYPTION_KEY, and goes on reading what that one wrote once there are others. Switched off while keys
 * are still set, it only decrypts.
 */
export function payloadCodecOf(settings: PayloadSettings): PayloadCodec | undefined {
  const named = settings.PAYLOAD_ENCRYPTION_KEYS ?? [];
  const encrypts = settings.PAYLOAD_ENCRYPTION ?? named.length > 0;
  if (!encrypts && named.length === 0) return undefined;
  return createPayloadCodec([...named, derivedKey(settings.ENCRYPTION_KEY)], { encrypts });
}

/** Its name is made from it, so that two of them are never taken for one. */
export function derivedKey(encryptionKey: string): PayloadKey {
  const key = aesKeyOf(encryptionKey);
  return { id: createHash('sha256').update(key).digest('hex').slice(0, 8), key: encryptionKey };
}

/**
 * Encrypts every payload on its way to Temporal: personal data lies only inside payloads. The same on clients and
 * workers. The first key encrypts, all of them decrypt. Payloads written before encryption was switched on stay
 * readable. decode throws ValueError for a payload of an unknown key or one that was tampered with.
 */
export function createPayloadCodec(
  keys: readonly PayloadKey[],
  options: { encrypts: boolean } = { encrypts: true },
): PayloadCodec {
  const [first] = keys;
  if (!first) throw new Error('a payload codec needs a key');
  const byId = new Map(keys.map(({ id, key }) => [id, aesKeyOf(key)]));
  const current = aesKeyOf(first.key);
  return {
    async encode(payloads) {
      if (!options.encrypts) return payloads;
      return payloads.map((payload) => ({
        metadata: { encoding: utf8(ENCODING), 'encryption-key-id': utf8(first.id) },
        data: encrypt(current, pack(payload)),
      }));
    },
    async decode(payloads) {
      return payloads.map((payload) => {
        if (text(payload.metadata?.encoding) !== ENCODING) return payload;
        const writtenWith = text(payload.metadata?.['encryption-key-id']);
        const key = byId.get(writtenWith);
        if (!key) throw new ValueError(`payload was encrypted with another key (${writtenWith})`);
        return unpack(decrypt(key, Buffer.from(payload.data ?? [])));
      });
    },
  };
}

/** Derived, so that the AES key is shared with nothing else that uses the same secret. */
function aesKeyOf(secret: string): Buffer {
  return Buffer.from(hkdfSync('sha256', Buffer.from(secret, 'base64'), '', 'malipo/temporal-payload', 32));
}

function text(bytes: Uint8Array | null | undefined): string {
  return Buffer.from(bytes ?? []).toString('utf8');
}

function encrypt(key: Buffer, plain: Buffer): Uint8Array {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce);
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

function decrypt(key: Buffer, sealed: Buffer): Buffer {
  if (sealed.length < NONCE_BYTES + TAG_BYTES) throw new ValueError('encrypted payload is cut short');
  const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, NONCE_BYTES));
  decipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
  try {
    const body = sealed.subarray(NONCE_BYTES, sealed.length - TAG_BYTES);
    return Buffer.concat([decipher.update(body), decipher.final()]);
  } catch {
    throw new ValueError('encrypted payload was changed on its way');
  }
}

/** Length of the metadata, the metadata (JSON, values in base64), the data as it is. */
function pack(payload: Payload): Buffer {
  const metadata = Object.entries(payload.metadata ?? {}).map(([name, value]) => [
    name,
    Buffer.from(value).toString('base64'),
  ]);
  const head = Buffer.from(JSON.stringify(metadata));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(head.length);
  return Buffer.concat([length, head, payload.data ?? Buffer.alloc(0)]);
}

function unpack(packed: Buffer): Payload {
  const end = 4 + packed.readUInt32BE(0);
  const entries: [string, string][] = JSON.parse(packed.subarray(4, end).toString('utf8'));
  const metadata = entries.map(([name, value]) => [name, new Uint8Array(Buffer.from(value, 'base64'))]);
  return { metadata: Object.fromEntries(metadata), data: new Uint8Array(packed.subarray(end)) };
}
