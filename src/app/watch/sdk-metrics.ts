import { createServer } from 'node:net';

const ASK_TIMEOUT_MS = 2_000;

/** The Temporal SDK serves its metrics on loopback. Ours append its text. */
export async function openSdkMetrics(): Promise<{ address: string; text: () => Promise<string> }> {
  const address = `127.0.0.1:${await freePort()}`;
  return {
    address,
    text: () =>
      fetch(`http://${address}/metrics`, { signal: AbortSignal.timeout(ASK_TIMEOUT_MS) })
        .then((answer) => answer.text())
        .catch(() => ''),
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ port: 0, host: '127.0.0.1' }, () => {
      const bound = server.address();
      const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
      server.close(() => resolve(port));
    });
  });
}
