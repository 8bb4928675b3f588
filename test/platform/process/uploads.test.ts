import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GatewayError } from '../../../src/domain/errors.ts';
import { createUploads, type Upload } from '../../../src/platform/process/uploads.ts';
import { until } from '../../support/wait.ts';

const KIB = 1024;
const BYTES_MAX = 512 * KIB;

describe('a file that is sent', () => {
  const { TMPDIR } = process.env;
  const folder = mkdtempSync(join(tmpdir(), 'uploads-'));
  const uploads = createUploads();
  const results: (Upload | { code: string })[] = [];
  let silenceMs: number | undefined;
  const server = createServer((message, response) => {
    void receive(message).then((result) => {
      silenceMs = message.socket.timeout;
      results.push(result);
      response.end();
    });
  });
  const receive = (message: IncomingMessage) =>
    uploads.receive(message, BYTES_MAX).catch((error: unknown) => {
      if (error instanceof GatewayError) return { code: error.code };
      throw error;
    });
  before(async () => {
    process.env.TMPDIR = folder;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  after(() => {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
    server.close();
    server.closeAllConnections();
    rmSync(folder, { recursive: true });
  });

  function send(length: number | null = null) {
    const { port } = server.address() as AddressInfo;
    const headers = length === null ? {} : { 'content-length': length };
    const sent = request({ port, host: '127.0.0.1', method: 'POST', headers });
    sent.on('error', () => {});
    return sent;
  }
  const next = async () => {
    await until(() => results.length > 0, 'nothing came of a file');
    return results.shift() as Upload & { code?: string };
  };

  it('is what was sent, byte for byte, on no path and in one piece', async () => {
    const bytes = Buffer.from(Array.from({ length: 300 * KIB }, (_, at) => at % 251));
    send().end(bytes);
    const { written, end } = await next();
    assert.equal(written.byteLength, bytes.length);
    assert.equal(silenceMs, 600_000, 'the connection waits for the answer while we work on it');
    const found = Buffer.alloc(bytes.length);
    readSync(written.fd, found, 0, found.length, written.from);
    assert.ok(found.equals(bytes));
    assert.deepEqual(readdirSync(folder), []);
    await end();
    assert.throws(() => readSync(written.fd, found, 0, 1, 0), /EBADF/);
  });

  it('comes alone: another one is told to come again until the first is over', async () => {
    const slow = send();
    slow.write(Buffer.alloc(KIB));
    await until(async () => {
      send().end('x');
      const { code, end } = await next();
      await end?.();
      return code === 'unavailable';
    }, 'a second one waits');
    slow.end();
    const { end } = await next();
    send().end('x');
    assert.equal((await next()).code, 'unavailable', 'it arrived, and is still read');
    await end();
    send().end('x');
    await (await next()).end();
  });

  it('leaves its place to the next one where it is too large or breaks off', async () => {
    send(BYTES_MAX + 1).end(Buffer.alloc(BYTES_MAX + 1));
    assert.equal((await next()).code, 'payload_too_large', 'as it says itself');
    send().end(Buffer.alloc(BYTES_MAX + 1));
    assert.equal((await next()).code, 'payload_too_large', 'as it came');
    const broken = send(KIB);
    broken.write('x');
    setTimeout(() => broken.destroy(), 20);
    assert.equal((await next()).code, 'invalid_json');
    send().end('x');
    await (await next()).end();
    assert.deepEqual(readdirSync(folder), []);
  });
});
