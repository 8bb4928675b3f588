import { createServer, type Server } from 'node:net';

/** A port nobody uses at this moment on the loopback address. */
export async function freePort(): Promise<number> {
  const server = await listen(0);
  const address = server.address();
  await close(server);
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}

/** The port itself when it is free, a free one for 0. Throws one sentence when it is taken. */
export async function claimPort(wanted: { port: number; variable: string; use: string }): Promise<number> {
  if (wanted.port === 0) return freePort();
  try {
    await close(await listen(wanted.port));
    return wanted.port;
  } catch {
    throw new Error(
      `Port ${wanted.port}, meant for ${wanted.use}, is taken: stop what uses it, or set ${wanted.variable} to another port (0 picks a free one).`,
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
