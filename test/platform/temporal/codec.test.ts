import assert from 'node:assert/strict';
import { defaultPayloadConverter, type Payload, type SerializationContext } from '@temporalio/common';
import type { KeyRing, NamedKey } from '../../../src/base/key-ring.ts';
import { createPayloadCodec, payloadCodecOf } from '../../../src/platform/temporal/codec.ts';
import { keyOf, ringOf } from '../../support/key-rings.ts';

const value = { phone: '255754000000', name: 'Asha Juma' };
const plain = defaultPayloadConverter.toPayload(value);
const workflow = (workflowId: string): SerializationContext => ({
  type: 'workflow',
  namespace: 'default',
  workflowId,
});
const OURS = workflow('transaction/1');

async function encodeOne(keys: readonly NamedKey[], context = OURS): Promise<Payload> {
  const [payload] = await createPayloadCodec(keys).encode([plain], context);
  assert.ok(payload?.data);
  return payload;
}

async function decodeOne(
  payload: Payload,
  keys: readonly NamedKey[],
  context: SerializationContext | null = OURS,
): Promise<unknown> {
  const [decoded] = await createPayloadCodec(keys).decode([payload], context ?? undefined);
  assert.ok(decoded);
  return defaultPayloadConverter.fromPayload(decoded);
}

const keyIdOf = (payload: Payload) =>
  Buffer.from(payload.metadata?.['encryption-key-id'] ?? []).toString('utf8');

describe('payload codec', () => {
  const keys = [keyOf('a')];

  it('gives back what was encoded', async () => {
    assert.deepEqual(await decodeOne(await encodeOne(keys), keys), value);
  });

  it('leaves nothing of the value to be read', async () => {
    const payload = await encodeOne(keys);
    assert.equal(Buffer.from(payload.data ?? []).includes('255754'), false);
    assert.equal(Buffer.from(payload.metadata?.encoding ?? []).toString(), 'binary/encrypted');
  });

  it('encrypts the same value differently each time', async () => {
    assert.notDeepEqual((await encodeOne(keys)).data, (await encodeOne(keys)).data);
  });

  it('refuses a payload of a key that it does not know, by its name', async () => {
    await assert.rejects(decodeOne(await encodeOne([keyOf('old')]), [keyOf('new')]), /another key \(old\)/);
  });

  it('refuses a payload of another key under the same name', async () => {
    await assert.rejects(decodeOne(await encodeOne(keys), [keyOf('a')]), /changed on its way/);
  });

  it('refuses a payload that was changed in any byte, or cut short', async () => {
    const payload = await encodeOne(keys);
    for (const at of [0, 20, (payload.data?.length ?? 0) - 1]) {
      const data = Uint8Array.from(payload.data ?? []);
      data[at] = (data[at] ?? 0) ^ 1;
      await assert.rejects(decodeOne({ ...payload, data }, keys), /changed on its way/);
    }
    const data = payload.data?.slice(0, 10) ?? null;
    await assert.rejects(decodeOne({ ...payload, data }, keys), /cut short/);
  });

  it('refuses a payload in plain, which anybody could have written, but for the first days', async () => {
    await assert.rejects(decodeOne(plain, keys), /not encrypted/);
    const cutOver = createPayloadCodec(keys, { readsPlain: true });
    assert.deepEqual(await cutOver.decode([plain], OURS), [plain]);
  });
});

describe('a payload and its workflow', () => {
  const keys = [keyOf()];

  it('is refused in another one, in whatever way it is copied there', async () => {
    const payload = await encodeOne(keys);
    const elsewhere = workflow('transaction/2');
    await assert.rejects(
      decodeOne(payload, keys, elsewhere),
      /belongs to another workflow \(transaction\/1\)/,
    );
    const renamed = { ...payload.metadata, 'workflow-id': Buffer.from('transaction/2') };
    await assert.rejects(decodeOne({ ...payload, metadata: renamed }, keys, elsewhere), /changed on its way/);
    const { 'workflow-id': _, ...nameless } = payload.metadata ?? {};
    await assert.rejects(
      decodeOne({ ...payload, metadata: nameless }, keys, elsewhere),
      /belongs to another/,
    );
    await assert.rejects(decodeOne({ ...payload, metadata: nameless }, keys, null), /changed on its way/);
  });

  it('is read by the activities of that workflow, and where nobody knows of which one it is', async () => {
    const payload = await encodeOne(keys);
    const activity = { type: 'activity', namespace: 'default', isLocal: false } as const;
    assert.deepEqual(await decodeOne(payload, keys, { ...activity, workflowId: 'transaction/1' }), value);
    await assert.rejects(
      decodeOne(payload, keys, { ...activity, workflowId: 'transaction/2' }),
      /another workflow/,
    );
    assert.deepEqual(await decodeOne(payload, keys, null), value);
  });

  it('written without one is refused where there is one: nobody can have something encrypted for us', async () => {
    const [payload = {}] = await createPayloadCodec(keys).encode([plain]);
    await assert.rejects(decodeOne(payload, keys), /belongs to another workflow/);
  });

  it('of a Schedule is read by the workflows that it starts, and by no other', async () => {
    // Temporal gives each run the result of the run before it.
    for (const writer of ['sweep', 'sweep-2026-11-20T08:29:00Z']) {
      const payload = await encodeOne(keys, workflow(writer));
      assert.deepEqual(await decodeOne(payload, keys, workflow('sweep-2026-11-20T08:30:00Z')), value);
      for (const other of ['sweep-1', 'sweeper-2026-11-20T08:30:00Z', 'swee-2026-11-20T08:30:00Z'])
        await assert.rejects(decodeOne(payload, keys, workflow(other)), /another workflow/, other);
    }
  });
});

describe('the rotation of payload keys', () => {
  const [old, next] = [keyOf('2025'), keyOf('2026')];

  it('encrypts with the first key and decrypts with all of them', async () => {
    const before = await encodeOne([old]);
    const after = await encodeOne([next, old]);
    assert.equal(keyIdOf(after), '2026');
    for (const payload of [before, after]) assert.deepEqual(await decodeOne(payload, [next, old]), value);
  });

  it('lets every process read while they are changed one by one: known first, used afterwards', async () => {
    // Steps: all have [old]; each gets [old, next]; each gets [next, old]. Any two neighbours understand each other.
    const steps = [[old], [old, next], [next, old]];
    for (const [index, keys] of steps.entries()) {
      for (const others of steps.slice(Math.max(0, index - 1), index + 2))
        assert.deepEqual(await decodeOne(await encodeOne(keys), others), value);
    }
  });

  it('ends what a key wrote when the key is taken away', async () => {
    await assert.rejects(decodeOne(await encodeOne([old]), [next]), /another key \(2025\)/);
  });
});

describe('the codec of an installation', () => {
  const ENCRYPTION_KEY = ringOf();
  const keys: KeyRing = [keyOf('x')];

  it('is none where nothing was asked for', () => {
    assert.equal(payloadCodecOf({ ENCRYPTION_KEY }), undefined);
    assert.equal(payloadCodecOf({ ENCRYPTION_KEY, PAYLOAD_ENCRYPTION: false }), undefined);
  });

  it('uses a key derived from ENCRYPTION_KEY, and reads it still once there are named ones', async () => {
    const first = payloadCodecOf({ ENCRYPTION_KEY, PAYLOAD_ENCRYPTION: true });
    const [written = {}] = (await first?.encode([plain], OURS)) ?? [];
    assert.equal(keyIdOf(written), ENCRYPTION_KEY[0].id);
    const later = payloadCodecOf({ ENCRYPTION_KEY, PAYLOAD_ENCRYPTION_KEYS: keys });
    assert.deepEqual(await later?.decode([written], OURS), [plain]);
  });

  it('encrypts where keys are set, and only decrypts once it is switched off', async () => {
    const on = payloadCodecOf({ ENCRYPTION_KEY, PAYLOAD_ENCRYPTION_KEYS: keys });
    const off = payloadCodecOf({ ENCRYPTION_KEY, PAYLOAD_ENCRYPTION_KEYS: keys, PAYLOAD_ENCRYPTION: false });
    const written = (await on?.encode([plain], OURS)) ?? [];
    assert.equal(keyIdOf(written[0] ?? {}), 'x');
    assert.deepEqual(await off?.encode([plain], OURS), [plain]);
    assert.deepEqual(await off?.decode([...written, plain], OURS), [plain, plain]);
  });

  it('refuses plain payloads where keys are set, but for PAYLOAD_CUT_OVER', async () => {
    const settings = { ENCRYPTION_KEY, PAYLOAD_ENCRYPTION_KEYS: keys };
    await assert.rejects(async () => payloadCodecOf(settings)?.decode([plain], OURS), /not encrypted/);
    const cutOver = payloadCodecOf({ ...settings, PAYLOAD_CUT_OVER: true });
    assert.deepEqual(await cutOver?.decode([plain], OURS), [plain]);
  });
});
