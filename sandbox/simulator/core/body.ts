import type { Context } from 'koa';

/** Bodies of every endpoint of the simulator end here. */
const BODY_BYTES_MAX = 256 * 1024;

/** The raw bytes of a request. Throws a Koa 413 when there are too many. */
export async function readBody(context: Context): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of context.req) {
    size += (chunk as Buffer).length;
    if (size > BODY_BYTES_MAX) context.throw(413, 'body too large');
    chunks.push(chunk as Buffer);
  }
  const body = Buffer.concat(chunks);
  // For the log of what was on the wire.
  context.state.sent = body;
  return body;
}

/** Returns undefined if the body is no JSON. */
export async function readJson(context: Context): Promise<unknown> {
  return parseJson(await readBody(context));
}

/** A page of another origin cannot send JSON without a preflight, and the simulator never allows it. */
export async function readSameOriginJson(context: Context): Promise<unknown> {
  if (!context.is('application/json')) return context.throw(415, 'application/json, please');
  return readJson(context);
}

/** Undefined when it is no JSON. */
export function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** The connection ends without an answer, as when a network breaks. */
export function breakConnection(context: Context): void {
  context.respond = false;
  context.req.socket.destroy();
}
