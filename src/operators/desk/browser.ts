import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import { GatewayError, validationFailed } from '../../domain/errors.ts';
import { readBody } from '../../platform/process/read-body.ts';
import { contentSecurityPolicy } from './style.ts';

const FORM_BYTES_MAX = 64 * 1024;

/** What a browser is told with every answer of the desk. */
export const securityHeaders = {
  'Content-Security-Policy': contentSecurityPolicy,
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
} as const;

/** Over TLS no other host and no plain page can set this cookie. */
const cookieName = (isTls: boolean) => (isTls ? '__Host-malipo-desk' : 'malipo-desk');

/** The secret of this browser's session; null where it sent none. */
export function readCookie(request: IncomingMessage, isTls: boolean): string | null {
  const name = `${cookieName(isTls)}=`;
  const cookies = (request.headers.cookie ?? '').split(';').map((one) => one.trim());
  return cookies.find((one) => one.startsWith(name))?.slice(name.length) ?? null;
}

/** Without `secret` the browser forgets it. */
export function setCookie(context: Context, isTls: boolean, secret: string | null): void {
  const parts = [`${cookieName(isTls)}=${secret ?? ''}`, 'Path=/', 'HttpOnly', 'SameSite=Strict'];
  if (secret === null) parts.push('Max-Age=0');
  if (isTls) parts.push('Secure');
  context.set('Set-Cookie', parts.join('; '));
}

/** Only who has the session's secret knows it: another site can send a form, but not this with it. */
export function csrfOf(secret: string): string {
  return createHash('sha256').update(`form of ${secret}`).digest('base64url');
}

/** Throws unless a page of ours sent the form. Browsers say where a form comes from, and scripts cannot change that. */
export function requireOwnForm(request: IncomingMessage): void {
  const { origin, host } = request.headers;
  const site = request.headers['sec-fetch-site'];
  const isOwn = URL.canParse(origin ?? '') && new URL(origin ?? '').host === host;
  if (site === undefined ? isOwn : site === 'same-origin') return;
  throw new GatewayError('forbidden', 'This form was not sent by a page of the desk: nothing was done');
}

/** Whether the page was asked for from elsewhere: a browser then sends no cookie of ours. */
export function isFromElsewhere(request: IncomingMessage): boolean {
  return ['cross-site', 'same-site'].includes(String(request.headers['sec-fetch-site']));
}

export async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  const [media] = (request.headers['content-type'] ?? '').split(';');
  if (media?.trim().toLowerCase() !== 'application/x-www-form-urlencoded')
    throw new GatewayError('unsupported_media_type', 'This is not how a form of the desk is sent');
  const form = new URLSearchParams((await readBody(request, FORM_BYTES_MAX)).toString('utf8'));
  // Browsers send the end of a line as two characters; shown again, the first would be written out.
  const lines = [...form].map(([name, value]): [string, string] => [name, value.replaceAll('\r\n', '\n')]);
  return new URLSearchParams(lines);
}

/** A form that may carry a file, of at most `fileBytesMax`: what was typed, and the file. */
export async function readFormWithFile(
  request: IncomingMessage,
  fileBytesMax: number,
): Promise<{ typed: URLSearchParams; file: Buffer | null }> {
  const type = request.headers['content-type'] ?? '';
  if (!/^multipart\/form-data *;/i.test(type)) return { typed: await readForm(request), file: null };
  const body = await readBody(request, fileBytesMax + FORM_BYTES_MAX);
  refuseManyParts(body, type);
  const sent = await new Response(body, { headers: { 'content-type': type } }).formData().catch(() => {
    throw validationFailed([{ field: 'file', message: 'did not arrive whole: choose it again' }]);
  });
  const typed = new URLSearchParams();
  let file: Buffer | null = null;
  for (const [name, value] of sent)
    if (typeof value === 'string') typed.append(name, value.replaceAll('\r\n', '\n'));
    else file = Buffer.from(await value.arrayBuffer());
  return { typed, file };
}

/** A form of ours has a few fields. A million parts would hold up everybody while they are read. */
const PARTS_MAX = 100;
const ONE_BOUNDARY = /^multipart\/form-data *; *boundary="?([\w'()+,./:=?-]{1,70})"?$/i;

function refuseManyParts(body: Buffer, type: string): void {
  const boundary = ONE_BOUNDARY.exec(type)?.[1];
  const mark = Buffer.from(`--${boundary}`);
  let parts = 0;
  for (
    let at = body.indexOf(mark);
    at !== -1 && parts <= PARTS_MAX;
    at = body.indexOf(mark, at + mark.length)
  )
    parts += 1;
  if (boundary === undefined || parts > PARTS_MAX)
    throw validationFailed([{ field: 'file', message: 'was not sent by a form of the desk' }]);
}

/** An address of the desk that was asked for before the sign-in; the first page where it is none. */
export function ownAddress(asked: string | null): string {
  return asked !== null && /^\/desk(?:[/?][\w\-./?=&%+~:]*)?$/.test(asked) ? asked : '/desk';
}
