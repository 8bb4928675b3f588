import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export type Served = { url: string; close(): Promise<void> };

/** A server on a free port, which reads a request whole before it answers. */
export async function serve(
  answer: (request: IncomingMessage, response: ServerResponse, body: Buffer) => unknown,
): Promise<Served> {
  const server = createServer(async (request, response) => {
    await answer(request, response, await buffer(request));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
