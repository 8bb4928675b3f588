import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { createPayloadCodec, derivedKey, type PayloadKey, payloadCodecOf } from '../../src/temporal/codec.ts';

const newKey = (id = 'a'): PayloadKey => ({ id, key: randomBytes(32).toString('base64') });
const value = { phone: '255754000000', name: 'Asha Juma' };

async function encodeOne(...keys: PayloadKey[]): Promise<Payload> {
  const [payload] = await createPayloadCodec(keys).encode([defaultPayloadConverter.toPayload(value)]);
  assert.ok(payload?.data);
  return payload;
}

async function decodeOne(payload: Payload, ...keys: PayloadKey[]): Promise<unknown> {
  const [decoded] = await createPayloadCodec(keys).decode([payload]);
  assert.ok(decoded);
  return defaultPayloadConverter.fromPayload(decoded);
}

const keyIdOf = (payload: Payload) =>
  Buffer.from(payload.metadata?.['encryption-key-id'] ?? []).toString('utf8');

describe('payload codec', () => {
  it('gives back what was encoded', async () => {
    const key = newKey();
    assert.deepEqual(await decodeOne(await encodeOne(key), key), value);
  });

  it('leaves nothing of the value to be read', async () => {
    const payload = await encodeOne(newKey());
    assert.equal(Buffer.from(payload.data ?? []).includes('255754'), false);
    assert.equal(Buffer.from(payload.metadata?.encoding ?? []).toString(), 'binary/encrypted');
  });

  it('encrypts the same value differently each time', async () => {
    const key = newKey();
    assert.notDeepEqual((await encodeOne(key)).data, (await encodeOne(key)).data);
  });

  it('refuses a payload of a key that it does not know, by its name', async () => {
    await assert.rejects(decodeOne(await encodeOne(newKey('old')), newKey('new')), /another key \(old\)/);
  });

  it('refuses a payload of another key under the same name', async () => {
    await assert.rejects(decodeOne(await encodeOne(newKey('a')), newKey('a')), /changed on its way/);
  });

  it('refuses a payload that was changed in any byte, or cut short', async () => {
    const key = newKey();
    const payload = await encodeOne(key);
    for (const at of [0, 20, (payload.data?.length ?? 0) - 1]) {
      const data = Uint8Array.from(payload.data ?? []);
      data[at] = (data[at] ?? 0) ^ 1;
      await assert.rejects(decodeOne({ ...payload, data }, key), /changed on its way/);
    }
    const data = payload.data?.slice(0, 10) ?? null;
    await assert.rejects(decodeOne({ ...payload, data }, key), /cut short/);
  });

  it('reads payloads from before encryption was switched on', async () => {
    const plain = defaultPayloadConverter.toPayload(value);
    assert.deepEqual(await createPayloadCodec([newKey()]).decode([plain]), [plain]);
  });
});

describe('the rotation of payload keys', () => {
  const [old, next] = [newKey('2025'), newKey('2026')];

  it('encrypts with the first key and decrypts with all of them', async () => {
    const before = await encodeOne(old);
    const after = await encodeOne(next, old);
    assert.equal(keyIdOf(after), '2026');
    for (const payload of [before, after]) assert.deepEqual(await decodeOne(payload, next, old), value);
  });

  it('lets every process read while they are changed one by one: known first, used afterwards', async () => {
    // Steps: all have [old]; each gets [old, next]; each gets [next, old]. Any two neighbours understand each other.
    const steps = [[old], [old, next], [next, old]];
    for (const [index, keys] of steps.entries()) {
      for (const others of steps.slice(Math.max(0, index - 1), index + 2)) {
        assert.deepEqual(await decodeOne(await encodeOne(...keys), ...others), value);
      }
    }
  });

  it('ends what a key wrote when the key is taken away', async () => {
    await assert.rejects(decodeOne(await encodeOne(old), next), /another key \(2025\)/);
  });
});

describe('the codec of an installation', () => {
  const ENCRYPTION_KEY = randomBytes(32).toString('base64');
  const plain = defaultPayloadConverter.toPayload(value);
  const keys = [newKey('x')];

  it('is none where nothing was asked for', () => {
    assert.equal(payloadCodecOf({ ENCRYPTION_KEY }), undefined);
    assert.equal(payloadCodecOf({ ENCRYPTION_KEY, PAYLOAD_ENCRYPTION: false }), undefined);
  });

  it('uses a key derived from ENCRYPTION_KEY, and reads it still once there are named ones', async () => {
    const [written] =
      (await payloadCodecOf({ ENCRYPTION_KEY, PAYLOAD_ENCRYPTION: true })?.encode([plain])) ?? [];
    assert.ok(written);
    assert.equal(keyIdOf(written), derivedKey(ENCRYPTION_KEY).id);
    const later = payloadCodecOf({ ENCRYPTION_KEY, PAYLOAD_ENCRYPTION_KEYS: keys });
    assert.deepEqual(await later?.decode([written]), [plain]);
  });

  it('encrypts where keys are set, and only decrypts once it is switched off', async () => {
    const on = payloadCodecOf({ ENCRYPTION_KEY, PAYLOAD_ENCRYPTION_KEYS: keys });
    const off = payloadCodecOf({ ENCRYPTION_KEY, PAYLOAD_ENCRYPTION_KEYS: keys, PAYLOAD_ENCRYPTION: false });
    const written = (await on?.encode([plain])) ?? [];
    assert.equal(keyIdOf(written[0] ?? {}), 'x');
    assert.deepEqual(await off?.encode([plain]), [plain]);
    assert.deepEqual(await off?.decode(written), [plain]);
  });
});
