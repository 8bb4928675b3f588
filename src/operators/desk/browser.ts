import { createHash } from 'node:crypto';
import { readSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import { GatewayError, validationFailed } from '../../domain/errors.ts';
import { readBody } from '../../platform/process/read-body.ts';
import type { Upload, Uploads, Written } from '../../platform/process/uploads.ts';
import { contentSecurityPolicy } from './style.ts';

const FORM_BYTES_MAX = 64 * 1024;

export const securityHeaders = {
  'Content-Security-Policy': contentSecurityPolicy,
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
} as const;

/** `__Host-` stops other hosts, and pages without TLS, from setting this cookie. */
const cookieName = (isTls: boolean) => (isTls ? '__Host-malipo-desk' : 'malipo-desk');

export function readCookie(request: IncomingMessage, isTls: boolean): string | null {
  const name = `${cookieName(isTls)}=`;
  const cookies = (request.headers.cookie ?? '').split(';').map((one) => one.trim());
  return cookies.find((one) => one.startsWith(name))?.slice(name.length) ?? null;
}

/** Null deletes the cookie. */
export function setCookie(context: Context, isTls: boolean, secret: string | null): void {
  const parts = [`${cookieName(isTls)}=${secret ?? ''}`, 'Path=/', 'HttpOnly', 'SameSite=Strict'];
  if (secret === null) parts.push('Max-Age=0');
  if (isTls) parts.push('Secure');
  context.set('Set-Cookie', parts.join('; '));
}

/** Only the holder of the session's secret knows this token: another site's form cannot contain it. */
export function csrfOf(secret: string): string {
  return createHash('sha256').update(`form of ${secret}`).digest('base64url');
}

/** Throws unless a page of ours sent the form. Scripts cannot change these headers. */
export function requireOwnForm(request: IncomingMessage): void {
  const { origin, host } = request.headers;
  const site = request.headers['sec-fetch-site'];
  const isOwn = URL.canParse(origin ?? '') && new URL(origin ?? '').host === host;
  if (site === undefined ? isOwn : site === 'same-origin') return;
  throw new GatewayError('forbidden', 'This form was not sent by a page of the desk: nothing was done');
}

/** Returns true if another site led here: the browser then sends no cookie of ours. */
export function isFromElsewhere(request: IncomingMessage): boolean {
  return ['cross-site', 'same-site'].includes(String(request.headers['sec-fetch-site']));
}

export async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  const [media] = (request.headers['content-type'] ?? '').split(';');
  if (media?.trim().toLowerCase() !== 'application/x-www-form-urlencoded')
    throw new GatewayError('unsupported_media_type', 'The desk does not accept a form in this format');
  const form = new URLSearchParams((await readBody(request, FORM_BYTES_MAX)).toString('utf8'));
  // Browsers send \r\n; a page would show the \r as text.
  const lines = [...form].map(([name, value]): [string, string] => [name, value.replaceAll('\r\n', '\n')]);
  return new URLSearchParams(lines);
}

/** The file has at most `fileBytesMax`. The caller must end it. */
export async function readFormWithFile(
  request: IncomingMessage,
  uploads: Uploads,
  fileBytesMax: number,
): Promise<{ typed: URLSearchParams; file: Upload | null }> {
  const type = request.headers['content-type'] ?? '';
  if (!/^multipart\/form-data *;/i.test(type)) return { typed: await readForm(request), file: null };
  const { written, end } = await uploads.receive(request, fileBytesMax + FORM_BYTES_MAX);
  try {
    const { fields, file } = partsOf(written, type);
    const sent = await new Response(fields, { headers: { 'content-type': type } }).formData();
    const typed = new URLSearchParams();
    for (const [name, value] of sent) typed.append(name, String(value).replaceAll('\r\n', '\n'));
    return { typed, file: { written: file, end } };
  } catch {
    await end();
    throw validationFailed([{ field: 'file', message: 'did not arrive completely: choose it again' }]);
  }
}

const ONE_BOUNDARY = /^multipart\/form-data *; *boundary="?([\w'()+,./:=?-]{1,70})"?$/i;

/** Our forms send the fields first, then one file, which stays on disk. Throws for other forms. */
function partsOf({ fd, byteLength }: Written, type: string): { fields: Buffer; file: Written } {
  const mark = `--${ONE_BOUNDARY.exec(type)?.[1]}`;
  const head = Buffer.alloc(Math.min(byteLength, FORM_BYTES_MAX));
  readSync(fd, head, 0, head.length, 0);
  const last = Buffer.alloc(Math.min(byteLength, `\r\n${mark}--\r\n`.length));
  readSync(fd, last, 0, last.length, byteLength - last.length);
  const named = head.indexOf('; filename="');
  const begin = head.lastIndexOf(mark, named);
  const headerEnd = head.indexOf('\r\n\r\n', named);
  const end = last.lastIndexOf(`\r\n${mark}--`);
  if (named < 0 || begin < 0 || headerEnd < 0 || end < 0) throw new Error('this is no form with a file');
  const from = headerEnd + '\r\n\r\n'.length;
  const to = byteLength - last.length + end;
  return {
    fields: Buffer.concat([head.subarray(0, begin), Buffer.from(`${mark}--\r\n`)]),
    file: { fd, from, byteLength: Math.max(0, to - from) },
  };
}

/** Returns the desk's first page if the address is not the desk's. */
export function ownAddress(asked: string | null): string {
  return asked !== null && /^\/desk(?:[/?][\w\-./?=&%+~:]*)?$/.test(asked) ? asked : '/desk';
}
