import type { RequestListener } from 'node:http';
import Koa from 'koa';
import { type CodecEndpoint, serveCodec } from './codec-endpoint.ts';
import type { Metrics } from './metrics.ts';

/**
 * Only operators reach this port: liveness, readiness, metrics, and decoded payloads for Temporal's web UI.
 */
export function createManagementApp(deps: {
  metrics: Pick<Metrics, 'text' | 'contentType'>;
  isReady: () => Promise<boolean>;
  /** null: no payloads are decoded here */
  codec: CodecEndpoint | null;
  /** a browser that asks for `/` is sent to this path */
  home?: string;
}): Koa {
  const app = new Koa();
  app.silent = true;
  app.use(async (context) => {
    if (context.path === '/livez') context.body = 'alive\n';
    else if (context.path === '/readyz') {
      const ready = await deps.isReady();
      context.status = ready ? 200 : 503;
      context.body = ready ? 'ready\n' : 'not ready\n';
    } else if (context.path === '/metrics') {
      context.set('Content-Type', deps.metrics.contentType);
      context.body = await deps.metrics.text();
    } else if (context.path === '/' && deps.home && context.accepts('text', 'html') === 'html')
      context.redirect(deps.home);
    else if (deps.codec) await serveCodec(context, deps.codec);
  });
  return app;
}

/** `inside` answers the prefix and every path below it. */
export function splitByPath(
  prefix: string,
  inside: RequestListener,
  outside: RequestListener,
): RequestListener {
  const isInside = (url = '') => url.startsWith(prefix) && ['/', '?', ''].includes(url.charAt(prefix.length));
  return (request, response) => (isInside(request.url) ? inside : outside)(request, response);
}
