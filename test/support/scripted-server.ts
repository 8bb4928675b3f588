import type { IncomingMessage } from 'node:http';
import { serve } from './served.ts';

export type ScriptedAnswer = {
  status?: number;
  type?: string;
  headers?: Record<string, string>;
  /** text as it is, anything else as JSON */
  body?: unknown;
  /** it is answered when this has ended */
  waits?: Promise<unknown>;
  /** the connection ends after the request was read: nothing at all, or half of the body */
  breaks?: 'before' | 'within';
};
export type Asked = { method: string; path: string; headers: IncomingMessage['headers']; body: string };

/** A server that answers what the test says and keeps what it was asked. */
export async function openScriptedServer(
  answerOf: (asked: Asked) => ScriptedAnswer | Promise<ScriptedAnswer>,
) {
  const asked: Asked[] = [];
  const server = await serve(async (incoming, outgoing, read) => {
    const { method = '', url: path = '' } = incoming;
    const one = { method, path, headers: incoming.headers, body: read.toString() };
    asked.push(one);
    const {
      status = 200,
      type = 'text/plain',
      headers,
      body: said = '',
      breaks,
      waits,
    } = await answerOf(one);
    await waits;
    if (breaks === 'before') return incoming.socket.destroy();
    const body = typeof said === 'string' ? said : JSON.stringify(said);
    const length = Buffer.byteLength(body);
    outgoing.writeHead(status, { 'content-type': type, 'content-length': length, ...headers });
    if (breaks !== 'within') return outgoing.end(body);
    outgoing.write(body.slice(0, body.length / 2), () => incoming.socket.destroy());
  });
  return { ...server, asked };
}
