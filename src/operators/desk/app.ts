import type Koa from 'koa';
import type { Middleware } from 'koa';
import { GatewayError, httpStatusOf } from '../../domain/errors.ts';
import { appOf, type Served } from '../../platform/http/app.ts';
import { envelope, type RequestState, setStatus, toGatewayError } from '../../platform/http/envelope.ts';
import { html } from '../../platform/http/html.ts';
import type { Log } from '../../platform/process/log.ts';
import type { Metrics } from '../../platform/process/metrics.ts';
import { securityHeaders } from './browser.ts';
import { DESK, pageOf } from './layout.ts';
import { pages } from './pages.ts';
import { problemOf, sendPage } from './refusal.ts';
import { type DeskGuards, servePage } from './serve-page.ts';
import { showSignIn, signIn, signOut } from './sign-in.ts';

/** `needsTls`: people can sign in only through a TLS proxy. */
export function createDesk(options: DeskGuards & { needsTls: boolean; log: Log; metrics: Metrics }): Koa {
  const served: Served[] = pages.flatMap((page) => {
    const path = page.path === '' ? DESK : `${DESK}/${page.path}`;
    const handle: Served['handle'] = (context) => servePage(context, page, pages, options);
    const name = `desk.${page.path || 'home'}`;
    return [
      { name, method: 'GET', path, handle },
      { name: `${name}.act`, method: 'POST', path, handle },
    ];
  });
  const at = (path: string) => `${DESK}/${path}`;
  return appOf({
    served: [
      ...served,
      { name: 'desk.signIn', method: 'GET', path: at('sign-in'), handle: showSignIn },
      {
        name: 'desk.signIn.act',
        method: 'POST',
        path: at('sign-in'),
        handle: (context) => signIn(context, options),
      },
      {
        name: 'desk.signOut.act',
        method: 'POST',
        path: at('sign-out'),
        handle: (context) => signOut(context, options),
      },
    ],
    layers: [envelope(options), asPages(options)],
    seeAlso: DESK,
  });
}

/** Shows refusals as pages. It runs inside the envelope. */
function asPages({
  needsTls,
  isTls,
}: { needsTls: boolean } & Pick<DeskGuards, 'isTls'>): Middleware<RequestState> {
  return async (context, next) => {
    context.set(securityHeaders);
    try {
      if (needsTls && !isTls(context.req))
        throw new GatewayError(
          'forbidden',
          'Open the desk through its proxy, over https: ' +
            'ask an engineer for the address (MANAGEMENT_TRUSTED_PROXIES)',
        );
      await next();
    } catch (error) {
      const problem = toGatewayError(error, context.state.log);
      setStatus(context, httpStatusOf[problem.code]);
      context.set(problem.detail.headers ?? {});
      const body = html`${problemOf(problem)}<p>Request ${context.state.requestId}. <a href="${DESK}">To the desk</a></p>`;
      sendPage(context, pageOf({ title: 'Refused', body }));
    }
  };
}
