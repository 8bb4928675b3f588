import type { IncomingMessage } from 'node:http';
import { serve } from './served.ts';

export type ScriptedAnswer = {
  status?: number;
  type?: string;
  headers?: Record<string, string>;
  body?: string;
  /** the connection ends after the request was read: nothing at all, or half of the body */
  breaks?: 'before' | 'within';
};
type Asked = { path: string; headers: IncomingMessage['headers']; body: string };

/** A server that answers what the test says and keeps what it was asked. */
export async function openScriptedServer(
  answerOf: (asked: Asked) => ScriptedAnswer | Promise<ScriptedAnswer>,
) {
  const asked: Asked[] = [];
  const server = await serve(async (incoming, outgoing, read) => {
    const one = {
      path: incoming.url ?? '',
      headers: incoming.headers,
      body: read.toString(),
    };
    asked.push(one);
    const { status = 200, type = 'text/plain', headers, body = '', breaks } = await answerOf(one);
    if (breaks === 'before') return incoming.socket.destroy();
    outgoing.writeHead(status, {
      'content-type': type,
      'content-length': Buffer.byteLength(body),
      ...headers,
    });
    if (breaks !== 'within') return outgoing.end(body);
    outgoing.write(body.slice(0, body.length / 2), () => incoming.socket.destroy());
  });
  return {
    ...server,
    asked,
  };
}
