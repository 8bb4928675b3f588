import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Door, DoorContext } from '../http/app.ts';
import { type Constant, constantOf, sendConstant } from '../http/constant.ts';
import { readPackageFile } from './files.ts';
import { escapeHtml, guideHtml, guides } from './guides.ts';

/**
 * The reference at `/docs`, the guides beside it at `/docs/…`, and the document at `/openapi.json`: fixed files only, from
 * this package and those that are installed, so that all works without the internet. No inline script runs, and the
 * page loads nothing from another origin.
 *
 * `demoKey` is shown only when the page is opened from this machine and under a name of this machine (a foreign name
 * may be another site that points here). Only `npm start` gives one. Without `tryItOut` the page only shows: with a
 * live key in a web page one click would move money.
 */
export function createDocs(options: {
  document: Constant;
  demoKey: string | null;
  tryItOut: boolean;
  /** throws where an address asks for more than people read */
  admitReader(context: DoorContext): void;
}): Door[] {
  const viewer = path.dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  const ofViewer = (name: string, type: string) => assetOf(type, readFileSync(path.join(viewer, name)));
  const own = (name: string, type: string) => assetOf(type, readPackageFile(`docs/site/${name}`));
  const reference = (demoKey: string | null) => pageOf(referencePage({ ...options, demoKey }));
  const pages: Record<string, Constant> = {
    'openapi.json': options.document,
    docs: reference(null),
    ...Object.fromEntries(Object.keys(guides).map((name) => [`docs/${name}`, pageOf(guidePage(name))])),
    'docs/reference.js': own('reference.js', JAVASCRIPT),
    'docs/guide.js': own('guide.js', JAVASCRIPT),
    'docs/site.css': own('site.css', 'text/css; charset=utf-8'),
    'docs/swagger-ui-bundle.js': ofViewer('swagger-ui-bundle.js', JAVASCRIPT),
    'docs/swagger-ui.css': ofViewer('swagger-ui.css', 'text/css; charset=utf-8'),
    'docs/favicon-32x32.png': ofViewer('favicon-32x32.png', 'image/png'),
  };
  const withKey = reference(options.demoKey);
  const doors = Object.entries(pages).map(([name, asset]) => ({
    name,
    method: 'GET' as const,
    path: `/${name}`,
    handle: async (context: DoorContext) => {
      options.admitReader(context);
      send(context, name === 'docs' && isOnThisMachine(context) ? withKey : asset);
    },
  }));
  return [...doors, { name: 'home', method: 'GET', path: '/', handle: async (context) => goToDocs(context) }];
}

const JAVASCRIPT = 'text/javascript; charset=utf-8';

function goToDocs(context: DoorContext): void {
  context.redirect('/docs');
  context.body = '';
}

function isOnThisMachine(context: DoorContext): boolean {
  const address = context.req.socket.remoteAddress ?? '';
  return (
    /^(127\.|::1$|::ffff:127\.)/.test(address) &&
    /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i.test(context.host)
  );
}

const DAY_SECONDS = 86_400;
const assetOf = (type: string, content: Buffer | string) => constantOf(type, content, DAY_SECONDS);
const pageOf = (html: string) => constantOf('text/html; charset=utf-8', html);

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

function send(context: DoorContext, asset: Constant): void {
  context.set({
    'Content-Security-Policy': POLICY,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Cross-Origin-Opener-Policy': 'same-origin',
  });
  sendConstant(context, asset);
}

/** The key stands in the page and not in a script: a page of another origin could load a script and read it. */
function referencePage(options: { demoKey: string | null; tryItOut: boolean }): string {
  const key = options.demoKey === null ? '' : ` data-demo-key="${escapeHtml(options.demoKey)}"`;
  return frame({
    title: 'Malipo API',
    current: '',
    head: '<link rel="stylesheet" href="/docs/swagger-ui.css">',
    main: `<div id="reference" data-try-it-out="${options.tryItOut}"${key}></div>
<noscript>The reference needs JavaScript; the same is in <a href="/openapi.json">openapi.json</a>.</noscript>`,
    scripts: `<script src="/docs/swagger-ui-bundle.js"></script>
<script type="module" src="/docs/reference.js"></script>`,
  });
}

function guidePage(name: string): string {
  return frame({
    title: `${guides[name]} · Malipo`,
    current: name,
    head: '',
    main: `<article>\n${guideHtml(name)}</article>`,
    scripts: '<script type="module" src="/docs/guide.js"></script>',
  });
}

type Page = { title: string; current: string; head: string; main: string; scripts: string };

function frame({ title, current, head, main, scripts }: Page): string {
  const link = (name: string, text: string) =>
    `<li><a href="/docs${name && `/${name}`}"${name === current ? ' aria-current="page"' : ''}>${text}</a></li>`;
  const links = Object.entries(guides).map(([name, text]) => link(name, text));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" type="image/png" sizes="32x32" href="/docs/favicon-32x32.png">
${head}
<link rel="stylesheet" href="/docs/site.css">
</head>
<body>
<nav id="contents" aria-label="Documentation">
<p class="home"><a href="/docs">Malipo</a></p>
<ul>
${links.join('\n')}
${link('', 'API reference')}
</ul>
<div id="operation-list"></div>
</nav>
<main>
${main}
</main>
${scripts}
</body>
</html>
`;
}
