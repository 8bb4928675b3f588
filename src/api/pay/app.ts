import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type Koa from 'koa';
import type { Middleware } from 'koa';
import type { KeyRing } from '../../base/key-ring.ts';
import { GatewayError, httpStatusOf } from '../../domain/errors.ts';
import { inLanguage, type Language } from '../../domain/language.ts';
import { say } from '../../domain/messages.ts';
import type { Minor } from '../../domain/money.ts';
import { buildTanqr } from '../../domain/tanqr.ts';
import type { Database } from '../../platform/db/pool.ts';
import { appOf, type RequestContext } from '../../platform/http/app.ts';
import type { ClientAddress } from '../../platform/http/client-address.ts';
import {
  envelope,
  type RequestState,
  setStatus,
  toGatewayError,
  unavailable,
} from '../../platform/http/envelope.ts';
import { html } from '../../platform/http/html.ts';
import type { RateLimits } from '../../platform/http/rate-limits.ts';
import type { Log } from '../../platform/process/log.ts';
import type { Metrics } from '../../platform/process/metrics.ts';
import { readBody } from '../../platform/process/read-body.ts';
import { drawQr } from '../../transactions/acceptance/qr-image.ts';
import { findReceiptPage } from '../../transactions/odd-money/receipt-page.ts';
import { idsOfToken, pageTokenOf, receiptsOfToken } from '../../transactions/rows/page-token.ts';
import { findLink, findPage, isLinkCode, isPage, type Payable } from '../../transactions/rows/payable.ts';
import { askPrompt, type Typed } from './ask-prompt.ts';
import { billOfLink, type LinkDeps } from './bill-of-link.ts';
import { createKnownPages, createPlaces, type KnownPages } from './known-pages.ts';
import { amountToPay, lookAgainSeconds, pageOf, payPage, type RunBy, type Shown } from './page.ts';
import { receiptPage } from './receipt.ts';
import { securityHeaders } from './style.ts';

export type PayOptions = LinkDeps & {
  database: Database;
  tokenKeys: KeyRing;
  /**
   * counts unknown pages per caller, and forms per caller and page, because a form uses up the merchant's
   * share of new flows
   */
  limits: Pick<RateLimits, 'countFailure' | 'isLimited'>;
  addressOf: ClientAddress;
  by: RunBy;
  log: Log;
  metrics: Metrics;
  /** how long a page's state is reused */
  stateMs?: number;
};

type Pages = PayOptions & {
  known: KnownPages;
  /** queues for callers who guess too much, and for readers of receipts, which are never cached */
  inLine: ReturnType<typeof createPlaces>;
  forReceipts: ReturnType<typeof createPlaces>;
};

const STATE_MS = 1_000;
/** Callers who asked for too many unknown pages share these places. */
const PLACES = { atOnce: 2, lineMax: 100 };
const FORM_BYTES_MAX = 4 * 1024;

/** Metrics name each route by its key here. */
export const payPaths = { pay: '/pay/{token}', link: '/l/{code}', receipt: '/r/{token}' } as const;

/** Customers pay on these pages, which have their own listener: no cookies, keys or scripts. */
export function createPayApp(options: PayOptions): Koa {
  const { atOnce, lineMax } = PLACES;
  const pages: Pages = {
    ...options,
    known: createKnownPages(options.stateMs ?? STATE_MS),
    inLine: createPlaces(atOnce, lineMax),
    forReceipts: createPlaces(atOnce, lineMax),
  };
  return appOf({
    served: [
      ...(['pay', 'link'] as const).flatMap((name) => {
        const path = payPaths[name];
        return [
          { name: `${name}.page`, method: 'GET', path, handle: (of: RequestContext) => showPage(of, pages) },
          { name: `${name}.ask`, method: 'POST', path, handle: (of: RequestContext) => ask(of, pages) },
        ];
      }),
      { name: 'receipt', method: 'GET', path: payPaths.receipt, handle: (of) => showReceipt(of, pages) },
    ],
    layers: [envelope(options), asPages(options)],
    seeAlso: '/pay',
  });
}

/** Shows refusals as pages, in Swahili by default. Unknown pages count against the caller's address. */
const asPages =
  ({ limits, addressOf }: PayOptions): Middleware<RequestState> =>
  async (context, next) => {
    context.set(securityHeaders);
    const language: Language = context.query.lang === 'en' ? 'en' : 'sw';
    context.state.language = language;
    try {
      await next();
    } catch (error) {
      let problem = toGatewayError(error, context.state.log);
      if (problem.code === 'not_found')
        await limits.countFailure(addressOf(context.req)).catch((limited) => {
          problem = toGatewayError(limited, context.state.log);
        });
      context.state.code = problem.code;
      setStatus(context, httpStatusOf[problem.code]);
      context.set(problem.detail.headers ?? {});
      const isReceipt = context.path.startsWith('/r/');
      const notFound = say(isReceipt ? 'receipt_not_found' : 'page_not_found');
      const said = inLanguage(problem.code === 'not_found' ? notFound : say('page_error'), language);
      if (problem.code === 'rate_limited') {
        // A caller who guesses gets plain text.
        context.body = `${said}.`;
        return;
      }
      const body = html`<h1>${said}.</h1>`;
      await send(context, pageOf({ title: said, language, here: context.path, body }));
    }
  };

async function showPage(context: RequestContext, options: Pages): Promise<void> {
  const shown = await find(context, options);
  const seconds = lookAgainSeconds(shown);
  if (seconds !== null) context.set('Refresh', String(seconds));
  await send(context, payPage(shown));
}

/** Reads the receipt each time, so that erased data disappears at once. */
async function showReceipt(context: RequestContext, options: Pages): Promise<void> {
  const { database, tokenKeys, limits, addressOf, inLine, forReceipts } = options;
  const names = receiptsOfToken(tokenKeys, context.params.token ?? '');
  if (names.length === 0) throw notThere();
  const read = async () => {
    for (const name of names) {
      const receipt = await findReceiptPage(database, name);
      if (receipt) return receipt;
    }
    return 'none';
  };
  const receipt = await (limits.isLimited(addressOf(context.req)) ? inLine(read) : forReceipts(read));
  if (receipt === null) throw unavailable();
  if (receipt === 'none') throw notThere();
  const { language } = context.state;
  await send(context, receiptPage({ receipt, language, here: context.path, by: options.by }));
}

/** Redirects the browser to the prompt's page, so that a reload sends nothing twice. */
async function ask(context: RequestContext, options: Pages): Promise<void> {
  const shown = await find(context, options);
  const typed = await readTyped(context);
  await options.limits.countFailure(`form ${shown.payable.id} ${options.addressOf(context.req)}`);
  const { language, requestId, log } = context.state;
  const toAsk = { payable: shown.payable, typed, language, requestId, log };
  const bill = shown.payable.kind === 'link' ? await billOfLink(options, toAsk) : shown.payable;
  const asked = 'why' in bill ? bill : await askPrompt(options, { ...toAsk, payable: bill });
  options.known.changed(nameOf(context));
  if ('promptId' in asked) {
    context.status = 303;
    context.set('Location', `/pay/${pageTokenOf(options.tokenKeys, asked.promptId)}?lang=${language}`);
    context.body = '';
    return;
  }
  const refused = { why: asked.why, phone: typed.phone, amount: typed.amount };
  context.status = 409;
  // Show a link's bill, whose control number still works when no more prompts are sent.
  const page = 'why' in bill || bill === shown.payable ? shown : await shownOf(context, bill, options);
  await send(context, payPage({ ...page, prompt: null, refused }));
}

async function readTyped({ req }: RequestContext): Promise<Typed> {
  const form = new URLSearchParams((await readBody(req, FORM_BYTES_MAX)).toString('utf8'));
  const field = (name: string) => (form.get(name) ?? '').trim().slice(0, 40);
  return { phone: field('phone'), network: field('network'), amount: field('amount'), once: field('once') };
}

const nameOf = ({ params: { token, code } }: RequestContext) => token ?? `l/${code?.toLowerCase()}`;

/**
 * Throws `not_found`. Invalid tokens cost no read. A caller who guesses too often waits for a place before a
 * read.
 */
async function find(context: RequestContext, options: Pages): Promise<Shown> {
  const { database, tokenKeys, limits, addressOf, known, inLine } = options;
  const { token = '', code } = context.params;
  const ids = code === undefined ? idsOfToken(tokenKeys, token) : [];
  if (code === undefined ? ids.length === 0 : !isLinkCode(code)) throw notThere();
  const read = async () => (code === undefined ? findPage(database, ids) : pageOfLink(database, code));
  const name = nameOf(context);
  const isGuessed = !known.has(name) && limits.isLimited(addressOf(context.req));
  const readInLine = () => inLine(async () => ((await isPage(database, { ids, code })) ? read() : null));
  const found = await (isGuessed ? readInLine() : known.find(name, read));
  if (!found) throw notThere();
  const { payable, prompt } = found;
  return { ...(await shownOf(context, payable, options)), prompt };
}

const notThere = () => new GatewayError('not_found', say('page_not_found'));

async function shownOf(context: RequestContext, payable: Payable, options: Pages): Promise<Shown> {
  return {
    payable,
    prompt: null,
    code: await codeOf(payable, options),
    path: pathOf(payable, options.tokenKeys),
    here: context.path,
    by: options.by,
    language: context.state.language,
    now: options.now().getTime(),
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

function codeOf(payable: Payable, { bills, known }: Pages): Promise<string> {
  const { merchantName, controlNumber, kind } = payable;
  const amount = wholeOrNull(amountToPay(payable));
  const content =
    kind === 'link'
      ? (bills.linkUrlOf(controlNumber) ?? '')
      : buildTanqr({ ...bills.payee, amount, merchantName, controlNumber, isStanding: kind === 'number' });
  return known.code(content, () => drawQr(content, 1));
}

/** The QR scheme has no cents and no zero amount. Without an amount the payer types it. */
function wholeOrNull(amount: Minor | null): Minor | null {
  return amount !== null && amount > 0 && amount % 100 === 0 ? amount : null;
}

const compressed = promisify(gzip);

async function send(context: Parameters<Middleware<RequestState>>[0], page: string): Promise<void> {
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
