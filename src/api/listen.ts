import type { RequestListener, Server } from 'node:http';
import { createServer } from 'node:http';

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
/** Longer than the idle time-out of usual load balancers, so that we are never the one who closes first. */
const KEEP_ALIVE_MS = 65_000;

/** Listens, with a limit on every wait. Rejects when the address is taken. */
export function listen(
  handler: RequestListener,
  address: { port: number; host: string },
): Promise<{ port: number; close(patienceMs: number): Promise<void> }> {
  const server = createServer(handler);
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(address, () => {
      const bound = server.address();
      const port = typeof bound === 'object' && bound !== null ? bound.port : address.port;
      resolve({ port, close: (patienceMs) => close(server, patienceMs) });
    });
  });
}

/** Lets requests in flight be answered, at most for `patienceMs`. */
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
