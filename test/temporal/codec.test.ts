import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { createPayloadCodec } from '../../src/temporal/codec.ts';

const newKey = () => randomBytes(32).toString('base64');
const value = { phone: '255754000000', name: 'Asha Juma' };

async function encodeOne(key: string): Promise<Payload> {
  const [payload] = await createPayloadCodec(key).encode([defaultPayloadConverter.toPayload(value)]);
  assert.ok(payload?.data);
  return payload;
}

describe('payload codec', () => {
  it('gives back what was encoded', async () => {
    const key = newKey();
    const [decoded] = await createPayloadCodec(key).decode([await encodeOne(key)]);
    assert.ok(decoded);
    assert.deepEqual(defaultPayloadConverter.fromPayload(decoded), value);
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

  it('refuses a payload of another key', async () => {
    await assert.rejects(createPayloadCodec(newKey()).decode([await encodeOne(newKey())]), /another key/);
  });

  it('refuses a payload that was changed in any byte', async () => {
    const key = newKey();
    const payload = await encodeOne(key);
    for (const at of [0, 20, (payload.data?.length ?? 0) - 1]) {
      const data = Uint8Array.from(payload.data ?? []);
      data[at] = (data[at] ?? 0) ^ 1;
      await assert.rejects(createPayloadCodec(key).decode([{ ...payload, data }]), /changed on its way/);
    }
  });

  it('reads payloads from before encryption was switched on', async () => {
    const plain = defaultPayloadConverter.toPayload(value);
    assert.deepEqual(await createPayloadCodec(newKey()).decode([plain]), [plain]);
  });
});
