import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { serve } from '../support/served.ts';

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
  const server = await serve((request, response, body) => {
    const one = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      body: body.toString(),
    };
    received.push(one);
    reaction(response, one);
  });
  return {
    url: `${server.url}/callbacks`,
    received,
    react(next) {
      reaction = next;
    },
    close: server.close,
  };
}

/** A reaction with this status and these headers. */
export function answering(status: number, headers: Record<string, string> = {}): Reaction {
  return (response) => response.writeHead(status, headers).end('noted');
}
