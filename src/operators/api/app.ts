import type Koa from 'koa';
import { appOf, type Served } from '../../platform/http/app.ts';
import { envelope, sendJson } from '../../platform/http/envelope.ts';
import type { Log } from '../../platform/process/log.ts';
import type { Metrics } from '../../platform/process/metrics.ts';
import type { Call } from './call.ts';
import { calls } from './calls.ts';
import { operatorOpenApiText } from './openapi.ts';
import { type Guards, serve } from './serve.ts';

export const OPERATOR_PREFIX = '/operator/v1';

export function createOperatorApp(options: Guards & { log: Log; metrics: Metrics; docsOrigin: string }): Koa {
  const document = operatorOpenApiText(calls, options.deps.proposals.actions);
  const served: Served[] = Object.entries<Call>(calls).map(([name, call]) => ({
    name: `operator.${name}`,
    method: call.method,
    path: `${OPERATOR_PREFIX}/${call.paths[0]}`,
    handle: (context) => serve(context, name, call, options),
  }));
  const path = `${OPERATOR_PREFIX}/openapi.json`;
  const handle: Served['handle'] = async (context) => sendJson(context, document);
  return appOf({
    served: [...served, { name: 'operator.openApi', method: 'GET', path, handle }],
    layers: [envelope(options)],
    seeAlso: path,
  });
}
