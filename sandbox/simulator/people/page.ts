import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type Router from '@koa/router';
import type { Context } from 'koa';

const FOLDER = fileURLToPath(new URL('../page/', import.meta.url));
const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
};

/** Forbids inline scripts and other origins. Images are QR codes, in answers or to scan. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export function addPage(router: Router): void {
  for (const name of readdirSync(FOLDER))
    serve(router, `/page/${name}`, readFileSync(path.join(FOLDER, name)));
  serve(router, '/', readFileSync(path.join(FOLDER, 'index.html')), '.html');
  const reader = createRequire(import.meta.url).resolve('jsqr');
  serve(router, '/page/jsqr.js', readFileSync(reader));
}

function serve(router: Router, where: string, content: Buffer, extension = path.extname(where)): void {
  router.get(where, (context: Context) => {
    context.set({
      'Cache-Control': 'no-cache',
      'Content-Security-Policy': POLICY,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
    });
    context.type = types[extension] ?? 'application/octet-stream';
    context.body = content;
  });
}
