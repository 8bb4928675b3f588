import type { Context } from 'koa';

const BODY_BYTES_MAX = 256 * 1024;

/** Returns a request's raw bytes. Throws a Koa 413 if there are too many. */
export async function readBody(context: Context): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of context.req) {
    size += (chunk as Buffer).length;
    if (size > BODY_BYTES_MAX) context.throw(413, 'body too large');
    chunks.push(chunk as Buffer);
  }
  const body = Buffer.concat(chunks);
  // The wire log reads it.
  context.state.sent = body;
  return body;
}

/** Returns undefined if the body is no JSON. */
export async function readJson(context: Context): Promise<unknown> {
  return parseJson(await readBody(context));
}

/** A page of another origin cannot send JSON without a preflight, which the simulator never allows. */
export async function readSameOriginJson(context: Context): Promise<unknown> {
  if (!context.is('application/json')) return context.throw(415, 'application/json, please');
  return readJson(context);
}

/** Returns undefined if it is no JSON. */
export function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Ends the connection without an answer, as when a network breaks. */
export function breakConnection(context: Context): void {
  context.respond = false;
  context.req.socket.destroy();
}
