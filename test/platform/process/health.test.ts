import assert from 'node:assert/strict';
import http2 from 'node:http2';
import type { AddressInfo } from 'node:net';
import { createHealthCheck, onceReachable } from '../../../src/platform/process/health.ts';
import { createTemporalClient } from '../../../src/platform/temporal/connect.ts';
import { asRole, createTestDatabase } from '../../support/database.ts';
import { ringOf } from '../../support/key-rings.ts';

/** Temporal as it answers with authorization: what the server can do it tells everybody, a namespace only who may read it. */
async function startGuardedTemporal(isOurs: boolean) {
  const server = http2.createServer();
  server.on('stream', (stream, headers) => {
    const method = String(headers[':path']).split('/').at(-1);
    const isAllowed = method === 'GetSystemInfo' || isOurs;
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': isAllowed ? '0' : '16' }));
    // One empty message, which every answer may be.
    stream.end(isAllowed ? Buffer.alloc(5) : undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

const well = { isReachable: async () => true };

describe('readiness', () => {
  it('is refused where Temporal does not let us read our namespace, although it answers everybody', async () => {
    const database = { query: async () => ({}) };
    for (const isOurs of [true, false]) {
      const server = await startGuardedTemporal(isOurs);
      const temporal = createTemporalClient({
        TEMPORAL_ADDRESS: server.address,
        TEMPORAL_NAMESPACE: 'malipo',
        TEMPORAL_API_KEY: undefined,
        TEMPORAL_TLS: false,
        PAYLOAD_ENCRYPTION: false,
        ENCRYPTION_KEY: ringOf(),
      });
      await temporal.connection.workflowService.getSystemInfo({});
      assert.equal(await createHealthCheck({ database, temporal })(), isOurs);
      await temporal.close();
      await server.close();
    }
  });

  for (const role of ['api', 'worker'] as const)
    it(`is refused while the role of the ${role} may not read payments, although Postgres answers`, async () => {
      const test = await createTestDatabase();
      const database = asRole(test.database, role);
      assert.equal(await createHealthCheck({ database, temporal: well })(), true);
      await test.database.query(`REVOKE SELECT ON transactions FROM malipo_${role}`);
      await database.query('SELECT 1');
      assert.equal(await createHealthCheck({ database, temporal: well })(), false);
      await test.drop();
    });

  it('of the API needs Temporal once: while it is away later, lookups and doors still answer', async () => {
    let time = 0;
    let [postgres, temporal] = [true, false];
    const database = { query: async () => (postgres ? {} : Promise.reject(new Error('away'))) };
    const isRoutable = createHealthCheck({
      database,
      temporal: onceReachable({ isReachable: async () => temporal }),
      now: () => (time += 10_000),
    });
    assert.equal(await isRoutable(), false, 'its settings may be wrong');
    temporal = true;
    assert.equal(await isRoutable(), true);
    temporal = false;
    assert.equal(await isRoutable(), true);
    postgres = false;
    assert.equal(await isRoutable(), false);
  });
});
