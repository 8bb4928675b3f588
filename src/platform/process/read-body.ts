import type { IncomingMessage } from 'node:http';
import { GatewayError } from '../../domain/errors.ts';
import { say } from '../../domain/messages.ts';

/** The whole body. Throws `payload_too_large` beyond `bytesMax`; what comes after is dropped, not kept. */
export async function readBody(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const tooLarge = () =>
    new GatewayError('payload_too_large', say('body_too_large', { size: bytesMax / 1024 }));
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
    const broken = () => reject(new GatewayError('invalid_json', say('body_not_whole')));
    request.on('aborted', broken);
    request.on('error', broken);
  });
}
