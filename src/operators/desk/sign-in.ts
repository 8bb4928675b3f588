import { GatewayError } from '../../domain/errors.ts';
import type { RequestContext } from '../../platform/http/app.ts';
import { setStatus } from '../../platform/http/envelope.ts';
import { html } from '../../platform/http/html.ts';
import { csrfOf, ownAddress, readCookie, readForm, requireOwnForm, setCookie } from './browser.ts';
import { pageOf } from './layout.ts';
import { problemOf, sendPage } from './refusal.ts';
import { type DeskGuards, seeOther } from './serve-page.ts';

export async function showSignIn(context: RequestContext): Promise<void> {
  const query = new URLSearchParams(context.querystring);
  const problem =
    query.get('ended') === null
      ? null
      : new GatewayError('unauthorized', 'Your session has ended, and nothing was done: sign in again');
  signInPage(context, ownAddress(query.get('next')), problem);
}

function signInPage(context: RequestContext, next: string, problem: GatewayError | null): void {
  const body = html`${problem && problemOf(problem)}<form method="post" action="/desk/sign-in">
<input type="hidden" name="next" value="${next}"><p><label for="token">Your token</label>
<input type="password" id="token" name="token" autocomplete="off" spellcheck="false" required autofocus aria-describedby="token-hint">
<small id="token-hint">Your own token, op_…. The session ends after 15 minutes without a click, and after 8 hours.</small></p>
<button>Sign in</button></form>`;
  sendPage(context, pageOf({ title: 'Sign in', body }));
}

/** Wrong tokens here and at the API share one limit, which never locks out a valid token. */
export async function signIn(context: RequestContext, guards: DeskGuards): Promise<void> {
  const { deps, addressOf, countFailure, isTls } = guards;
  requireOwnForm(context.req);
  const form = await readForm(context.req);
  const next = ownAddress(form.get('next'));
  const address = addressOf(context.req);
  context.state.address = address;
  const caller = await deps.operators.authenticate((form.get('token') ?? '').trim());
  if (caller === null) {
    await countFailure(address);
    setStatus(context, 403);
    const why = 'This token is not accepted: it is unknown, has ended, or its operator was disabled';
    return signInPage(context, next, new GatewayError('forbidden', why));
  }
  context.state.keyId = caller.tokenId;
  const actor = { operator: caller.name, address, requestId: context.state.requestId };
  const { secret } = await deps.sessions.open({ caller, address, actor });
  setCookie(context, isTls(context.req), secret);
  seeOther(context, next);
}

export async function signOut(context: RequestContext, guards: DeskGuards): Promise<void> {
  const { deps, addressOf, isTls } = guards;
  requireOwnForm(context.req);
  const secret = readCookie(context.req, isTls(context.req));
  const form = await readForm(context.req);
  const session = secret === null ? null : await deps.sessions.use(secret);
  if (secret !== null && session !== null) {
    if (form.get('csrf') !== csrfOf(secret))
      throw new GatewayError('forbidden', 'This form belongs to another session: nothing was done');
    const { caller, id } = session;
    const { requestId } = context.state;
    const actor = { operator: caller.name, address: addressOf(context.req), requestId };
    await deps.sessions.end({ id, actor });
  }
  setCookie(context, isTls(context.req), null);
  seeOther(context, '/desk/sign-in');
}
