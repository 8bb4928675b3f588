import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Context } from 'koa';

/** A large answer that is the same for everybody is kept in memory once. */
export type Constant = { type: string; bytes: Buffer; gzip: Buffer; digest: string; maxAgeSeconds: number };

export function constantOf(type: string, content: Buffer | string, maxAgeSeconds = 0): Constant {
  const bytes = Buffer.from(content);
  const digest = createHash('sha256').update(bytes).digest('base64url').slice(0, 27);
  return { type, bytes, gzip: gzipSync(bytes), digest, maxAgeSeconds };
}

/** Compresses for clients that accept it, and answers 304 if the client has it. */
export function sendConstant(context: Context, { type, bytes, gzip, digest, maxAgeSeconds }: Constant): void {
  const isSmaller = gzip.length < bytes.length && context.acceptsEncodings('gzip', 'identity') === 'gzip';
  context.set({
    'Content-Type': type,
    'Content-Language': 'en',
    // Clients must ask again for an answer that may hold a key or change with the next release.
    'Cache-Control': maxAgeSeconds === 0 ? 'no-cache' : `public, max-age=${maxAgeSeconds}`,
    ETag: `"${digest}${isSmaller ? '-gzip' : ''}"`,
    Vary: 'Accept-Encoding',
  });
  context.status = 200;
  if (context.fresh) {
    context.status = 304;
    return;
  }
  if (isSmaller) context.set('Content-Encoding', 'gzip');
  context.body = isSmaller ? gzip : bytes;
}
