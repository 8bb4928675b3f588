import type Koa from 'koa';
import { languages } from '../../domain/language.ts';
import { appOf, type Served } from '../../platform/http/app.ts';
import { type BigBodies, createBigBodies } from '../../platform/http/big-bodies.ts';
import { envelope } from '../../platform/http/envelope.ts';
import { nearest } from '../../platform/http/likely.ts';
import { traced } from '../../platform/http/traced.ts';
import type { Log } from '../../platform/process/log.ts';
import type { Metrics } from '../../platform/process/metrics.ts';
import type { Route } from './call.ts';
import { type Guards, serve } from './serve.ts';

/** All serve the same calls; the OpenAPI document shows the first. */
export const prefixes = ['/api/v1', '/v1', '/v1/api', '/api'] as const;

/** `doors` are outside the table and need no key: channels' doors and the reference. */
export function createApp(
  deps: Omit<Guards, 'bigBodies'> & {
    bigBodies?: BigBodies;
    routes: readonly Route[];
    doors: readonly Served[];
    log: Log;
    metrics: Metrics;
    docsOrigin: string;
    now?: () => Date;
  },
): Koa {
  const guards = { now: () => new Date(), bigBodies: createBigBodies(), ...deps };
  const servedAt =
    ({ name, line, handle }: Route) =>
    (path: string): Served => ({
      name,
      method: line.method,
      path,
      handle: (context) => serve(context, { line, handle }, guards),
    });
  const calls = deps.routes.flatMap((route) =>
    prefixes.flatMap((prefix) => route.line.paths.map((path) => `${prefix}/${path}`)).map(servedAt(route)),
  );
  const doors = deps.doors.map((door): Served => ({ ...door, handle: inEnglish(door.handle) }));
  return appOf({
    served: [...calls, ...doors],
    layers: [traced(), envelope({ ...deps, languages })],
    seeAlso: 'GET /api/v1/openapi.json',
    likelyPath: (path) => likelyPath(path, [...new Set(deps.routes.flatMap(({ line }) => line.paths))]),
  });
}

function likelyPath(given: string, paths: string[]): string | undefined {
  const wanted = given
    .replace(/^(\/(api|v\d+))+(?=\/)/i, '')
    .replace(/\/([0-9a-f-]{36}|evt_[0-9a-f]{32})(?=\/|$)/gi, '/{id}');
  const spelling = (path: string) => `/${path.replace('{event_id}', '{id}')}`;
  const found = nearest(wanted.replace(/\/$/, ''), paths, {
    spelling,
    mistakesMax: Math.floor(wanted.length / 4),
  });
  return found && `${prefixes[0]}/${found}`;
}

function inEnglish(handle: Served['handle']): Served['handle'] {
  return (context) => {
    context.state.language = 'en';
    return handle(context);
  };
}
