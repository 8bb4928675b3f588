// tests: slow
import { createServer } from 'node:net';
import { freePort } from '../../../sandbox/local/ports.ts';
import { createTemporalClient } from '../../../src/platform/temporal/connect.ts';
import { ringOf } from '../../support/key-rings.ts';
import { until } from '../../support/wait.ts';

describe('the client of Temporal', () => {
  it('goes on looking for a server that is away, at a steady pace', async () => {
    let attempts = 0;
    const port = await freePort();
    const away = createServer((socket) => {
      attempts += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => away.listen(port, '127.0.0.1', resolve));
    const temporal = createTemporalClient({
      TEMPORAL_ADDRESS: `127.0.0.1:${port}`,
      TEMPORAL_NAMESPACE: 'default',
      TEMPORAL_API_KEY: undefined,
      TEMPORAL_TLS: false,
      PAYLOAD_ENCRYPTION: false,
      ENCRYPTION_KEY: ringOf(),
    });
    try {
      // Pauses that grow by themselves, as gRPC's do, would need 40 s for as many.
      await until(async () => {
        const ask = () => temporal.connection.workflowService.getSystemInfo({});
        await temporal.connection.withDeadline(Date.now() + 500, ask).catch(() => {});
        return attempts >= 8;
      }, 'eight attempts');
    } finally {
      await temporal.close();
      await new Promise((resolve) => away.close(resolve));
    }
  });
});
