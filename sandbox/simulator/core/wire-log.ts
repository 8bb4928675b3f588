import type { Context, Middleware } from 'koa';
import { request } from 'undici';

/** One request and its answer as on the wire, without secrets. */
export type Exchange = {
  id: number;
  at: string;
  from: 'network' | 'gateway';
  /** `POST /transactions/type/merchantpay` */
  line: string;
  request: string;
  /** both null without an answer */
  status: number | null;
  answer: string | null;
};

/** A network asks the service. Rejects if it is unreachable, or when `signal` aborts. */
export type Ask = (url: string, asked: Asked) => Promise<Answered>;
export type Answered = { status: number; bytes: Buffer };
export type Asked = {
  method: 'GET' | 'PUT' | 'POST';
  headers: Record<string, string>;
  body?: string;
  signal: AbortSignal;
};

export const askService: Ask = async (url, asked) => {
  const answer = await request(url, asked);
  return { status: answer.statusCode, bytes: Buffer.from(await answer.body.arrayBuffer()) };
};

const KEPT_MAX = 500;
const SHOWN_MAX = 40;
const TEXT_CHARACTERS_MAX = 8_000;

/** Calls of these pages, which no network makes. */
const OWN_PATHS = /^\/($|(customer|phone|merchant|page|receiver|truth|livez)(\/|$))/;
const DULL_HEADERS = /^(host|connection|content-length|user-agent|accept.*|transfer-encoding|keep-alive)$/;

export function createWireLog() {
  const kept: Exchange[] = [];
  let count = 0;

  function begin(from: Exchange['from'], line: string, request: string): Exchange {
    count += 1;
    const at = new Date().toISOString();
    const exchange: Exchange = { id: count, at, from, line: hide(line), request, status: null, answer: null };
    kept.push(exchange);
    if (kept.length > KEPT_MAX) kept.shift();
    return exchange;
  }

  const listen: Middleware = async (context, next) => {
    if (OWN_PATHS.test(context.path)) return next();
    const exchange = begin('gateway', `${context.method} ${context.url}`, '');
    let thrown: { status?: number } | undefined;
    try {
      await next();
    } catch (error) {
      thrown = error as { status?: number };
      throw error;
    } finally {
      exchange.request = textOf(context.headers, (context.state.sent as Buffer | undefined) ?? '');
      if (context.respond !== false) {
        exchange.status = thrown ? (thrown.status ?? 500) : context.status;
        exchange.answer = textOf(context.response.headers, bodyOf(context));
      }
    }
  };

  const ask: Ask = async (url, asked) => {
    const { pathname, search } = new URL(url);
    const exchange = begin(
      'network',
      `${asked.method} ${pathname}${search}`,
      textOf(asked.headers, asked.body ?? ''),
    );
    const answer = await askService(url, asked);
    exchange.status = answer.status;
    exchange.answer = textOf({}, answer.bytes);
    return answer;
  };

  /** The latest exchanges that contain one of these words, newest first. */
  function about(words: string[]): Exchange[] {
    const names = ({ line, request, answer }: Exchange) =>
      words.some((word) => [line, request, answer].some((text) => text?.includes(word)));
    return kept.filter(names).slice(-SHOWN_MAX).reverse();
  }

  return { listen, ask, about };
}
export type WireLog = ReturnType<typeof createWireLog>;

function bodyOf({ body }: Context): Buffer | string {
  if (typeof body === 'string' || Buffer.isBuffer(body)) return body;
  return body === undefined || body === null ? '' : JSON.stringify(body);
}

function textOf(headers: Record<string, unknown>, body: Buffer | string): string {
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    DULL_HEADERS.test(name) ? [] : [`${name}: ${SECRET_NAME.test(name) ? '…' : value}`],
  );
  return hide([...lines, '', body.toString()].join('\n').trim()).slice(0, TEXT_CHARACTERS_MAX);
}

const SECRET_NAME = /(authorization|api-?key|credential|bearer|pin|password|secret|token|session_?id)$/i;
const SECRET_FIELD =
  /((?:pin|password|secret|token|session_?id|api_?key)"?\s*(?:[:=>])\s*"?)([^"<>&\s,}]+)/gi;
/** Anyone with the token of such an address can notify: `/channels/gsma/<transaction>/<token>`. */
const TOKEN_OF_ADDRESS = /(\/channels\/[\w-]+\/[0-9a-f-]{36}\/)[\w-]+/g;

/** Hides demo secrets too. */
function hide(text: string): string {
  return text.replace(TOKEN_OF_ADDRESS, '$1…').replace(SECRET_FIELD, '$1…');
}
