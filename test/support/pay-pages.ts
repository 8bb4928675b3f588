import { createStart } from '../../src/api/kit/start.ts';
import { createPayApp } from '../../src/api/pay/app.ts';
import type { RunBy } from '../../src/api/pay/page.ts';
import { promptLimits } from '../../src/domain/data/prompts.ts';
import { createClientAddress } from '../../src/platform/http/client-address.ts';
import { createRateLimits } from '../../src/platform/http/rate-limits.ts';
import { listen } from '../../src/platform/process/listen.ts';
import { createLog } from '../../src/platform/process/log.ts';
import { createMetrics } from '../../src/platform/process/metrics.ts';
import { tryToEnd } from '../../src/transactions/ending/end.ts';
import { bills, flowsThatAccept, routeOver, tokenKeys } from '../api/support/api.ts';
import { asRole } from './database.ts';
import type { Database } from './queryable.ts';

export { tokenKeys };

const runBy: RunBy = { service: 'Malipo & Co', support: '<0800 000 123>' };

/** The pages to pay on, as the API's process serves them; their pushes are accepted, and reach no network. */
export async function startPayPages(own: Database, { stateMs = 0, now = () => new Date(), by = runBy } = {}) {
  const database = asRole(own, 'api');
  const flows = flowsThatAccept(own, {
    cancel: async (id) => {
      const { status } = await tryToEnd(own, id, { kind: 'cancel' });
      return { kind: 'answered', cancelled: status === 'cancelled' };
    },
  });
  const log = createLog({ level: 'silent', name: 'test' });
  const failuresPerMinute = promptLimits.unknown.most;
  const app = createPayApp({
    database,
    flows,
    start: createStart({ database, flows, isFenced: async () => false }),
    now,
    gate: { view: async () => ({}) as never, mayTry: async () => true, states: async () => ({}) as never },
    paymentsOver: () => (id) => routeOver()(id, 'collection'),
    timing: 'normal',
    tokenKeys,
    bills,
    limits: createRateLimits({ perKey: null, failuresPerMinute, shared: null, log }),
    addressOf: createClientAddress([]),
    by,
    stateMs,
    log,
    metrics: createMetrics(),
  });
  const server = await listen(app.callback(), { port: 0, host: '127.0.0.1' });
  return { url: `http://127.0.0.1:${server.port}`, close: () => server.close(0), flows };
}
