import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { freePort } from '../../../sandbox/local/ports.ts';
import { loadSecrets } from '../../../sandbox/local/secrets.ts';
import { gatewayEnvironment, type Stack, simulatorService } from '../../../sandbox/local/services.ts';
import { createSimulator } from '../../../sandbox/simulator/app.ts';
import { openManagementPort } from '../../../src/app/worker-process.ts';
import { LOCAL_HOSTS, refusalOf } from '../../../src/base/local-requests.ts';
import type { Config } from '../../../src/config/config.ts';
import { listen } from '../../../src/platform/process/listen.ts';
import { createMetrics } from '../../../src/platform/process/metrics.ts';

type Sent = { method?: string; path?: string; headers: Record<string, string>; body?: string };

function statusOf(port: number, { method = 'GET', path = '/', headers, body = '' }: Sent): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, method, path, headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    asked.on('error', reject).end(body);
  });
}

describe('on the machine of a developer', () => {
  const here = { host: 'localhost:3000' };
  const post = (headers: Record<string, string>) =>
    refusalOf({ method: 'POST', headers: { ...here, ...headers } }, LOCAL_HOSTS);

  it('no listener takes a Host that is not its own, by whatever method', () => {
    for (const host of ['127.0.0.1', '127.0.0.1:3000', '[::1]:3000', 'localhost', 'LOCALHOST:80'])
      assert.equal(refusalOf({ method: 'GET', headers: { host } }, LOCAL_HOSTS), null, host);
    for (const host of ['192.168.1.7:3000', 'rebound.example', '127.0.0.1.example', ''])
      assert.equal(refusalOf({ method: 'GET', headers: { host } }, LOCAL_HOSTS), 'host', host);
  });

  it('nothing is changed by what a page of another site can send without asking', () => {
    const text = { 'content-type': 'text/plain' };
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const elsewhere = { origin: 'https://evil.example' };
    assert.equal(post({ ...text, ...elsewhere }), 'site');
    assert.equal(post({ ...form, ...elsewhere, 'sec-fetch-site': 'cross-site' }), 'site');
    assert.equal(post({ 'sec-fetch-site': 'same-site', origin: 'http://localhost:8080' }), 'site');
    assert.equal(post({ ...form, origin: 'null', 'sec-fetch-site': 'same-origin' }), null, 'our own form');
    assert.equal(post({ ...form, origin: 'http://localhost:3000' }), null, 'our own, in an older browser');
    assert.equal(post(form), null, 'no browser');
    const asks = refusalOf({ method: 'OPTIONS', headers: { ...here, ...elsewhere } }, LOCAL_HOSTS);
    assert.equal(asks, null, 'a question, which the route answers');
  });

  it('every process is told its hosts: its own, what is configured, and no others; and has as many threads as an image', async () => {
    const [, threads] = /UV_THREADPOOL_SIZE=(\d+)/.exec(readFileSync('Dockerfile', 'utf8')) ?? [];
    const folder = await mkdtemp(path.join(os.tmpdir(), 'malipo-hosts-'));
    const url = 'http://127.0.0.1:3000';
    const addresses = { api_url: url, pay_url: 'http://192.168.1.7:3002', simulator_url: url };
    const stack = {
      addresses: { ...addresses, management_url: url, temporal_address: '127.0.0.1:7233' },
      ports: {},
      secrets: await loadSecrets(folder),
      settings: { dataFolder: '.data', channels: 'gsma', timing: 'normal' },
      databaseUrl: 'postgresql://127.0.0.1/malipo',
    } as unknown as Stack;
    const hosts = '127.0.0.1,[::1],localhost,192.168.1.7';
    const { command } = simulatorService(stack, { apiKey: '', approverApiKey: '' });
    assert.equal(command.env?.ALLOWED_HOSTS, hosts);
    for (const role of ['api', 'worker'] as const) {
      const { ALLOWED_HOSTS, UV_THREADPOOL_SIZE } = gatewayEnvironment(stack, role);
      assert.deepEqual([ALLOWED_HOSTS, UV_THREADPOOL_SIZE], [hosts, threads]);
    }
    await rm(folder, { recursive: true });
  });

  it('a port refuses before its handler is asked', async () => {
    let asked = 0;
    const handler = (_: unknown, response: { end(): void }) => {
      asked += 1;
      response.end();
    };
    const { port, close } = await listen(handler, { port: 0, host: '127.0.0.1', hosts: LOCAL_HOSTS });
    assert.equal(await statusOf(port, { headers: { host: 'rebound.example' } }), 421);
    const sent = { host: 'localhost', origin: 'https://evil.example', 'content-type': 'text/plain' };
    assert.equal(await statusOf(port, { method: 'POST', headers: sent }), 403);
    assert.equal(asked, 0);
    assert.equal(await statusOf(port, { headers: { host: `localhost:${port}` } }), 200);
    await close(0);
  });

  it('the port of a worker, where it has one, is for them alone', async () => {
    const port = await freePort();
    const where = { WORKER_MANAGEMENT_PORT: port, MANAGEMENT_HOST: '127.0.0.1', ALLOWED_HOSTS: LOCAL_HOSTS };
    const parts = { metrics: createMetrics() } as unknown as Parameters<typeof openManagementPort>[1];
    const schema = { missing: async () => [] };
    await openManagementPort(where as unknown as Config, parts, { schema, workers: [] });
    const answers = ['rebound.example', 'localhost'].map((host) =>
      statusOf(port, { path: '/livez', headers: { host } }),
    );
    assert.deepEqual(await Promise.all(answers), [421, 200]);
  });

  it('a text/plain POST pays no bill at the simulator', async () => {
    const simulator = createSimulator({ hosts: LOCAL_HOSTS });
    const port = await simulator.listen(0);
    const body = JSON.stringify({
      control_number: '770000000049',
      amount: 1_000,
      phone_number: '0754000001',
    });
    const paid = (headers: Record<string, string>) =>
      statusOf(port, { method: 'POST', path: '/customer/pay-bill', headers, body });
    const text = { host: 'localhost', 'content-type': 'text/plain' };
    assert.equal(await paid({ ...text, origin: 'https://evil.example' }), 403);
    assert.equal(await paid({ ...text, 'sec-fetch-site': 'cross-site' }), 403);
    assert.equal(await paid({ host: '192.168.1.7', 'content-type': 'application/json' }), 421);
    await simulator.close();
  });
});
