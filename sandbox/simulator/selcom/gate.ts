import type { Context, Next } from 'koa';
import { readJson } from '../core/body.ts';
import { refusal, reply } from './messages.ts';
import { type Fields, isSigned } from './wire.ts';

export type SelcomGateOptions = {
  /** signs requests; without it every caller is accepted */
  apiKey?: string | undefined;
  apiSecret?: string | undefined;
  /** how far a request's clock may differ */
  clockSkewMs?: number;
};

const CLOCK_SKEW_MS = 300_000;

/**
 * Reads a request's fields and checks signature and clock. Accepts the zone as `+0000` too, as the official
 * Python client writes it.
 */
export function createSelcomGate(options: SelcomGateOptions, now: () => number) {
  const { apiKey, apiSecret, clockSkewMs = CLOCK_SKEW_MS } = options;
  return async (context: Context, next: Next): Promise<void> => {
    const fields =
      context.method === 'POST' ? readFields(await readJson(context)) : readFields(context.query);
    if (fields === null) return reply(context, refusal('412', 'The body is no JSON object', 412));
    if (apiKey !== undefined && apiSecret !== undefined) {
      const headers = context.req.headers as Record<string, string | undefined>;
      if (!isSigned({ apiKey, apiSecret }, headers, fields))
        return reply(context, refusal('401', 'Invalid digest', 401));
      const sentAt = Date.parse((headers.timestamp ?? '').replace(/([+-]\d\d)(\d\d)$/, '$1:$2'));
      if (!(Math.abs(now() - sentAt) <= clockSkewMs))
        return reply(context, refusal('401', 'Timestamp is outside the allowed range', 401));
    }
    context.state.fields = fields;
    await next();
  };
}

export function fieldsOf(context: Context): Fields {
  return context.state.fields as Fields;
}

/** Text and numbers only; null for anything else. */
function readFields(given: unknown): Fields | null {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return null;
  const usable = Object.entries(given).every(
    ([, value]) => typeof value === 'string' || typeof value === 'number',
  );
  return usable ? (given as Fields) : null;
}
