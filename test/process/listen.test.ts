import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import { listen } from '../../src/process/listen.ts';
import { until } from '../support/wait.ts';

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
    await until(() => server.arrived() === 1, { deadlineMs: 5_000, what: 'the request is in flight' });
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
    await until(() => server.arrived() === 1, { deadlineMs: 5_000, what: 'the request is in flight' });
    const cut = assert.rejects(inFlight, /hang up|ECONNRESET/);
    await server.close(50);
    await cut;
    server.release();
  });
});
