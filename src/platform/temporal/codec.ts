import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { type Payload, type PayloadCodec, type SerializationContext, ValueError } from '@temporalio/common';
import type { KeyRing, NamedKey } from '../../base/key-ring.ts';

const ENCODING = 'binary/encrypted';
const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Metadata of an encrypted payload names its key and its workflow. */
const KEY_ID = 'encryption-key-id';
const WORKFLOW_ID = 'workflow-id';

const utf8 = (text: string) => new TextEncoder().encode(text);

export type PayloadSettings = {
  PAYLOAD_ENCRYPTION?: boolean | undefined;
  PAYLOAD_ENCRYPTION_KEYS?: KeyRing | undefined;
  PAYLOAD_CUT_OVER?: boolean | undefined;
  ENCRYPTION_KEY: KeyRing;
};

/**
 * Returns undefined if nothing is or was encrypted. Keys derived from ENCRYPTION_KEY encrypt if no others are
 * set, and can always decrypt. If encryption is off while keys are set, it only decrypts.
 */
export function payloadCodecOf(settings: PayloadSettings): PayloadCodec | undefined {
  const named = settings.PAYLOAD_ENCRYPTION_KEYS ?? [];
  const encrypts = settings.PAYLOAD_ENCRYPTION ?? named.length > 0;
  if (!encrypts && named.length === 0) return undefined;
  const names = new Set(named.map(({ id }) => id));
  const derived = settings.ENCRYPTION_KEY.filter(({ id }) => !names.has(id));
  return createPayloadCodec([...named, ...derived], {
    encrypts,
    readsPlain: !encrypts || settings.PAYLOAD_CUT_OVER === true,
  });
}

/**
 * Encrypts every payload to Temporal, in clients and workers, because personal data is only in payloads. The
 * first key encrypts, all decrypt. A payload opens only in its own workflow. decode throws ValueError for a
 * plain payload, an unknown key, another workflow or a change. `readsPlain` also reads plain payloads, for
 * the first days.
 */
export function createPayloadCodec(
  keys: readonly NamedKey[],
  options: { encrypts?: boolean; readsPlain?: boolean } = {},
): PayloadCodec {
  const { encrypts = true, readsPlain = false } = options;
  const ring = keys.map(({ id, key }) => ({ id, key: aesKeyOf(key) }));
  const [first] = ring;
  if (!first) throw new Error('a payload codec needs a key');

  function open(payload: Payload, context?: SerializationContext): Payload {
    if (text(payload.metadata?.encoding) !== ENCODING) {
      if (readsPlain) return payload;
      throw new ValueError('payload is not encrypted, so nobody knows who wrote it');
    }
    const keyId = text(payload.metadata?.[KEY_ID]);
    const named = ring.find(({ id }) => id === keyId);
    if (!named) throw new ValueError(`payload was encrypted with another key (${keyId})`);
    const workflowId = text(payload.metadata?.[WORKFLOW_ID]);
    // The codec endpoint does not know the workflow of a payload.
    if (context?.workflowId !== undefined && !isOf(workflowId, context.workflowId))
      throw new ValueError(`payload belongs to another workflow (${workflowId})`);
    return unpack(decrypt(named.key, Buffer.from(payload.data ?? []), boundTo(keyId, workflowId)));
  }

  return {
    async encode(payloads, context) {
      if (!encrypts) return payloads;
      const workflowId = context?.workflowId ?? '';
      return payloads.map((payload) => ({
        metadata: {
          encoding: utf8(ENCODING),
          [KEY_ID]: utf8(first.id),
          ...(workflowId === '' ? {} : { [WORKFLOW_ID]: utf8(workflowId) }),
        },
        data: encrypt(first.key, pack(payload), boundTo(first.id, workflowId)),
      }));
    },
    decode: async (payloads, context) => payloads.map((payload) => open(payload, context)),
  };
}

/** A Schedule adds this suffix to ids of its workflows: `sweep` starts `sweep-2026-11-20T08:30:00Z`. */
const SCHEDULED_AT = /-\d{4}-\d{2}-\d{2}T[\d:.]+Z$/;

/** A Schedule's run also reads the Schedule's arguments, and the previous run's result. */
function isOf(writtenFor: string, workflowId: string): boolean {
  if (writtenFor === workflowId) return true;
  return SCHEDULED_AT.test(workflowId) && scheduleOf(writtenFor) === scheduleOf(workflowId);
}

const scheduleOf = (workflowId: string) => workflowId.replace(SCHEDULED_AT, '');

/** Makes the associated data, which is readable beside the ciphertext but protected against changes. */
function boundTo(keyId: string, workflowId: string): Buffer {
  return Buffer.from(JSON.stringify([keyId, workflowId]));
}

/** Derives the AES key, so that no other use of the secret shares it. */
function aesKeyOf(secret: Uint8Array): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', 'malipo/temporal-payload', 32));
}

function text(bytes: Uint8Array | null | undefined): string {
  return Buffer.from(bytes ?? []).toString('utf8');
}

function encrypt(key: Buffer, plain: Buffer, bound: Buffer): Uint8Array {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce);
  cipher.setAAD(bound);
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

function decrypt(key: Uint8Array, sealed: Buffer, bound: Buffer): Buffer {
  if (sealed.length < NONCE_BYTES + TAG_BYTES) throw new ValueError('encrypted payload is cut short');
  const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, NONCE_BYTES));
  decipher.setAAD(bound);
  decipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
  try {
    const body = sealed.subarray(NONCE_BYTES, sealed.length - TAG_BYTES);
    return Buffer.concat([decipher.update(body), decipher.final()]);
  } catch {
    throw new ValueError('encrypted payload was changed on its way');
  }
}

/** Joins the metadata's length, the metadata (JSON, values in base64) and the unchanged data. */
function pack(payload: Payload): Buffer {
  const metadata = Object.entries(payload.metadata ?? {}).map(([name, value]) => [
    name,
    Buffer.from(value).toString('base64'),
  ]);
  const head = Buffer.from(JSON.stringify(metadata));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(head.length);
  // A workflow that returns nothing has no `data`, although its type promises bytes.
  return Buffer.concat([length, head, Buffer.from(payload.data ?? [])]);
}

function unpack(packed: Buffer): Payload {
  const end = 4 + packed.readUInt32BE(0);
  const entries: [string, string][] = JSON.parse(packed.subarray(4, end).toString('utf8'));
  const metadata = entries.map(([name, value]) => [name, new Uint8Array(Buffer.from(value, 'base64'))]);
  return { metadata: Object.fromEntries(metadata), data: new Uint8Array(packed.subarray(end)) };
}
