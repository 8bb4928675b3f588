import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type Koa from 'koa';
import type { Middleware } from 'koa';
import type { KeyRing } from '../../base/key-ring.ts';
import { noteSecretUse } from '../../base/secret-uses.ts';
import { GatewayError, httpStatusOf } from '../../domain/errors.ts';
import { inLanguage, type Language } from '../../domain/language.ts';
import { type MessageId, say } from '../../domain/messages.ts';
import { type Minor, minor } from '../../domain/money.ts';
import { buildTanqr } from '../../domain/tanqr.ts';
import type { Database } from '../../platform/db/pool.ts';
import { appOf, type RequestContext } from '../../platform/http/app.ts';
import type { ClientAddress } from '../../platform/http/client-address.ts';
import { envelope, type RequestState, setStatus, toGatewayError } from '../../platform/http/envelope.ts';
import { html } from '../../platform/http/html.ts';
import type { RateLimits } from '../../platform/http/rate-limits.ts';
import type { Log } from '../../platform/process/log.ts';
import type { Metrics } from '../../platform/process/metrics.ts';
import { readBody } from '../../platform/process/read-body.ts';
import { drawQr } from '../../transactions/acceptance/qr-image.ts';
import { idsOfToken, pageTokenOf } from '../../transactions/rows/page-token.ts';
import { findLink, findPage, type Payable } from '../../transactions/rows/payable.ts';
import { askPrompt, type Typed } from './ask-prompt.ts';
import { billOfLink, type LinkDeps } from './bill-of-link.ts';
import { amountToPay, pageOf, payPage, type Shown } from './page.ts';
import { securityHeaders } from './style.ts';

export type PayOptions = LinkDeps & {
  database: Database;
  /** SUBMISSION_KEY: tokens are made with it */
  tokenKeys: KeyRing;
  /** counts unknown tokens, and forms: each starts a flow in the merchant's own share */
  limits: Pick<RateLimits, 'countFailure'>;
  addressOf: ClientAddress;
  log: Log;
  metrics: Metrics;
};

const FORM_BYTES_MAX = 4 * 1024;
/** How often a page looks by itself what became of a prompt. */
const LOOK_AGAIN_SECONDS = 5;

/** The pages that customers pay on, on a listener of their own: no cookie, no key, no script. */
export function createPayApp(options: PayOptions): Koa {
  const path = '/pay/{token}';
  const link = '/l/{code}';
  return appOf({
    served: [
      { name: 'pay.page', method: 'GET', path, handle: (context) => showPage(context, options) },
      { name: 'pay.ask', method: 'POST', path, handle: (context) => ask(context, options) },
      { name: 'link.page', method: 'GET', path: link, handle: (context) => showPage(context, options) },
      { name: 'link.ask', method: 'POST', path: link, handle: (context) => ask(context, options) },
    ],
    layers: [envelope(options), asPages],
    seeAlso: '/pay',
  });
}

/** Inside the envelope: a person reads a page, also where something is refused. Swahili, unless the address says otherwise. */
const asPages: Middleware<RequestState> = async (context, next) => {
  context.set(securityHeaders);
  const language: Language = context.query.lang === 'en' ? 'en' : 'sw';
  context.state.language = language;
  try {
    await next();
  } catch (error) {
    const problem = toGatewayError(error, context.state.log);
    setStatus(context, httpStatusOf[problem.code]);
    context.set(problem.detail.headers ?? {});
    const why: MessageId = problem.code === 'not_found' ? 'page_not_found' : 'page_error';
    const said = inLanguage(say(why), language);
    const body = html`<h1>${said}.</h1>`;
    await send(context, pageOf({ title: said, language, here: context.path, body }));
  }
};

async function showPage(context: RequestContext, options: PayOptions): Promise<void> {
  const shown = await find(context, options);
  if (shown.prompt?.status === 'pending') context.set('Refresh', String(LOOK_AGAIN_SECONDS));
  await send(context, payPage(shown));
}

/** Afterwards the browser is at the page of the prompt: sent again or looked at again, nothing happens twice. */
async function ask(context: RequestContext, options: PayOptions): Promise<void> {
  const shown = await find(context, options);
  const typed = await readTyped(context);
  // After `find`: an unknown token counts once.
  await options.limits.countFailure(options.addressOf(context.req));
  const { language, requestId, log } = context.state;
  const toAsk = { payable: shown.payable, typed, language, requestId, log };
  const bill = shown.payable.kind === 'link' ? await billOfLink(options, toAsk) : shown.payable;
  const asked = 'why' in bill ? bill : await askPrompt(options, { ...toAsk, payable: bill });
  if ('promptId' in asked) {
    context.status = 303;
    context.set('Location', `/pay/${pageTokenOf(options.tokenKeys, asked.promptId)}?lang=${language}`);
    context.body = '';
    return;
  }
  const refused = { why: asked.why, phone: typed.phone, amount: typed.amount };
  context.status = 409;
  // The bill of a link has a control number, by which it is paid where no more questions are sent.
  const page = 'why' in bill || bill === shown.payable ? shown : await shownOf(context, bill, options);
  await send(context, payPage({ ...page, prompt: null, refused }));
}

async function readTyped({ req }: RequestContext): Promise<Typed> {
  const form = new URLSearchParams((await readBody(req, FORM_BYTES_MAX)).toString('utf8'));
  const field = (name: string) => (form.get(name) ?? '').trim().slice(0, 40);
  return { phone: field('phone'), network: field('network'), amount: field('amount'), once: field('once') };
}

/** Throws `not_found` for an unknown token, after all the work that a known one takes: its time says nothing. */
async function find(context: RequestContext, options: PayOptions): Promise<Shown> {
  const { database, tokenKeys, limits, addressOf } = options;
  const { token, code } = context.params;
  const ids = idsOfToken(tokenKeys, token ?? '');
  const found = code === undefined ? await findPage(database, ids) : await pageOfLink(database, code);
  const { payable, prompt } = found ?? { payable: nothing, prompt: null };
  const shown = { ...(await shownOf(context, payable, options)), prompt };
  if (found) {
    const used = tokenKeys[ids.indexOf(prompt?.id ?? payable.id)];
    if (used) noteSecretUse(used.key);
    return shown;
  }
  payPage(shown);
  await limits.countFailure(addressOf(context.req));
  throw new GatewayError('not_found', say('page_not_found'));
}

async function shownOf(context: RequestContext, payable: Payable, options: PayOptions): Promise<Shown> {
  return {
    payable,
    prompt: null,
    code: await codeOf(payable, options),
    path: pathOf(payable, options.tokenKeys),
    here: context.path,
    language: context.state.language,
    once: randomBytes(12).toString('base64url'),
  };
}

async function pageOfLink(database: Database, code: string) {
  const payable = await findLink(database, code);
  return payable && { payable, prompt: null };
}

function pathOf({ kind, id, controlNumber }: Payable, tokenKeys: KeyRing): string {
  return kind === 'link' ? `/l/${controlNumber}` : `/pay/${pageTokenOf(tokenKeys, id)}`;
}

/** What an unknown token costs as much as. */
const nothing: Payable = {
  kind: 'bill',
  id: '00000000-0000-0000-0000-000000000000',
  accountId: '',
  apiKeyId: '',
  merchantName: 'MERCHANT',
  controlNumber: '770000000017',
  description: null,
  amount: minor(100_000),
  paid: minor(0),
  minimum: minor(100),
  maximum: minor(100),
  currency: 'TZS',
  state: 'open',
  expiresAt: null,
};

function codeOf(payable: Payable, { bills }: PayOptions): Promise<string> {
  const { merchantName, controlNumber, kind } = payable;
  if (kind === 'link') return drawQr(bills.linkUrlOf(controlNumber) ?? '', 1);
  const amount = wholeOrNull(amountToPay(payable));
  return drawQr(buildTanqr({ ...bills.payee, amount, merchantName, controlNumber }), 1);
}

/** The scheme has no cents, and no payment of nothing: then the payer types the amount. */
function wholeOrNull(amount: Minor | null): Minor | null {
  return amount !== null && amount > 0 && amount % 100 === 0 ? amount : null;
}

const compressed = promisify(gzip);

async function send(context: Parameters<typeof asPages>[0], page: string): Promise<void> {
  context.set('Content-Type', 'text/html; charset=utf-8');
  context.set('Content-Language', context.state.language);
  context.set('Vary', 'Accept-Encoding');
  if (context.acceptsEncodings('gzip', 'identity') !== 'gzip') {
    context.body = page;
    return;
  }
  context.set('Content-Encoding', 'gzip');
  context.body = await compressed(page);
}
