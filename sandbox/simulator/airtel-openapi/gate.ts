import {
  constants,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  privateDecrypt,
} from 'node:crypto';
import type { Context, Next } from 'koa';
import { parseJson, readBody } from '../core/body.ts';
import { decryptPkcs1 } from '../core/pkcs1.ts';
import { createTokens } from '../core/tokens.ts';
import { envelope } from './messages.ts';
import { KEY_HEADER, SIGNATURE_HEADER } from './wire.ts';

const TOKEN_LIFE_MS = 180_000;
const KEY_BITS = 1024;

export type GateOptions = {
  /** required for every token if set; otherwise every caller gets one */
  clientId?: string | undefined;
  clientSecret?: string | undefined;
  /** the portal writes the seconds as text, older hosts as a number */
  expiresIn?: 'text' | 'number';
  currency?: string;
  /** PEM; default: a new pair */
  privateKey?: string;
};

export function createGate(options: GateOptions) {
  const { currency = 'TZS' } = options;
  const tokens = createTokens(TOKEN_LIFE_MS);
  const privateKey = options.privateKey
    ? createPrivateKey(options.privateKey)
    : generateKeyPairSync('rsa', { modulusLength: KEY_BITS }).privateKey;
  const publicKey = createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).toString('base64');

  async function issue(context: Context): Promise<void> {
    const given = await readCredentials(context);
    const isKnown =
      (!options.clientId || given.client_id === options.clientId) &&
      (!options.clientSecret || given.client_secret === options.clientSecret);
    if (given.grant_type !== 'client_credentials' || !isKnown)
      return answer(context, 401, {
        error: 'invalid_client',
        error_description: 'Invalid client credentials',
      });
    const seconds = TOKEN_LIFE_MS / 1000;
    const expiresIn = options.expiresIn === 'number' ? seconds : String(seconds);
    answer(context, 200, { access_token: tokens.give(), expires_in: expiresIn, token_type: 'bearer' });
  }

  /** Checks token, country and currency in the real gate's order. */
  async function guard(context: Context, next: Next): Promise<void> {
    const token = /^Bearer (.+)$/i.exec(context.get('Authorization'))?.[1];
    if (!tokens.isGood(token))
      return answer(context, 401, {
        error: 'invalid_token',
        error_description: 'The access token is invalid',
      });
    if (context.get('X-Country') !== 'TZ') return router(context, 'ROUTER006', 'Invalid Country');
    if (context.get('X-Currency') !== currency) return router(context, 'ROUTER112', 'Invalid Currency');
    await next();
  }

  /** Returns true if the two headers, decrypted, match the body. */
  function isSigned(context: Context, body: Buffer): boolean {
    const keyAndIv = decryptPkcs1(privateKey, context.get(KEY_HEADER)) ?? '';
    const [key, iv] = keyAndIv.split(':').map((part) => Buffer.from(part, 'base64'));
    if (key?.length !== 32 || iv?.length !== 16) return false;
    try {
      const decipher = createDecipheriv('aes-256-cbc', key, iv);
      const sent = Buffer.from(context.get(SIGNATURE_HEADER), 'base64');
      return Buffer.concat([decipher.update(sent), decipher.final()]).equals(body);
    } catch {
      return false;
    }
  }

  return {
    issue,
    guard,
    isSigned,
    showKey(context: Context): void {
      const data = { key_id: 100, key: publicKey, valid_upto: '12-08-2030 21:29:26' };
      answer(context, 200, { data, ...envelope('DP02010001001', 'Success', 200) });
    },
    decryptPin: (pin: string, mode: 'pkcs1' | 'oaep') =>
      mode === 'oaep' ? decryptOaep(privateKey, pin) : decryptPkcs1(privateKey, pin),
  };
}

export function answer(context: Context, status: number, body: unknown): void {
  context.status = status;
  context.body = body;
}

/** Airtel's router, before the application, answers in its own form. */
export function router(context: Context, code: string, message: string): void {
  answer(context, 400, { status_code: code, status_message: message });
}

/** According to integrations, JSON, a form, and Basic with a form all work. */
async function readCredentials(context: Context): Promise<Record<string, string>> {
  const body = await readBody(context);
  const basic = /^Basic (.+)$/i.exec(context.get('Authorization'))?.[1];
  const [clientId, clientSecret] = Buffer.from(basic ?? '', 'base64')
    .toString('utf8')
    .split(':');
  const fromBasic = basic ? { client_id: clientId ?? '', client_secret: clientSecret ?? '' } : {};
  const isForm = context.get('Content-Type').startsWith('application/x-www-form-urlencoded');
  const form = isForm ? Object.fromEntries(new URLSearchParams(body.toString('utf8'))) : parseJson(body);
  return { ...fromBasic, ...(form as Record<string, string> | undefined) };
}

function decryptOaep(key: KeyObject, text: string): string | null {
  try {
    const padding = constants.RSA_PKCS1_OAEP_PADDING;
    return privateDecrypt({ key, padding, oaepHash: 'sha256' }, Buffer.from(text, 'base64')).toString('utf8');
  } catch {
    return null;
  }
}
