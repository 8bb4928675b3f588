import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { createHttpClient, type HttpClient } from '../../src/channels/kit/http.ts';
import { causesOf } from '../../src/domain/causes.ts';

/** A server of raw sockets: what a test writes is what the client gets. */
async function openServer(onConnection: (socket: Socket) => void): Promise<{ url: string; server: Server }> {
  const server = createServer(onConnection).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, server };
}

/** Calls back for each whole request: headers and body may come in two pieces. */
function onRequest(socket: Socket, handle: (count: number) => void): void {
  let text = '';
  let count = 0;
  socket.on('data', (chunk) => {
    text += chunk;
    while (text.includes('"}')) {
      text = text.slice(text.indexOf('"}') + 2);
      count += 1;
      handle(count);
    }
  });
}

const OK = 'HTTP/1.1 200 OK\r\n';
const reset = (socket: Socket) => void socket.resetAndDestroy();

describe('one HTTP call of a channel', () => {
  let http: HttpClient;
  const servers: { close(): unknown }[] = [];
  const sockets = new Set<Socket>();

  async function serve(onConnection: (socket: Socket) => unknown): Promise<string> {
    const { url, server } = await openServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
      onConnection(socket);
    });
    servers.push(server);
    return url;
  }

  const post = (url: string, timeoutMs = 2_000, signal?: AbortSignal) =>
    http.send({ method: 'POST', url, headers: {}, body: '{"amount":"1"}', timeoutMs, signal });

  beforeEach(() => {
    http = createHttpClient({ connectTimeoutMs: 1_000, connectionsMax: 1 });
  });

  afterEach(async () => {
    await http.close();
    for (const socket of sockets) socket.destroy();
    for (const server of servers.splice(0)) server.close();
    sockets.clear();
  });

  it('gives status, headers and the bytes of an answer', async () => {
    const url = await serve((socket) =>
      socket.once('data', () =>
        socket.end('HTTP/1.1 404 Not Found\r\nX-One: 1\r\nContent-Length: 2\r\n\r\nno'),
      ),
    );
    const result = await post(url);
    assert.ok(result.kind === 'answer');
    assert.deepEqual([result.status, result.headers['x-one'], result.body.toString()], [404, '1', 'no']);
  });

  it('asks for an answer that is not compressed: whoever says nothing may get gzip', async () => {
    let asked = '';
    const url = await serve((socket) =>
      socket.once('data', (chunk) => {
        asked = chunk.toString();
        socket.end('HTTP/1.1 204 No Content\r\n\r\n');
      }),
    );
    assert.equal((await post(url)).kind, 'answer');
    assert.match(asked, /^accept-encoding: identity\r$/im);
  });

  it('says not_sent when the connection is refused', async () => {
    const { url, server } = await openServer(() => undefined);
    server.close();
    await once(server, 'close');
    assert.equal((await post(url)).kind, 'not_sent');
  });

  it('names every cause of a failed call: a list of refused connections says which', async () => {
    const refused = await post('http://localhost:1/');
    assert.ok(refused.kind === 'not_sent');
    assert.match(refused.detail, /connect ECONNREFUSED 127\.0\.0\.1:1/);
    const cause = new Error('self-signed certificate', { cause: new Error('the chain ends here') });
    assert.equal(
      causesOf(new Error('fetch failed', { cause })),
      'fetch failed: self-signed certificate: the chain ends here',
    );
  });

  it('says not_sent when the name does not exist', async () => {
    assert.equal((await post('http://channel.invalid/', 5_000)).kind, 'not_sent');
  });

  it('says not_sent when the call was cancelled before it began', async () => {
    let connections = 0;
    const url = await serve(() => {
      connections += 1;
    });
    assert.equal((await post(url, 2_000, AbortSignal.abort())).kind, 'not_sent');
    assert.equal(connections, 0);
  });

  for (const [what, serving, timeoutMs] of [
    [
      'a new connection is reset before anything was answered',
      (socket) => socket.once('data', () => reset(socket)),
    ],
    ['nothing is answered in time', () => undefined, 100],
    [
      'the answer is cut off',
      (socket) => socket.once('data', () => socket.end(`${OK}Content-Length: 100\r\n\r\nshort`)),
    ],
    [
      'the answer is larger than 256 KiB',
      (socket) =>
        socket.once('data', () => {
          socket.write(`${OK}Content-Length: 300000\r\n\r\n`);
          socket.end('x'.repeat(300_000));
        }),
    ],
  ] as [string, (socket: Socket) => unknown, number?][])
    it(`says broken when ${what}`, async () =>
      assert.equal((await post(await serve(serving), timeoutMs)).kind, 'broken'));

  for (const [what, end] of [
    ['is reset', reset],
    [
      'is closed by a server that is gone',
      (socket: Socket) => {
        servers.pop()?.close();
        socket.destroy();
      },
    ],
  ] as const)
    it(`says broken, not not_sent, when a reused connection ${what}`, async () => {
      const url = await serve((socket) =>
        onRequest(socket, (count) => {
          if (count === 1) socket.write(`${OK}Content-Length: 0\r\n\r\n`);
          else end(socket);
        }),
      );
      assert.equal((await post(url)).kind, 'answer');
      assert.equal((await post(url)).kind, 'broken');
      assert.equal(sockets.size, 1, 'the second call used the connection of the first');
    });

  it('says broken when the call is cancelled on its way', async () => {
    const cancel = new AbortController();
    const url = await serve((socket) => socket.once('data', () => cancel.abort()));
    assert.equal((await post(url, 2_000, cancel.signal)).kind, 'broken');
  });

  it('does not follow a redirect', async () => {
    const paths: string[] = [];
    const server = createHttpServer((incoming, outgoing) => {
      paths.push(incoming.url ?? '');
      outgoing.writeHead(307, { location: '/elsewhere' }).end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    servers.push(server);
    const result = await post(`http://127.0.0.1:${(server.address() as AddressInfo).port}/here`);
    assert.ok(result.kind === 'answer');
    assert.deepEqual([result.status, paths], [307, ['/here']]);
    server.closeAllConnections();
  });

  const answering = (head: string, body: string | Buffer = '') =>
    serve((socket) =>
      onRequest(socket, () => socket.write(Buffer.concat([Buffer.from(head), Buffer.from(body)]))),
    );
  const textOf = async (url: string) => {
    const result = await post(url);
    return result.kind === 'answer' ? result.body.toString() : result.detail;
  };

  it('takes gzip that nobody asked for, 100 Continue, and long headers', async () => {
    const packed = gzipSync('{"a":1}');
    const gzip = `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${packed.length}\r\n\r\n`;
    assert.equal(await textOf(await answering(gzip, packed)), '{"a":1}');
    const plain = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n';
    assert.equal(await textOf(await answering(`HTTP/1.1 100 Continue\r\n\r\n${plain}\r\nok`)), 'ok');
    assert.equal(
      await textOf(await answering(`${plain}Set-Cookie: a=${'x'.repeat(40_000)}\r\n\r\nok`)),
      'ok',
    );
  });

  it('takes a 100 Continue that comes alone', async () => {
    const url = await serve((socket) => {
      onRequest(socket, () =>
        socket.write('HTTP/1.1 100 Continue\r\n\r\n', () =>
          setImmediate(() => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')),
        ),
      );
    });
    assert.equal(await textOf(url), 'ok');
  });

  it('says of the rest that it is not HTTP, and unpacks no bomb', async () => {
    for (const head of [
      // Neither undici's parser nor Node's, with insecureHTTPParser or without, takes two, equal or not.
      'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok',
      'HTTP/1.1 200 OK\r\nBad Name: 2\r\nContent-Length: 2\r\n\r\nok',
      `HTTP/1.1 200 OK\r\nA: ${'x'.repeat(70_000)}\r\n\r\n`,
    ])
      assert.match(await textOf(await answering(head)), /^its answer is not HTTP: /);
    const bomb = gzipSync(Buffer.alloc(1_000_000));
    const gzip = `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`;
    assert.match(await textOf(await answering(gzip, bomb)), /^its answer is not HTTP: /);
  });

  it('is unknown where a member stands twice, and the log names it', async () => {
    const lines: object[] = [];
    const logged = createHttpClient({ log: { info: (facts) => lines.push(facts) } });
    const body = '{"data":[{"a":1,"result":"FAIL","b":{"result":1},"result":"SUCCESS"}]}';
    const url = await answering(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n`, body);
    const call = { method: 'POST', url, headers: {}, body: '{"amount":"1"}', timeoutMs: 2_000 } as const;
    const result = await logged.send(call);
    await logged.close();
    assert.equal(result.kind, 'broken');
    assert.match(JSON.stringify(lines), /the member result stands twice/);
  });

  it('names serverName as its host where the file says so', async () => {
    const heads: string[] = [];
    const named = createHttpClient({ reach: { serverName: 'bank.example.com', host: true } });
    const url = await serve((socket) => {
      socket.on('data', (chunk) => heads.push(String(chunk)));
      onRequest(socket, () => socket.write('HTTP/1.1 204 No Content\r\n\r\n'));
    });
    await named.send({ method: 'POST', url, headers: {}, body: '{"amount":"1"}', timeoutMs: 2_000 });
    await named.close();
    assert.match(heads.join(''), /^host: bank\.example\.com\r$/im);
  });

  it('is broken, not an exception, for an address that is none', async () => {
    assert.equal((await post('nonsense')).kind, 'broken');
  });

  it('is logged by method, path, end and time, without numbers, secrets and queries', async () => {
    const lines: object[] = [];
    const logged = createHttpClient({ log: { info: (facts) => lines.push(facts) } });
    const url = await serve((socket) =>
      onRequest(socket, () => socket.write('HTTP/1.1 204 No Content\r\n\r\n')),
    );
    const paths = [
      'standard/v1/users/754123456',
      'accounts/msisdn/%2B255754123456/name',
      `in/${'s'.repeat(41)}`,
    ];
    for (const path of paths)
      await logged.send({
        method: 'POST',
        url: `${url}${path}?msisdn=255754123456`,
        headers: {},
        body: '{"amount":"1"}',
        timeoutMs: 2_000,
      });
    await logged.send({ method: 'GET', url: 'http://127.0.0.1:1/x', headers: {}, timeoutMs: 2_000 });
    await logged.close();
    assert.deepEqual(
      lines.map((line) => ({ ...line, ms: 0 })),
      [
        { method: 'POST', path: '/standard/v1/users/…', status: 204, ms: 0 },
        { method: 'POST', path: '/accounts/msisdn/…/name', status: 204, ms: 0 },
        { method: 'POST', path: '/in/…', status: 204, ms: 0 },
        { method: 'GET', path: '/x', result: 'not_sent', ms: 0 },
      ],
    );
  });
});
