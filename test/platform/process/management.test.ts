import assert from 'node:assert/strict';
import { listen } from '../../../src/platform/process/listen.ts';
import { createManagementApp } from '../../../src/platform/process/management.ts';
import { createMetrics } from '../../../src/platform/process/metrics.ts';

describe('the management port without a path', () => {
  for (const [accept, home, expected] of [
    ['text/html,application/xhtml+xml,*/*;q=0.8', '/desk', [302, '/desk']],
    ['*/*', '/desk', [404, null]],
    ['text/html', undefined, [404, null]],
  ] as const)
    it(`answers ${expected[0]} to ${accept}${home ? '' : ' where there is no desk'}`, async () => {
      const app = createManagementApp({
        metrics: createMetrics(),
        isReady: async () => true,
        codec: null,
        ...(home ? { home } : {}),
      });
      const server = await listen(app.callback(), { port: 0, host: '127.0.0.1' });
      const answer = await fetch(`http://127.0.0.1:${server.port}/`, {
        headers: { accept },
        redirect: 'manual',
      });
      assert.deepEqual([answer.status, answer.headers.get('location')], expected);
      await server.close(0);
    });
});
