import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createServer, type ServerResponse } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '../../sandbox/local/ports.ts';
import { createUrlPolicy } from '../../src/callbacks/guard-url.ts';
import { createCallbackSender, parseRetryAfter, type Sent } from '../../src/callbacks/send.ts';
import { nodeArguments } from '../support/node-entry.ts';
import { until } from '../support/wait.ts';
import { answering, type Receiver, startReceiver } from './receiver.ts';

const body = '{"event":"ping","metadata":{"note":"Zuhura ✓","n":1.50}}';
const policy = createUrlPolicy({ development: true, ports: [] });
const senderWith = (settings: { timeoutMs?: number; inFlightMaxPerUrl?: number } = {}) =>
  createCallbackSender({ policy, userAgent: 'Malipo/test', ...settings });

async function sendTo(url: string, settings?: { timeoutMs?: number }): Promise<Sent> {
  const answer = await senderWith(settings).send({ url, body, headers: { 'webhook-id': 'evt_1' } });
  assert.ok(!('busy' in answer));
  return answer;
}

describe('sending a callback', () => {
  let receiver: Receiver;
  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(() => receiver.close());

  it('posts the exact bytes, with the headers given and our own', async () => {
    const answer = await sendTo(receiver.url);
    assert.equal(answer.httpStatus, 200);
    assert.equal(answer.error, null);
    const [one] = receiver.received;
    assert.equal(one?.method, 'POST');
    assert.equal(one?.path, '/callbacks');
    assert.equal(one?.body, body);
    assert.equal(one?.headers['content-type'], 'application/json');
    assert.equal(one?.headers['content-length'], String(Buffer.byteLength(body)));
    assert.equal(one?.headers['user-agent'], 'Malipo/test');
    assert.equal(one?.headers['webhook-id'], 'evt_1');
  });

  it('posts unicode, long and nested bodies as they are', async () => {
    const deep = `${'['.repeat(6)}{"k":"\\u2713 \u{1f600} é"}${']'.repeat(6)}`;
    for (const text of [`{"a":1.50,"b":1e2,"deep":${deep}}`, `{"k":"${'ñ✓'.repeat(30_000)}"}`]) {
      const answer = await senderWith().send({ url: receiver.url, body: text, headers: {} });
      assert.equal('httpStatus' in answer && answer.httpStatus, 200);
      assert.equal(receiver.received.at(-1)?.body, text);
    }
  });

  it('reports any status as the answer, and does not follow redirects', async () => {
    for (const status of [204, 301, 302, 307, 308, 404, 410, 500, 503]) {
      receiver.react(answering(status, { Location: `${receiver.url}/elsewhere` }));
      const answer = await sendTo(receiver.url);
      assert.deepEqual([answer.httpStatus, answer.error], [status, null]);
    }
    assert.deepEqual([...new Set(receiver.received.map((one) => one.path))], ['/callbacks']);
  });

  it('hands on what the receiver asks for in Retry-After', async () => {
    receiver.react(answering(503, { 'Retry-After': '120' }));
    assert.equal((await sendTo(receiver.url)).retryAfterMs, 120_000);
    receiver.react(answering(503));
    assert.equal((await sendTo(receiver.url)).retryAfterMs, null);
  });

  it('reads at most 64 KiB of an endless answer, and counts its status', async () => {
    let written = 0;
    let closed = false;
    receiver.react((response) => {
      const chunk = Buffer.alloc(16 * 1024);
      const pour = () => {
        if (response.destroyed) return;
        written += chunk.length;
        response.write(chunk, pour);
      };
      response.on('close', () => {
        closed = true;
      });
      response.writeHead(200);
      pour();
    });
    assert.equal((await sendTo(receiver.url, { timeoutMs: 10_000 })).httpStatus, 200);
    await until(() => closed, 'the connection is dropped');
    assert.ok(written < 64 * 1024 * 1024);
  });

  it('counts a status that came in time although its body never ends', async () => {
    receiver.react((response) => void response.writeHead(202).write('…'));
    const answer = await sendTo(receiver.url, { timeoutMs: 2_000 });
    assert.deepEqual([answer.httpStatus, answer.error], [202, null]);
  });

  it('gives up after its limit of time when no answer comes, also one header at a time', async () => {
    receiver.react(() => {});
    const silent = await sendTo(receiver.url, { timeoutMs: 300 });
    assert.deepEqual([silent.httpStatus, silent.error], [null, 'no answer within 0.3 s']);
    assert.ok(silent.durationMs >= 290);

    const dripping = createTcpServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const timer = setInterval(() => socket.write('X: y\r\n'), 50);
      socket.on('error', () => {}).on('close', () => clearInterval(timer));
    });
    const port = await freePort();
    await new Promise<void>((resolve) => dripping.listen(port, '127.0.0.1', resolve));
    const slow = await sendTo(`http://127.0.0.1:${port}/`, { timeoutMs: 300 });
    dripping.close();
    assert.deepEqual([slow.httpStatus, slow.error], [null, 'no answer within 0.3 s']);
  });

  it('gives up after the same limit while it still connects: a name or a handshake that hangs', async () => {
    const mute = createTcpServer((socket) => void socket.on('error', () => {}));
    const port = await freePort();
    await new Promise<void>((resolve) => mute.listen(port, '127.0.0.1', resolve));
    const handshake = await sendTo(`https://127.0.0.1:${port}/`, { timeoutMs: 300 });
    mute.close();
    const guarded = createCallbackSender({
      policy: createUrlPolicy({ development: false, ports: [443], resolveHost: () => new Promise(() => {}) }),
      userAgent: 'Malipo/test',
      timeoutMs: 300,
    });
    const name = await guarded.send({ url: 'https://shop.example/', body, headers: {} });
    for (const answer of [handshake, name]) {
      assert.ok('error' in answer);
      assert.deepEqual([answer.httpStatus, answer.error], [null, 'no answer within 0.3 s']);
      // Far below the limit of connecting, however busy the machine is.
      assert.ok(answer.durationMs < 5_000, String(answer.durationMs));
    }
  });

  it('says in words why no answer came, without addresses', async () => {
    const refused = await sendTo(`http://127.0.0.1:${await freePort()}/`);
    assert.equal(refused.error, 'the connection was refused');
    receiver.react((response) => response.destroy());
    assert.equal((await sendTo(receiver.url)).error, 'the connection was broken');
    const guarded = createCallbackSender({
      policy: { ...createUrlPolicy({ development: false, ports: [443] }), check: () => null },
      userAgent: 'Malipo/test',
    });
    const answer = await guarded.send({ url: receiver.url, body, headers: {} });
    assert.equal(
      'error' in answer && answer.error,
      'the callback address does not lead to a public internet address',
    );
    assert.equal(receiver.received.length, 1);
  });

  it('goes straight to the receiver, whatever proxy the environment names', async () => {
    const proxy = await startReceiver();
    const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'];
    const environment = Object.fromEntries(names.map((name) => [name, new URL(proxy.url).origin]));
    const script = fileURLToPath(new URL('support/send-once.ts', import.meta.url));
    // NODE_USE_ENV_PROXY makes Node's own fetch and http use a proxy.
    const { stdout } = await promisify(execFile)(process.execPath, [...nodeArguments(script), receiver.url], {
      env: { ...process.env, ...environment, NO_PROXY: '', no_proxy: '', NODE_USE_ENV_PROXY: '1' },
    });
    assert.equal(JSON.parse(stdout).httpStatus, 200);
    assert.deepEqual([receiver.received.length, proxy.received.length], [1, 0]);
    await proxy.close();
  });
});

describe('many callbacks at once', () => {
  let slow: Receiver;
  let waiting: ServerResponse[];
  beforeEach(async () => {
    slow = await startReceiver();
    waiting = [];
    slow.react((response) => void waiting.push(response));
  });
  afterEach(() => slow.close());

  it('are at most five with one URL; the sixth is told to come back, and nothing is sent', async () => {
    const sender = senderWith();
    const message = { url: slow.url, body, headers: {} };
    const inFlight = Array.from({ length: 5 }, () => sender.send(message));
    await until(() => slow.received.length === 5, 'five arrived');
    const sixth = await sender.send({ ...message, url: `${slow.url}#another` });
    assert.ok('busy' in sixth && sixth.afterMs >= 250 && sixth.afterMs <= 15_000);
    assert.equal(slow.received.length, 5);

    waiting.shift()?.end();
    await Promise.race(inFlight);
    const next = sender.send(message);
    await until(() => slow.received.length === 6, 'a place became free');
    for (const response of waiting) response.end();
    await Promise.all([...inFlight, next]);
  });

  it('free their place when they fail, too', async () => {
    const sender = senderWith({ inFlightMaxPerUrl: 1 });
    slow.react((response) => response.destroy());
    for (let i = 0; i < 3; i += 1)
      assert.ok('error' in (await sender.send({ url: slow.url, body, headers: {} })));
  });
});

describe('Retry-After', () => {
  const now = Date.parse('2026-11-20T08:00:00Z');

  it('is read as seconds or as an HTTP date, at most 24 hours', () => {
    assert.equal(parseRetryAfter('0', now), 0);
    assert.equal(parseRetryAfter(' 30 ', now), 30_000);
    assert.equal(parseRetryAfter('86401', now), 86_400_000);
    assert.equal(parseRetryAfter('Fri, 20 Nov 2026 08:01:00 GMT', now), 60_000);
    assert.equal(parseRetryAfter('Fri, 20 Nov 2026 07:00:00 GMT', now), 0);
    assert.equal(parseRetryAfter('Fri, 20 Nov 2030 07:00:00 GMT', now), 86_400_000);
  });

  it('is ignored when it is neither', () => {
    for (const value of [undefined, '', 'soon', '-5', '1.5', '99999999999', 'Foo, bar'])
      assert.equal(parseRetryAfter(value, now), null, value);
  });
});

// A server that answers with informational responses first must not confuse the status.
describe('an informational answer', () => {
  it('is not the answer', async () => {
    const server = createServer((request, response) => {
      request.resume();
      response.writeEarlyHints({ link: '</x>; rel=preload' });
      response.writeHead(201).end();
    });
    const port = await freePort();
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    const answer = await sendTo(`http://127.0.0.1:${port}/`);
    server.closeAllConnections();
    server.close();
    assert.equal(answer.httpStatus, 201);
  });
});
