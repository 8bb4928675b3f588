import Router from '@koa/router';
import Koa, { type Context, type Middleware } from 'koa';
import { GatewayError } from '../../domain/errors.ts';
import { type Message, say } from '../../domain/messages.ts';
import type { RequestState } from './envelope.ts';

export type RequestContext = Context & { state: RequestState; params: Record<string, string> };

export type Served = {
  method: string;
  path: string;
  name: string;
  handle(context: RequestContext): Promise<void>;
};

export function appOf(options: {
  served: readonly Served[];
  layers: Middleware<RequestState>[];
  seeAlso: string;
  /** suggests a known address for an unknown one, or undefined */
  likelyPath?(path: string): string | undefined;
}): Koa {
  const app = new Koa();
  app.silent = true;
  for (const layer of options.layers) app.use(layer);
  app.use(routerOf(options.served).routes());
  app.use((context) => {
    const likely = options.likelyPath?.(context.path);
    throw new GatewayError(
      'not_found',
      likely === undefined
        ? say('nothing_here', { where: options.seeAlso })
        : say('nothing_here_but', { path: likely }),
    );
  });
  return app;
}

/** No name contains these characters, and NUL breaks Postgres. Channels' doors refuse them themselves. */
const NO_CODE = /[\p{Cc}\p{Cs}]/gu;
const NAME_CHARACTERS_MAX = 300;

/** Static paths come before `:id` for every method: `GET payouts/bank` is 405, not a payout `bank`. */
function routerOf(served: readonly Served[]): Router {
  const router = new Router({ sensitive: true });
  const paths = new Map<string, Served[]>();
  for (const one of served) {
    const path = one.path.replace(/\{(\w+)\}/g, ':$1');
    paths.set(path, [...(paths.get(path) ?? []), one]);
  }
  const parametersLast = ([path]: [string, Served[]]) => (path.includes(':') ? 1 : 0);
  for (const [path, there] of [...paths].sort((a, b) => parametersLast(a) - parametersLast(b))) {
    router.all(path, (context) => {
      for (const [name, value] of path.startsWith('/channels/') ? [] : Object.entries(context.params))
        context.params[name] = value.slice(0, NAME_CHARACTERS_MAX).replace(NO_CODE, '\ufffd');
      return choose(context as unknown as RequestContext, there);
    });
  }
  return router;
}

function choose(context: RequestContext, served: Served[]): Promise<void> {
  const method = context.method === 'HEAD' ? 'GET' : context.method;
  const chosen = served.find((candidate) => candidate.method === method);
  if (chosen) {
    context.state.route = chosen.name;
    return chosen.handle(context);
  }
  const allowed = served.flatMap((candidate) =>
    candidate.method === 'GET' ? ['GET', 'HEAD'] : [candidate.method],
  );
  throw new GatewayError('method_not_allowed', useOf(allowed), {
    headers: { Allow: allowed.join(', ') },
  });
}

function useOf([method = '', second, ...others]: string[]): Message {
  if (second === undefined) return say('use_method', { method });
  if (others.length === 0) return say('use_methods', { method, second });
  return say('use_three_methods', { method, second, third: others.join(' or ') });
}
