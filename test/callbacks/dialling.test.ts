import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { type Agent, request } from 'undici';
import { AddressNotPublic, createGuardedAgent } from '../../src/callbacks/guard-url.ts';

const NAME = 'shop.example';

/** The guard as it is in production, but for this: the public internet is 127.0.0.1 here. */
const isAllowed = (address: string) => address === '127.0.0.1';

describe('dialling a name', () => {
  let certificate: { key: string; cert: string };
  let server: Server | undefined;
  let agent: Agent;
  let seen: { host: string | undefined; servername: string | false | null; address: string | undefined }[];
  let asked: string[];
  before(() => {
    certificate = selfSigned(NAME);
  });
  beforeEach(() => {
    seen = [];
    asked = [];
  });
  afterEach(async () => {
    await agent.destroy();
    server?.closeAllConnections();
    server?.close();
  });

  /** A receiver that notes whom its callers take it for. Resolves to its port. */
  async function listen(options: { tls: boolean; keepAlive?: boolean }): Promise<number> {
    const answer = (message: IncomingMessage, response: ServerResponse) => {
      const { servername = null } = message.socket as TLSSocket;
      seen.push({ host: message.headers.host, servername, address: message.socket.localAddress });
      response.shouldKeepAlive = options.keepAlive ?? false;
      response.end('reached');
    };
    server = options.tls ? (createTlsServer(certificate, answer) as Server) : createServer(answer);
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  }

  /** Its n-th question is answered with the n-th list, the last one for ever. */
  function resolving(...answers: string[][]) {
    return async (hostname: string) => {
      asked.push(hostname);
      return answers[Math.min(asked.length, answers.length) - 1] ?? [];
    };
  }

  const guarded = (more: { ca?: string } = {}) =>
    createGuardedAgent({ resolveHost: resolving(['127.0.0.1']), isAllowed, ...more });
  const get = async (url: string) => (await request(url, { dispatcher: agent })).body.text();

  it('connects to the address that was checked, and speaks to the merchant’s name: Host, SNI, certificate', async () => {
    agent = guarded({ ca: certificate.cert });
    const port = await listen({ tls: true });
    assert.equal(await get(`https://${NAME}:${port}/`), 'reached');
    assert.deepEqual(seen, [{ host: `${NAME}:${port}`, servername: NAME, address: '127.0.0.1' }]);
    assert.deepEqual(asked, [NAME]);
  });

  it('refuses a certificate for another name, although the address is right', async () => {
    agent = guarded({ ca: certificate.cert });
    const port = await listen({ tls: true });
    await assert.rejects(get(`https://other.example:${port}/`), { code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
    assert.deepEqual(seen, []);
  });

  it('refuses a certificate that no authority vouches for', async () => {
    agent = guarded();
    const port = await listen({ tls: true });
    await assert.rejects(get(`https://${NAME}:${port}/`), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
    assert.deepEqual(seen, []);
  });

  it('asks once for each connection, so that a name that is changed between check and use gains nothing', async () => {
    agent = createGuardedAgent({ resolveHost: resolving(['127.0.0.1'], ['127.0.0.2']), isAllowed });
    const port = await listen({ tls: false });
    assert.equal(await get(`http://${NAME}:${port}/`), 'reached');
    assert.equal(asked.length, 1);
    await assert.rejects(get(`http://${NAME}:${port}/`), AddressNotPublic);
    assert.deepEqual([asked.length, seen.length], [2, 1]);
  });

  it('keeps connections for the next callbacks to the same receiver', async () => {
    agent = guarded();
    const port = await listen({ tls: false, keepAlive: true });
    for (let turn = 0; turn < 20; turn += 1) assert.equal(await get(`http://${NAME}:${port}/`), 'reached');
    assert.equal(seen.length, 20);
    // The first answer may not have been read to its end when the second request is made.
    assert.ok(asked.length <= 3, `${asked.length} connections`);
  });
});

function selfSigned(name: string): { key: string; cert: string } {
  const folder = mkdtempSync(join(tmpdir(), 'malipo-certificate-'));
  const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`];
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  execFileSync('openssl', ['req', ...kind, ...subject, '-keyout', keyFile, '-out', certFile], {
    stdio: 'pipe',
  });
  const pair = { key: readFileSync(keyFile, 'utf8'), cert: readFileSync(certFile, 'utf8') };
  rmSync(folder, { recursive: true });
  return pair;
}
