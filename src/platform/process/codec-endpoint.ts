import { createHash, timingSafeEqual } from 'node:crypto';
import type { Payload, PayloadCodec } from '@temporalio/common';
import type { Context } from 'koa';
import { z } from 'zod';
import { GatewayError, httpStatusOf } from '../../domain/errors.ts';
import { readBody } from './read-body.ts';

/** One page of a history fits with room to spare: the UI sends all payloads that it shows at once. */
const BYTES_MAX = 16 * 1024 * 1024;

export type CodecEndpoint = {
  codec: Pick<PayloadCodec, 'decode'>;
  /** origins of web pages that may ask */
  origins: readonly string[];
  /** null: everybody who reaches the port may ask (development) */
  token: string | null;
};

const base64 = z.base64();
const requestSchema = z.object({
  payloads: z.array(z.object({ metadata: z.record(z.string(), base64).optional(), data: base64.optional() })),
});

/**
 * Speaks Temporal's remote codec protocol for its web UI and command line, decoding only: `POST
 * /codec/decode` with `{payloads: […]}`, bytes in base64. It never encrypts: workflows trust that our
 * processes wrote their payloads. The token is a bearer, or in the path (`/codec/<token>/decode`). Returns
 * false for any other path.
 */
export async function serveCodec(context: Context, endpoint: CodecEndpoint): Promise<boolean> {
  const match = /^\/codec(?:\/([\w-]+))?\/decode$/.exec(context.path);
  if (!match) return false;
  const origin = context.get('Origin');
  if (origin !== '') {
    if (!endpoint.origins.includes(origin)) return refuse(context, 403, 'This page may not ask');
    context.set({ 'Access-Control-Allow-Origin': origin, Vary: 'Origin' });
  }
  if (context.method === 'OPTIONS') return allow(context);
  if (context.method !== 'POST') return refuse(context, 405, 'Use POST');
  const given = match[1] ?? /^Bearer (\S+)$/i.exec(context.get('Authorization'))?.[1] ?? '';
  if (endpoint.token !== null && !isSame(given, endpoint.token))
    return refuse(context, 401, 'Send the token of the codec');
  try {
    const payloads = await readPayloads(context);
    const answer = await endpoint.codec.decode(payloads);
    context.body = { payloads: answer.map(toJson) };
    return true;
  } catch (error) {
    const status = error instanceof GatewayError ? httpStatusOf[error.code] : 400;
    return refuse(context, status, error instanceof z.ZodError ? 'These are no payloads' : messageOf(error));
  }
}

function allow(context: Context): true {
  context.set({
    'Access-Control-Allow-Methods': 'POST',
    'Access-Control-Allow-Headers': 'Authorization, Content-Type, X-Namespace',
    'Access-Control-Max-Age': '600',
  });
  context.status = 204;
  return true;
}

function refuse(context: Context, status: number, message: string): true {
  context.status = status;
  context.body = { message };
  return true;
}

function isSame(given: string, wanted: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(wanted));
}

async function readPayloads(context: Context): Promise<Payload[]> {
  const bytes = await readBody(context.req, BYTES_MAX);
  const { payloads } = requestSchema.parse(parseJson(bytes.toString('utf8')));
  return payloads.map(({ metadata = {}, data = '' }) => ({
    metadata: Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name, fromBase64(value)])),
    data: fromBase64(data),
  }));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new GatewayError('invalid_json', 'The body is not JSON');
  }
}

function toJson(payload: Payload) {
  const metadata = Object.entries(payload.metadata ?? {});
  return {
    metadata: Object.fromEntries(metadata.map(([name, value]) => [name, toBase64(value)])),
    ...(payload.data ? { data: toBase64(payload.data) } : {}),
  };
}

const fromBase64 = (text: string) => new Uint8Array(Buffer.from(text, 'base64'));
const toBase64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'The payloads cannot be read';
}
