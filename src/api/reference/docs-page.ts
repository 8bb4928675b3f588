import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Door, DoorContext } from '../http/app.ts';

/**
 * The reference for people at `/docs`, and the document at `/openapi.json`: fixed files only, from the packages that are
 * installed, so that it works without the internet. Nothing inline runs, nothing is asked of another origin.
 *
 * `demoKey` is shown to whoever opens the page from this machine, under a name of this machine (another name may be a
 * page of somebody else's that points here): only `npm start` gives one. Without `tryItOut` the page only
 * reads: a live key has no business in a web page, where one click would move money.
 */
export function createDocs(options: { document: string; demoKey: string | null; tryItOut: boolean }): Door[] {
  const viewer = path.dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  const file = (name: string, type: string) => assetOf(type, readFileSync(path.join(viewer, name)));
  const pageOf = (demoKey: string | null) => ({
    ...assetOf('text/html; charset=utf-8', htmlOf({ ...options, demoKey })),
    maxAgeSeconds: 0,
  });
  const pageWithKey = pageOf(options.demoKey);
  const pages: Record<string, Asset> = {
    'openapi.json': { ...assetOf('application/json; charset=utf-8', options.document), maxAgeSeconds: 0 },
    docs: pageOf(null),
    'docs/page.js': assetOf('text/javascript; charset=utf-8', SCRIPT),
    'docs/swagger-ui-bundle.js': file('swagger-ui-bundle.js', 'text/javascript; charset=utf-8'),
    'docs/swagger-ui.css': file('swagger-ui.css', 'text/css; charset=utf-8'),
    'docs/favicon-32x32.png': file('favicon-32x32.png', 'image/png'),
  };
  return Object.entries(pages).map(([name, asset]) => ({
    name,
    method: 'GET',
    path: `/${name}`,
    handle: async (context) =>
      send(context, name === 'docs' && isOnThisMachine(context) ? pageWithKey : asset),
  }));
}

function isOnThisMachine(context: DoorContext): boolean {
  const address = context.req.socket.remoteAddress ?? '';
  return (
    /^(127\.|::1$|::ffff:127\.)/.test(address) &&
    /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i.test(context.host)
  );
}

type Asset = { type: string; content: Buffer; etag: string; maxAgeSeconds: number };

const DAY_SECONDS = 86_400;

function assetOf(type: string, content: Buffer | string): Asset {
  const bytes = Buffer.from(content);
  const digest = createHash('sha256').update(bytes).digest('base64url').slice(0, 27);
  return { type, content: bytes, etag: `"${digest}"`, maxAgeSeconds: DAY_SECONDS };
}

/** Styles in elements are set through the DOM, which needs no exception; `data:` are the viewer's own icons. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

function send(context: DoorContext, asset: Asset): void {
  context.set({
    'Content-Type': asset.type,
    // What may hold a key or change with the next release is asked for each time.
    'Cache-Control': asset.maxAgeSeconds === 0 ? 'no-cache' : `public, max-age=${asset.maxAgeSeconds}`,
    ETag: asset.etag,
    'Content-Security-Policy': POLICY,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Cross-Origin-Opener-Policy': 'same-origin',
  });
  context.status = 200;
  if (context.fresh) context.status = 304;
  else context.body = asset.content;
}

/** The key stands in the page and not in a script: a page of another origin could load a script and read it. */
function htmlOf(options: { demoKey: string | null; tryItOut: boolean }): string {
  const key = options.demoKey === null ? '' : ` data-demo-key="${escapeHtml(options.demoKey)}"`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Malipo API</title>
<link rel="icon" type="image/png" sizes="32x32" href="/docs/favicon-32x32.png">
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<div id="reference" data-try-it-out="${options.tryItOut}"${key}></div>
<noscript>The reference needs JavaScript; the same is in <a href="/openapi.json">openapi.json</a>.</noscript>
<script src="/docs/swagger-ui-bundle.js"></script>
<script type="module" src="/docs/page.js"></script>
</body>
</html>
`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

const SCRIPT = `const page = document.getElementById('reference');
const answer = await fetch('/openapi.json');
const reference = await answer.json();
// The viewer shows no webhook that is a reference.
reference.webhooks = reference.components.pathItems;
const ui = SwaggerUIBundle({
  spec: reference,
  domNode: page,
  validatorUrl: null,
  supportedSubmitMethods: page.dataset.tryItOut === 'true' ? ['get', 'put', 'post'] : [],
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  onComplete: () => {
    if (page.dataset.demoKey) ui.preauthorizeApiKey('apiKey', page.dataset.demoKey);
  },
});
`;
