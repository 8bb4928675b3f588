import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import type { Payload } from '@temporalio/common';
import { findTemporalCli } from '../../../sandbox/local/tools/temporal-cli.ts';
import type { CodecEndpoint } from '../../../src/platform/process/codec-endpoint.ts';
import { listen } from '../../../src/platform/process/listen.ts';
import { createManagementApp } from '../../../src/platform/process/management.ts';
import { createMetrics } from '../../../src/platform/process/metrics.ts';
import { createPayloadCodec } from '../../../src/platform/temporal/codec.ts';
import { createTemporalClient, type TemporalClient } from '../../../src/platform/temporal/connect.ts';
import { keyOf } from '../../support/key-rings.ts';
import { startTemporalDevServer } from '../../support/temporal.ts';

const run = promisify(execFile);
const key = keyOf();
const codec = createPayloadCodec([key]);
const TOKEN = 'a-token-of-twenty-four-letters';
const UI = 'https://temporal.example.com';
const metrics = createMetrics();

async function serve(endpoint: CodecEndpoint | null) {
  const app = createManagementApp({ metrics, isReady: async () => true, codec: endpoint });
  const server = await listen(app.callback(), { port: 0, host: '127.0.0.1' });
  return { url: `http://127.0.0.1:${server.port}`, close: () => server.close(0) };
}

type Served = Awaited<ReturnType<typeof serve>>;

const base64 = (bytes: Uint8Array | null | undefined) => Buffer.from(bytes ?? []).toString('base64');

/** As Temporal's web UI writes a payload: JSON with every byte string in base64. */
function asJson({ metadata, data }: Payload) {
  const entries = Object.entries(metadata ?? {}).map(([name, value]) => [name, base64(value)]);
  return { metadata: Object.fromEntries(entries), data: base64(data) };
}

describe('the codec endpoint', () => {
  let served: Served;
  let temporal: TemporalClient;
  let address: string;
  const workflowId = `codec-${randomUUID()}`;
  const input = { name: 'Asha Juma', phone: '255754123456' };

  before(async function () {
    this.timeout(60_000);
    served = await serve({ codec, origins: [UI], token: TOKEN });
    ({ address } = await startTemporalDevServer());
    temporal = createTemporalClient({
      TEMPORAL_ADDRESS: address,
      TEMPORAL_NAMESPACE: 'default',
      TEMPORAL_API_KEY: undefined,
      TEMPORAL_TLS: false,
      ENCRYPTION_KEY: [key],
      PAYLOAD_ENCRYPTION_KEYS: [key],
    });
    // Nobody works on this queue: the history has the input, which is all that is looked at.
    await temporal.client.workflow.start('none', { workflowId, taskQueue: 'nobody', args: [input] });
  });
  after(async () => {
    await temporal.client.workflow.getHandle(workflowId).terminate();
    await temporal.close();
    await served.close();
  });

  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    fetch(`${served.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });

  async function storedPayload(): Promise<Payload> {
    const { events } = await temporal.client.workflow.getHandle(workflowId).fetchHistory();
    const payload = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0];
    assert.ok(payload?.data);
    return payload;
  }

  it('shows what a real history holds encrypted', async () => {
    const payload = await storedPayload();
    assert.equal(Buffer.from(payload.data ?? []).includes('Asha'), false);
    const answer = await post('/codec/decode', { payloads: [asJson(payload)] }, { 'x-namespace': 'default' });
    assert.equal(answer.status, 200);
    const { payloads } = (await answer.json()) as { payloads: { data: string }[] };
    assert.deepEqual(JSON.parse(Buffer.from(payloads[0]?.data ?? '', 'base64').toString()), input);
  });

  it('serves the command line of Temporal, which shows nothing without it', async () => {
    const cli = await findTemporalCli({ progress: () => {} });
    const show = ['workflow', 'show', '--workflow-id', workflowId, '--address', address, '--output', 'json'];
    const codecFlags = ['--codec-endpoint', `${served.url}/codec`, '--codec-auth', `Bearer ${TOKEN}`];
    // It prints payloads as they are stored: bytes in base64.
    const shown = base64(Buffer.from(JSON.stringify(input)));
    assert.equal((await run(cli, show)).stdout.includes(shown), false);
    assert.ok((await run(cli, [...show, ...codecFlags])).stdout.includes(shown));
  });

  it('encrypts nothing for anybody: a workflow would believe it', async () => {
    const plain = {
      metadata: { encoding: base64(Buffer.from('json/plain')) },
      data: base64(Buffer.from('"x"')),
    };
    assert.equal((await post('/codec/encode', { payloads: [plain] })).status, 404);
    const answer = await post('/codec/decode', { payloads: [plain] });
    assert.equal(answer.status, 400);
    assert.match(await answer.text(), /not encrypted/);
  });

  it('asks for its token, as a bearer or in the path', async () => {
    const payloads = { payloads: [asJson(await storedPayload())] };
    const without = { authorization: '' };
    assert.equal((await post('/codec/decode', payloads, without)).status, 401);
    assert.equal((await post('/codec/decode', payloads, { authorization: 'Bearer other' })).status, 401);
    assert.equal((await post('/codec/other-token/decode', payloads, without)).status, 401);
    assert.equal((await post(`/codec/${TOKEN}/decode`, payloads, without)).status, 200);
  });

  it('lets pages of the UI ask and no others', async () => {
    const ask = (origin: string) =>
      fetch(`${served.url}/codec/decode`, { method: 'OPTIONS', headers: { origin } });
    const preflight = await ask(UI);
    assert.equal(preflight.status, 204);
    assert.equal(preflight.headers.get('access-control-allow-origin'), UI);
    assert.match(preflight.headers.get('access-control-allow-headers') ?? '', /X-Namespace/);
    assert.equal((await post('/codec/decode', { payloads: [] }, { origin: UI })).status, 200);
    assert.equal((await ask('https://evil.example')).status, 403);
    const stranger = await post('/codec/decode', { payloads: [] }, { origin: 'https://evil.example' });
    assert.equal(stranger.status, 403);
    assert.equal(stranger.headers.get('access-control-allow-origin'), null);
  });

  it('refuses what is no request of the protocol, and payloads of an unknown key', async () => {
    const [foreign] = await createPayloadCodec([{ id: 'old', key: key.key }]).encode([await storedPayload()]);
    for (const [body, words] of [
      ['{', 'not JSON'],
      [{}, 'no payloads'],
      [{ payloads: [{ data: '***' }] }, 'no payloads'],
      [{ payloads: [asJson(foreign ?? {})] }, 'another key (old)'],
    ] as const) {
      const answer = await post('/codec/decode', body);
      assert.equal(answer.status, 400);
      assert.ok((await answer.text()).includes(words), words);
    }
    assert.equal((await fetch(`${served.url}/codec/decode`)).status, 405);
    assert.equal((await post('/codec/other', {})).status, 404);
  });

  it('is not there unless it is configured', async () => {
    const off = await serve(null);
    try {
      assert.equal((await fetch(`${off.url}/codec/decode`, { method: 'POST' })).status, 404);
    } finally {
      await off.close();
    }
  });
});
