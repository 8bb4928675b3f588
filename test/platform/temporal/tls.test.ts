import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import { connectionOptions, createTemporalClient } from '../../../src/platform/temporal/connect.ts';
import { createAuthorities } from '../../support/certificates.ts';
import { ringOf } from '../../support/key-rings.ts';
import { until } from '../../support/wait.ts';

/** A server that asks for our certificate stands in for Temporal: what matters here is said before the first request. */
describe('TLS to Temporal', function () {
  this.timeout(30_000);
  const made = createAuthorities();
  const at = (name: string) => path.join(made.folder, name);
  let server: Server;
  let seen: { authorized: boolean; servername: unknown; subject: unknown }[] = [];

  before(async () => {
    made.authority('ca');
    made.issue('ca', 'malipo-worker');
    const { cert, key } = made.issue('ca', 'temporal.test');
    server = createServer(
      {
        cert,
        key,
        ca: readFileSync(at('ca.pem')),
        requestCert: true,
        rejectUnauthorized: false,
        ALPNProtocols: ['h2'],
      },
      (socket: TLSSocket & { servername?: unknown }) => {
        const { authorized, servername } = socket;
        seen.push({ authorized, servername, subject: socket.getPeerCertificate().subject?.CN });
        socket.destroy();
      },
    );
    server.on('tlsClientError', () => {});
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  after(async () => {
    await new Promise((resolve) => server.close(resolve));
    made.remove();
  });
  beforeEach(() => {
    seen = [];
  });

  const settings = () => ({
    TEMPORAL_ADDRESS: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    TEMPORAL_NAMESPACE: 'default',
    TEMPORAL_API_KEY: undefined,
    TEMPORAL_TLS: true,
    TEMPORAL_TLS_SERVER_CA_CERT_PATH: at('ca.pem'),
    TEMPORAL_TLS_SERVER_NAME: 'temporal.test',
    ENCRYPTION_KEY: ringOf(),
  });

  async function ask(more: Partial<Parameters<typeof createTemporalClient>[0]> = {}) {
    const temporal = createTemporalClient({ ...settings(), ...more });
    const call = () => temporal.connection.workflowService.getSystemInfo({});
    await temporal.connection.withDeadline(Date.now() + 1_500, call).catch(() => {});
    await temporal.close();
  }

  it('trusts the CA that is named, asks for the name that is said, and shows our certificate', async () => {
    await ask({
      TEMPORAL_TLS_CLIENT_CERT_PATH: at('ca-malipo-worker.pem'),
      TEMPORAL_TLS_CLIENT_KEY_PATH: at('ca-malipo-worker.key'),
    });
    await until(() => seen.length > 0, 'the client says who it is');
    assert.deepEqual(seen[0], { authorized: true, servername: 'temporal.test', subject: 'malipo-worker' });
  });

  it('talks to no server that another CA signed, or that has another name', async () => {
    await ask({ TEMPORAL_TLS_SERVER_CA_CERT_PATH: undefined });
    await ask({ TEMPORAL_TLS_SERVER_NAME: 'another.test' });
    // These two show no certificate; one of the test before may still be coming in.
    const strangers = seen.filter(({ subject }) => subject !== 'malipo-worker');
    assert.deepEqual(strangers, []);
  });

  it('is the same for workers, and a file that is not there stops the start', () => {
    const { tls } = connectionOptions(settings());
    assert.equal(tls?.serverNameOverride, 'temporal.test');
    assert.deepEqual(Buffer.from(tls?.serverRootCACertificate ?? []), readFileSync(at('ca.pem')));
    assert.throws(
      () => connectionOptions({ ...settings(), TEMPORAL_TLS_SERVER_CA_CERT_PATH: at('none.pem') }),
      /ENOENT/,
    );
  });
});
