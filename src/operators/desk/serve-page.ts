import { Readable } from 'node:stream';
import { GatewayError, httpStatusOf } from '../../domain/errors.ts';
import type { RequestContext } from '../../platform/http/app.ts';
import { setStatus, toGatewayError } from '../../platform/http/envelope.ts';
import { Html, html } from '../../platform/http/html.ts';
import { waitingFor } from '../actions/waiting.ts';
import type { Call } from '../api/call.ts';
import { calls } from '../api/calls.ts';
import type { Guards } from '../api/serve.ts';
import {
  csrfOf,
  isFromElsewhere,
  readCookie,
  readForm,
  readFormWithFile,
  requireOwnForm,
} from './browser.ts';
import { callsFor, type Desk } from './desk.ts';
import { DESK, pageOf } from './layout.ts';
import { csvOf } from './list.ts';
import { formOf, type Page } from './page.ts';
import { proposalOf } from './proposing.ts';
import { problemOf, sendPage } from './refusal.ts';

export type DeskGuards = Guards & {
  /** true if a trusted proxy received the request over TLS */
  isTls(request: RequestContext['req']): boolean;
};

/** Checks the session, then that the form is ours, before it reads the rest. */
export async function servePage(
  context: RequestContext,
  page: Page,
  pages: readonly Page[],
  guards: DeskGuards,
): Promise<void> {
  const secret = readCookie(context.req, guards.isTls(context.req));
  const session = secret === null ? null : await guards.deps.sessions.use(secret);
  if (secret === null || session === null) return askToSignIn(context);
  const { caller } = session;
  context.state.keyId = caller.tokenId;
  const { requestId, log } = context.state;
  const by = { caller, address: guards.addressOf(context.req), requestId, log };
  const desk: Desk = {
    ...callsFor(guards.deps, by),
    confirm: (token) => confirm(guards, { token, ...by }),
    waiting: (await waitingFor(guards.deps.database, guards.deps.proposals.actions, caller)).length,
    name: caller.name,
    tokenId: caller.tokenId,
    id: context.params.id ?? '',
    query: new URLSearchParams(context.querystring),
    csrf: csrfOf(secret),
    typed: null,
    problem: null,
  };
  if (context.method === 'POST') return serveForm(context, { page, pages, desk }, guards);
  if (desk.query.get('format') === 'csv' && page.list) return sendCsv(context, page, desk);
  await show(context, { page, pages, desk });
}

type Shown = { page: Page; pages: readonly Page[]; desk: Desk };

async function show(context: RequestContext, { page, pages, desk }: Shown, instead?: Html): Promise<void> {
  const title = typeof page.title === 'string' ? page.title : page.title(desk);
  const menu = pages.flatMap(({ menu: words, isFor, path }) =>
    words === undefined || !(isFor?.(desk) ?? true)
      ? []
      : [
          {
            to: path === '' ? DESK : `${DESK}/${path}`,
            group: words[0],
            words: words[1],
            isHere: path === page.path,
          },
        ],
  );
  let body: Html;
  try {
    body = instead ?? (await page.show(desk));
  } catch (error) {
    // A page that is refused or not found still has its menu.
    const problem = toGatewayError(error, context.state.log);
    setStatus(context, httpStatusOf[problem.code]);
    body = problemOf(problem);
    desk.problem = null;
  }
  const said = desk.query.get('done') === null ? null : html`<p class="done" role="status">It is done.</p>`;
  const whole = html`${desk.problem && problemOf(desk.problem)}${said}${body}`;
  sendPage(context, pageOf({ title, body: whole, desk, menu }));
}

/** A refused form comes back with the typed values and the reason. */
async function serveForm(context: RequestContext, shown: Shown, guards: Guards): Promise<void> {
  const { page, desk } = shown;
  let sent: Awaited<ReturnType<typeof readFormWithFile>> | null = null;
  try {
    requireOwnForm(context.req);
    sent = await readSent(context, shown, guards);
    const { typed } = sent;
    if (typed.get('csrf') !== desk.csrf)
      throw new GatewayError('forbidden', 'This form belongs to another session: nothing was done');
    desk.typed = typed;
    const name = typed.get('act') ?? '';
    const act = memberOf(page.acts ?? {}, name) ?? (memberOf(desk.actions, name) && proposalOf(name));
    if (!act) throw new GatewayError('not_found', 'There is no such form on this page');
    const after = await act(desk, formOf(sent));
    if (after instanceof Html) return await show(context, shown, after);
    seeOther(context, after);
  } catch (error) {
    desk.problem = toGatewayError(error, context.state.log);
    setStatus(context, httpStatusOf[desk.problem.code]);
    await show(context, shown);
  } finally {
    await sent?.file?.end();
  }
}

const memberOf = <Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

async function readSent({ req }: RequestContext, { page, desk }: Shown, { uploads }: Guards) {
  if (page.takesFile === undefined || !desk.may(page.takesFile))
    return { typed: await readForm(req), file: null };
  const call: Call = calls[page.takesFile];
  return readFormWithFile(req, uploads, call.bytesMax ?? 0);
}

export function seeOther(context: RequestContext, to: string): void {
  context.status = 303;
  context.set('Location', to);
  context.body = '';
}

/** Sends while it reads. A failure cuts the connection, so that nobody takes a part for the whole file. */
async function sendCsv(context: RequestContext, page: Page, desk: Desk): Promise<void> {
  const list = await page.list?.(desk);
  if (!list) throw new GatewayError('not_found', 'This page has no file');
  const pieces = csvOf(desk, list);
  // Before the first byte leaves, a refusal can still be sent.
  const [head, first] = [await pieces.next(), await pieces.next()];
  const all = async function* () {
    yield `${head.value ?? ''}${first.value ?? ''}`;
    yield* pieces;
  };
  context.set('Content-Type', 'text/csv; charset=utf-8; header=present');
  context.set('Content-Disposition', `attachment; filename="${page.path.replace(/[^a-z]+/g, '-')}.csv"`);
  const stream = Readable.from(all());
  stream.once('error', (err) => {
    context.state.log.error({ err }, 'a file of the desk broke off');
    context.res.destroy();
  });
  context.body = stream;
}

/** After a link from another site the cookie is missing. This page reloads itself to get it. */
function askToSignIn(context: RequestContext): void {
  if (context.method === 'GET' && isFromElsewhere(context.req)) {
    const head = html`<meta http-equiv="refresh" content="0">`;
    const body = html`<p><a href="${context.url}">Go on to the page</a></p>`;
    sendPage(context, pageOf({ title: 'One moment', head, body }));
    return;
  }
  const next = context.method === 'GET' ? context.url : context.path;
  const why = context.method === 'POST' ? '&ended=1' : '';
  seeOther(context, `${DESK}/sign-in?next=${encodeURIComponent(next)}${why}`);
}

async function confirm(
  { deps, countFailure }: DeskGuards,
  asked: { token: string; caller: { name: string; tokenId: string }; address: string },
): Promise<void> {
  const proven = await deps.operators.authenticate(asked.token);
  if (proven?.tokenId === asked.caller.tokenId) return;
  if (proven === null) await countFailure(asked.address);
  throw new GatewayError('forbidden', 'This is not the token that you signed in with: nothing was done');
}
