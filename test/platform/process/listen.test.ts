import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { listen } from '../../../src/platform/process/listen.ts';
import { until } from '../../support/wait.ts';

const HOST = '127.0.0.1';

/** A server whose answers wait until they are released. */
async function serveSlowly() {
  let arrived = 0;
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const server = await listen(
    async (_request, response) => {
      arrived += 1;
      await released;
      response.end('answered');
    },
    { port: 0, host: HOST },
  );
  return { ...server, release, arrived: () => arrived };
}

function get(port: number, agent: Agent): Promise<{ text: string; connection: string | undefined }> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: HOST, port, agent }, (incoming) => {
      let text = '';
      incoming.on('data', (chunk) => {
        text += chunk;
      });
      incoming.on('end', () => resolve({ text, connection: incoming.headers.connection }));
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}

describe('closing a server', () => {
  it('answers what is in flight, tells the caller that it is the last, and takes nothing new', async () => {
    const server = await serveSlowly();
    const agent = new Agent({ keepAlive: true });
    const inFlight = get(server.port, agent);
    await until(() => server.arrived() === 1, 'the request is in flight');
    let closed = false;
    const closing = server.close(20_000).then(() => {
      closed = true;
    });
    await assert.rejects(get(server.port, new Agent()), /ECONNREFUSED/);
    assert.equal(closed, false);
    server.release();
    assert.deepEqual(await inFlight, { text: 'answered', connection: 'close' });
    // Not after the 65 s that an idle connection may stay.
    await closing;
    agent.destroy();
  }).timeout(15_000);

  it('waits no longer than it was told to', async () => {
    const server = await serveSlowly();
    const inFlight = get(server.port, new Agent());
    await until(() => server.arrived() === 1, 'the request is in flight');
    const cut = assert.rejects(inFlight, /hang up|ECONNRESET/);
    await server.close(50);
    await cut;
    server.release();
  });
});

describe('a server that many ask and nobody reads', () => {
  const LARGE = Buffer.alloc(8 * 1024 * 1024);
  const openServer = async () => {
    const seen = { requests: 0, bodies: 0 };
    const server = await listen(
      (request, response) => {
        seen.requests += 1;
        if (request.method === 'GET') return void response.end(LARGE);
        request.on('data', () => {
          seen.bodies += 1;
        });
        request.on('end', () => response.end('whole'));
        request.on('error', () => {});
      },
      { port: 0, host: HOST },
    );
    return { ...server, seen };
  };
  const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

  it('handles a pipelined request once the answer before it was taken', async () => {
    const server = await openServer();
    const socket = connect(server.port, HOST);
    socket.pause();
    socket.write(GET.repeat(6));
    await until(() => server.seen.requests > 0, 'the first is handled');
    // Another connection goes through, from its request to its whole answer: time for the other five.
    assert.equal((await get(server.port, new Agent())).text.length, LARGE.length);
    assert.equal(server.seen.requests, 2);
    let received = 0;
    socket.on('data', (chunk) => {
      received += chunk.length;
    });
    socket.resume();
    await until(() => received > 6 * LARGE.length, 'all six answers');
    assert.equal(server.seen.requests, 7);
    socket.destroy();
    await server.close(100);
  }).timeout(30_000);

  it('closes a connection with more requests than any client sends before it reads', async () => {
    const server = await openServer();
    const socket = connect(server.port, HOST);
    socket.pause();
    socket.on('error', () => {});
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.write(GET.repeat(200));
    socket.resume();
    await closed;
    await server.close(100);
  }).timeout(15_000);

  it('keeps a thousand half-sent bodies at most, and lets the oldest go', async () => {
    const server = await openServer();
    const sockets: Socket[] = [];
    const closed: number[] = [];
    const HALF = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf';
    for (let i = 0; i < 1_020; i += 1) {
      const socket = connect(server.port, HOST, () => socket.write(HALF));
      socket.on('error', () => {});
      socket.once('close', () => closed.push(i));
      sockets.push(socket);
    }
    await until(() => server.seen.requests === 1_020 && closed.length === 20, 'twenty are let go');
    sockets.at(closed.includes(1_019) ? 0 : 1_019)?.write('x'.repeat(96));
    const last = sockets.at(closed.includes(1_019) ? 0 : 1_019);
    const answer = await new Promise<string>((resolve) =>
      last?.once('data', (chunk) => resolve(String(chunk))),
    );
    assert.match(answer, /whole/);
    for (const socket of sockets) socket.destroy();
    await server.close(100);
  }).timeout(60_000);
});
