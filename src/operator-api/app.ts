import Router from '@koa/router';
import Koa, { type Middleware } from 'koa';
import type { ClientAddress } from '../api/http/middleware/client-address.ts';
import { envelope, type RequestState, sendJson } from '../api/http/middleware/envelope.ts';
import { createRateLimits } from '../api/http/middleware/rate-limits.ts';
import { GatewayError } from '../domain/errors.ts';
import type { Log } from '../process/log.ts';
import type { Metrics } from '../process/metrics.ts';
import type { Call, Deps } from './call.ts';
import { calls } from './calls.ts';
import { operatorOpenApiText } from './openapi.ts';
import { type CallContext, serve } from './serve.ts';

/** The path of the operator API on the management port. */
export const OPERATOR_PREFIX = '/operator/v1';

/** Nobody types a token: more wrong ones than this are guesses. */
const FAILURES_PER_MINUTE = 30;

/** The operators' HTTP side, wired from the table of calls; listens nowhere by itself. */
export function createOperatorApp(options: {
  deps: Deps;
  addressOf: ClientAddress;
  log: Log;
  metrics: Metrics;
  /** called for each wrong token */
  observeFailure?: () => void;
}): Koa {
  const { deps, addressOf, log, metrics, observeFailure = () => {} } = options;
  const { countFailure } = createRateLimits({
    perKey: null,
    failuresPerMinute: FAILURES_PER_MINUTE,
    shared: null,
    log,
    observeFailure,
  });
  const router = new Router({ prefix: OPERATOR_PREFIX, sensitive: true });
  const document = operatorOpenApiText(calls, deps.proposals.actions);
  router.get('/openapi.json', (context) => sendJson(context, document));
  for (const [path, served] of byPath(calls)) {
    router.all(path, async (context) => {
      const [name, call] = chosen(context as unknown as CallContext, served);
      context.state.route = `operator.${name}`;
      await serve(context as unknown as CallContext, name, call, { deps, addressOf, countFailure });
    });
  }
  const app = new Koa<RequestState>();
  app.silent = true;
  app.use(envelope({ log, metrics }));
  app.use(router.routes() as unknown as Middleware<RequestState>);
  app.use(() => {
    throw new GatewayError(
      'not_found',
      `There is nothing at this address; see ${OPERATOR_PREFIX}/openapi.json`,
    );
  });
  return app;
}

type Named = [name: string, call: Call];

/** Static paths come before those that name something. */
function byPath(table: Record<string, Call>): [string, Named[]][] {
  const paths = new Map<string, Named[]>();
  for (const [name, call] of Object.entries(table)) {
    const path = `/${call.path.replace('{id}', ':id')}`;
    paths.set(path, [...(paths.get(path) ?? []), [name, call]]);
  }
  const isStatic = ([path]: [string, Named[]]) => (path.includes(':') ? 1 : 0);
  return [...paths].sort((a, b) => isStatic(a) - isStatic(b));
}

function chosen(context: CallContext, served: Named[]): Named {
  const found = served.find(([, { method }]) => method === context.method);
  if (found) return found;
  const allowed = served.map(([, { method }]) => method);
  throw new GatewayError('method_not_allowed', `Use ${allowed.join(' or ')} at this address`, {
    headers: { Allow: allowed.join(', ') },
  });
}
