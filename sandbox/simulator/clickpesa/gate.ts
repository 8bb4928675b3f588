import { randomUUID } from 'node:crypto';
import type { Context, Next } from 'koa';
import { readJson } from '../core/body.ts';
import { checkSum } from './wire.ts';

export type ClickpesaGateOptions = {
  /** without them every client is accepted */
  clientId?: string | undefined;
  apiKey?: string | undefined;
  /** without it neither requests nor notifications have checksums */
  checksumKey?: string | undefined;
};

export function createClickpesaGate({ clientId, apiKey, checksumKey }: ClickpesaGateOptions) {
  const tokens = new Set<string>();
  return {
    async giveToken(context: Context): Promise<void> {
      const isKnown =
        context.get('client-id') === (clientId ?? context.get('client-id')) &&
        context.get('api-key') === (apiKey ?? context.get('api-key'));
      if (!isKnown) return refuse(context, 401, 'Invalid client details');
      const token = `Bearer ${randomUUID()}`;
      tokens.add(token);
      context.body = { success: true, token };
    },

    async guard(context: Context, next: Next): Promise<void> {
      if (!tokens.has(context.get('authorization'))) return refuse(context, 401, 'Unauthorized');
      if (context.method === 'POST') {
        const body = await readJson(context);
        if (typeof body !== 'object' || body === null) return refuse(context, 400, 'Invalid payload');
        if (checksumKey !== undefined && Object(body).checksum !== checkSum(body, checksumKey))
          return refuse(context, 400, 'Invalid checksum');
        context.state.fields = body;
      }
      await next();
    },
  };
}

export function refuse(context: Context, statusCode: number, message: string): void {
  context.status = statusCode;
  context.body = { statusCode, message };
}
