import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:net';

/** Higher ports are for outgoing connections, which could take one before its server does. */
const FREE_PORTS = { from: 10_000, to: 32_000 };
const FREE_PORT_TRIES_MAX = 50;

export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < FREE_PORT_TRIES_MAX; attempt += 1) {
    const port = randomInt(FREE_PORTS.from, FREE_PORTS.to);
    const server = await listen(port).catch(() => null);
    if (server === null) continue;
    await close(server);
    return port;
  }
  throw new Error(`There is no free port between ${FREE_PORTS.from} and ${FREE_PORTS.to}.`);
}

/** Returns the port if it is free, and a free one for 0. Throws one sentence if it is taken. */
export async function claimPort(wanted: { port: number; variable: string; use: string }): Promise<number> {
  if (wanted.port === 0) return freePort();
  try {
    await close(await listen(wanted.port));
    return wanted.port;
  } catch {
    throw new Error(
      `Port ${wanted.port}, meant for ${wanted.use}, is taken: ` +
        `stop what uses it, or set ${wanted.variable} to another port (0 picks a free one).`,
    );
  }
}

function listen(port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ port, host: '127.0.0.1' }, () => resolve(server));
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
