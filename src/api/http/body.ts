import type { IncomingMessage } from 'node:http';
import { GatewayError } from '../../domain/errors.ts';

export const JSON_BYTES_MAX = 64 * 1024;

/** Without a Content-Type a body is taken as JSON; `Content-Encoding` is not supported. */
export function requireJsonMediaType(request: IncomingMessage): void {
  const type = request.headers['content-type'];
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity') {
    throw unsupported('Send the body without Content-Encoding');
  }
  if (type === undefined || type.trim() === '') return;
  const [media = '', ...parameters] = type.split(';').map((part) => part.trim().toLowerCase());
  if (media !== 'application/json') throw unsupported('Send the body as application/json');
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  if (charset !== undefined && !/^"?utf-?8"?$/.test(charset)) throw unsupported('Send the body in UTF-8');
}

function unsupported(message: string): GatewayError {
  return new GatewayError('unsupported_media_type', message);
}
