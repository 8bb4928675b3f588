import type { IncomingMessage } from 'node:http';
import { GatewayError } from '../domain/errors.ts';

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

/** The whole body. Throws `payload_too_large` beyond `bytesMax`; what comes after is dropped, not kept. */
export async function readBody(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const tooLarge = () =>
    new GatewayError('payload_too_large', `The body is larger than ${bytesMax / 1024} KiB`);
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve, reject) => {
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > bytesMax) reject(tooLarge());
      else chunks.push(chunk);
    });
    request.on('end', () => resolve(Buffer.concat(chunks)));
    request.on('aborted', () => reject(new GatewayError('invalid_json', 'The body did not arrive whole')));
    request.on('error', () => reject(new GatewayError('invalid_json', 'The body did not arrive whole')));
  });
}

function unsupported(message: string): GatewayError {
  return new GatewayError('unsupported_media_type', message);
}
