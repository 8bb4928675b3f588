import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { refusalOf } from '../../base/local-requests.ts';
import { answerMalformed, lacksHost, refuse } from './malformed.ts';

/** Limits of a request's headers and of the whole request, from its first byte or the connection's start. */
const HEADERS_TIMEOUT_MS = 8_000;
const REQUEST_TIMEOUT_MS = 15_000;
/** Node checks for late requests this often, so they may exceed the limits above by this much. */
const CHECK_EVERY_MS = 1_000;
/** A connection is idle if nothing moves in either direction. The limit exceeds the slowest answer. */
const SILENCE_MS = 30_000;
/** Usual load balancers close idle connections sooner, so we never close first. */
const KEEP_ALIVE_MS = 65_000;
const HEADER_BYTES_MAX = 16 * 1024;
/** Further connections are closed at once, so that a flood does not fill the memory. */
const CONNECTIONS_MAX = 10_000;
/** The most bodies arriving at once, over all connections. */
const ARRIVING_MAX = 1_000;
/** The most unanswered requests on one connection. Known clients send one. */
const PIPELINED_MAX = 32;
const STATUS_OF = { host: 421, site: 403 } as const;

/**
 * Listens, with a limit on every size, wait and number. Rejects if the address is taken. `hosts`: accepts
 * only these names and no page of another site (base/local-requests.ts). `docsOrigin`: errors link to pages
 * below it.
 */
export function listen(
  handler: RequestListener,
  {
    hosts,
    docsOrigin,
    ...address
  }: { port: number; host: string; hosts?: readonly string[] | undefined; docsOrigin?: string },
): Promise<{ port: number; close(patienceMs: number): Promise<void> }> {
  const server = createServer(
    {
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: CHECK_EVERY_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      maxHeaderSize: HEADER_BYTES_MAX,
      requireHostHeader: false,
    },
    inTurn(
      boundBodies((request, response) => {
        if (lacksHost(request)) return refuse(response, 400, docsOrigin);
        const refusal = hosts && refusalOf(request, hosts);
        return refusal ? refuse(response, STATUS_OF[refusal], docsOrigin) : handler(request, response);
      }),
    ),
  );
  answerMalformed(server, docsOrigin);
  let closing = false;
  const answering = new Set<ServerResponse>();
  server.on('request', (_request, response: ServerResponse) => {
    answering.add(response);
    response.once('close', () => answering.delete(response));
    if (closing) response.shouldKeepAlive = false;
  });
  server.timeout = SILENCE_MS;
  server.maxConnections = CONNECTIONS_MAX;
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(address, () => {
      const bound = server.address();
      const port = typeof bound === 'object' && bound !== null ? bound.port : address.port;
      resolve({
        port,
        close(patienceMs) {
          closing = true;
          // A kept-alive connection would stay open after its answer; the header tells the caller.
          for (const response of answering) response.shouldKeepAlive = false;
          return close(server, patienceMs);
        },
      });
    });
  });
}

/** Handles a connection's next request only after the last answer was read, so one answer waits at most. */
function inTurn(handler: RequestListener): RequestListener {
  const queues = new WeakMap<Socket, { last: Promise<void>; length: number }>();
  return (request, response) => {
    const { socket } = request;
    const queue = queues.get(socket) ?? { last: Promise.resolve(), length: 0 };
    queues.set(socket, queue);
    if (queue.length >= PIPELINED_MAX) return void socket.destroy();
    const isFirst = queue.length === 0;
    const before = queue.last;
    queue.length += 1;
    queue.last = new Promise((taken) => {
      response.once('close', () => {
        queue.length -= 1;
        taken();
      });
    });
    if (isFirst) return handler(request, response);
    void before.then(() => socket.destroyed || handler(request, response));
  };
}

/** Bodies use memory before authentication: if too many arrive at once, the oldest is dropped. */
function boundBodies(handler: RequestListener): RequestListener {
  const arriving = new Set<IncomingMessage>();
  return (request, response) => {
    const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers;
    if (encoding !== undefined || Number(length) > 0) {
      arriving.add(request);
      for (const end of ['end', 'close']) request.once(end, () => arriving.delete(request));
      const [oldest] = arriving;
      if (arriving.size > ARRIVING_MAX) oldest?.destroy();
    }
    handler(request, response);
  };
}

function close(server: Server, patienceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const giveUp = setTimeout(() => server.closeAllConnections(), patienceMs);
    server.close(() => {
      clearTimeout(giveUp);
      resolve();
    });
    server.closeIdleConnections();
  });
}
