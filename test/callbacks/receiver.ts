import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Received = { method: string; path: string; headers: IncomingHttpHeaders; body: string };
export type Reaction = (response: ServerResponse, received: Received) => void;

export type Receiver = {
  url: string;
  received: Received[];
  /** what the next requests get; 200 by default */
  react(reaction: Reaction): void;
  close(): Promise<void>;
};

/** A merchant's server on loopback, that keeps what it got, byte for byte. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  let reaction: Reaction = (response) => response.end();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const one = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString('utf8'),
      };
      received.push(one);
      reaction(response, one);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callbacks`,
    received,
    react(next) {
      reaction = next;
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** A reaction with this status and these headers. */
export function answering(status: number, headers: Record<string, string> = {}): Reaction {
  return (response) => response.writeHead(status, headers).end('noted');
}
