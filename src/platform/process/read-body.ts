import type { IncomingMessage } from 'node:http';
import { GatewayError } from '../../domain/errors.ts';
import { say } from '../../domain/messages.ts';

/** Throws `payload_too_large` beyond `bytesMax`, and the errors of `grow`; later bytes are dropped. */
export async function readBody(
  request: IncomingMessage,
  bytesMax: number,
  grow: (bytes: number) => void = () => {},
): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) throw bodyTooLarge(bytesMax);
  let chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve, reject) => {
    const refuse = (error: unknown) => {
      // Chunks that arrive later are refused too.
      size = Number.POSITIVE_INFINITY;
      chunks = [];
      reject(error);
    };
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > bytesMax) return refuse(bodyTooLarge(bytesMax));
      try {
        grow(chunk.length);
        chunks.push(chunk);
      } catch (error) {
        refuse(error);
      }
    });
    request.on('end', () => resolve(Buffer.concat(chunks)));
    const broken = () => reject(bodyNotWhole());
    request.on('aborted', broken);
    request.on('error', broken);
  });
}

export const bodyTooLarge = (bytesMax: number) =>
  new GatewayError('payload_too_large', say('body_too_large', { size: bytesMax / 1024 }));

export const bodyNotWhole = () => new GatewayError('invalid_json', say('body_not_whole'));
