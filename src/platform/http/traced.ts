import type { Middleware } from 'koa';
import { inFirstSpan, kinds } from '../trace/span.ts';
import type { RequestState } from './envelope.ts';

/** Each request begins a trace. A stranger's `traceparent` must not decide what we record. */
export function traced(): Middleware<RequestState> {
  return (context, next) =>
    inFirstSpan({ name: 'request', kind: kinds.server }, async (span) => {
      await next();
      const { route } = context.state;
      span.updateName(`request ${route}`);
      span.setAttributes({
        'http.request.method': context.method,
        'http.route': route,
        'http.response.status_code': context.status,
      });
    });
}
