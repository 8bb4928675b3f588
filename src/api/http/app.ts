import Router from '@koa/router';
import Koa, { type Context } from 'koa';
import type { Keys } from '../../accounts/keys.ts';
import { GatewayError } from '../../domain/errors.ts';
import { languages } from '../../domain/language.ts';
import type { Log } from '../../process/log.ts';
import type { Metrics } from '../../process/metrics.ts';
import type { Endpoint, Handler } from './endpoint.ts';
import type { ClientAddress } from './middleware/client-address.ts';
import { envelope, type RequestState } from './middleware/envelope.ts';
import type { RateLimits } from './middleware/rate-limits.ts';
import { serve } from './middleware/serve.ts';
import { traced } from './middleware/traced.ts';

/** Every endpoint answers under each of them; the first one is shown in the OpenAPI document. */
export const prefixes = ['/api/v1', '/v1', '/v1/api', '/api'] as const;

export type Route = { name: string; endpoint: Endpoint; handler: Handler };
/**
 * An address beside the table of routes: its own path, no prefix, no key. Channels ask and notify us there, with their
 * own proof of the sender; people read the reference.
 */
export type Door = {
  name: string;
  method: 'GET' | 'PUT' | 'POST';
  path: string;
  handle: (context: DoorContext) => Promise<void>;
};
export type DoorContext = Context & { state: RequestState; params: Record<string, string> };

type Serve = (context: DoorContext) => Promise<void>;
type Served = { method: string; name: string; serve: Serve };

/** The whole HTTP side. Wired by hand from the table of routes; listens nowhere by itself. */
export function createApp(deps: {
  routes: readonly Route[];
  doors: readonly Door[];
  keys: Pick<Keys, 'authenticate' | 'isKnown'>;
  limits: RateLimits;
  addressOf: ClientAddress;
  log: Log;
  metrics: Metrics;
  now?: () => Date;
}): Koa {
  const now = deps.now ?? (() => new Date());
  const { keys, limits, addressOf } = deps;
  const paths = new Map<string, Served[]>();
  const add = (path: string, served: Served) => paths.set(path, [...(paths.get(path) ?? []), served]);
  for (const { name, endpoint, handler } of deps.routes) {
    for (const path of prefixes.flatMap((prefix) => endpoint.paths.map((inner) => `${prefix}/${inner}`))) {
      add(path.replace(/\{(\w+)\}/g, ':$1'), {
        method: endpoint.method,
        name,
        serve: (context) =>
          serve(context, { keys, limits, addressOf, endpoint, handler, id: idOf(context), now }),
      });
    }
  }
  for (const { path, method, name, handle } of deps.doors) {
    const inEnglish: Serve = (context) => {
      context.state.language = 'en';
      return handle(context);
    };
    add(path, { method, name, serve: inEnglish });
  }

  const app = new Koa();
  app.silent = true;
  app.use(traced());
  app.use(envelope({ log: deps.log, metrics: deps.metrics, languages }));
  app.use(routerOf(paths).routes());
  app.use(() => {
    throw new GatewayError('not_found', 'There is nothing at this address; see GET /api/v1/openapi.json');
  });
  return app;
}

/** The thing that the address names: a transaction, a callback event. */
function idOf(context: DoorContext): string {
  return context.params.id ?? context.params.event_id ?? '';
}

/** Static paths come before `:id`, whatever their method, so that `GET payouts/bank` is 405 and no payout `bank`. */
function routerOf(paths: Map<string, Served[]>): Router {
  const router = new Router({ sensitive: true });
  const parametersLast = ([path]: [string, Served[]]) => (path.includes(':') ? 1 : 0);
  for (const [path, served] of [...paths].sort((a, b) => parametersLast(a) - parametersLast(b))) {
    router.all(path, (context) => choose(context as unknown as DoorContext, served));
  }
  return router;
}

function choose(context: DoorContext, served: Served[]): Promise<void> {
  const method = context.method === 'HEAD' ? 'GET' : context.method;
  const chosen = served.find((candidate) => candidate.method === method);
  if (chosen) {
    context.state.route = chosen.name;
    return chosen.serve(context);
  }
  const allowed = served.flatMap((candidate) =>
    candidate.method === 'GET' ? ['GET', 'HEAD'] : [candidate.method],
  );
  throw new GatewayError('method_not_allowed', `Use ${allowed.join(' or ')} at this address`, {
    headers: { Allow: allowed.join(', ') },
  });
}
