import type { IncomingMessage } from 'node:http';
import { GatewayError } from '../domain/errors.ts';

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
