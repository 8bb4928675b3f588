import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { RequestContext, Served } from '../../platform/http/app.ts';
import { type Constant, constantOf, sendConstant } from '../../platform/http/constant.ts';
import { readPackageBytes, readPackageFile } from '../../platform/process/package-files.ts';
import { guideMarkdown, guides, guidesList, remediesByCode } from './guides.ts';
import { parseDocument } from './pages/document.ts';
import { frame, type Page } from './pages/frame.ts';
import { errorsPage, firstPage, guidePage, keyPage } from './pages/others.ts';
import { resourcePage, type Sending } from './pages/resource.ts';
import { searchIndex } from './pages/search-index.ts';

/**
 * Builds the reference and guides (`/docs/…`) and `/openapi.json` once, at start. All files come from this
 * package and its dependencies, so the pages work without the internet; they are readable without scripts.
 *
 * `demoKey` comes from `npm start`. Only a browser on this machine that used a local host name sees it: a
 * foreign name may be another site that points here. `canSend` false: the pages have no forms that send,
 * because with a live key one click would move money.
 */
export function createDocs(options: {
  document: Constant;
  demoKey: string | null;
  canSend: boolean;
  /** throws if an IP address asks for more pages than a person reads */
  admitReader(context: RequestContext): void;
}): Served[] {
  const document = parseDocument(options.document);
  const remedies = remediesByCode();
  const own = (name: string, type: string) => assetOf(type, readPackageFile(`docs/site/${name}`));
  const library = path.dirname(createRequire(import.meta.url).resolve('minisearch'));
  const client = readPackageBytes('docs/site/malipo-client.tgz');
  const assets: Record<string, Constant> = {
    ...(options.canSend ? { 'send.js': own('send.js', JAVASCRIPT) } : {}),
    'key.js': own('key.js', JAVASCRIPT),
    'guide.js': own('guide.js', JAVASCRIPT),
    'search.js': own('search.js', JAVASCRIPT),
    'find.js': own('find.js', JAVASCRIPT),
    'minisearch.js': assetOf(JAVASCRIPT, readFileSync(path.join(library, '../es/index.js'))),
    'site.css': own('site.css', 'text/css; charset=utf-8'),
    'search.json': assetOf('application/json; charset=utf-8', searchIndex(document, remedies)),
    'icon.svg': own('icon.svg', 'image/svg+xml'),
  };
  const addressOf = (file: string) => `/docs/${file}?v=${assets[file]?.digest}`;
  // npx caches by URL, so the URL has the version.
  const pinned = `docs/malipo-client-${document.info.version}.tgz`;
  const textOf = (type: 'html' | 'markdown' | 'plain', text: string) =>
    constantOf(`text/${type}; charset=utf-8`, text.replaceAll('docs/malipo-client.tgz', pinned));
  const pageOf = (page: Page) => textOf('html', frame({ document, addressOf }, page));
  const pagesWith = (demoKey: string | null): Record<string, Constant> => ({
    docs: pageOf({ name: '', title: 'Malipo API', main: firstPage(document, demoKey) }),
    ...Object.fromEntries(
      document.tags.map(({ name: tag }) => {
        const sending: Sending = options.canSend ? { demoKey } : null;
        const main = resourcePage(document, tag, { remedies, sending });
        const modules = sending === null ? [] : ['send.js'];
        return [
          `docs/reference/${tag}`,
          pageOf({ name: `reference/${tag}`, title: `${tag} · Malipo`, main, modules }),
        ];
      }),
    ),
  });
  const plain = ([name, title, main]: [string, string, string]): [string, Constant] => [
    `docs/${name}`,
    pageOf({ name, title: `${title} · Malipo`, main }),
  ];
  const pages: Record<string, Constant> = {
    'openapi.json': options.document,
    'llms.txt': textOf('plain', guidesList()),
    ...pagesWith(null),
    // Not cached for long, because before its release a version changes often.
    ...Object.fromEntries(
      ['docs/malipo-client.tgz', pinned].map((name) => [name, constantOf('application/gzip', client)]),
    ),
    'docs/key': pageOf({
      name: 'key',
      title: 'Make a key · Malipo',
      main: keyPage(
        options.canSend ? 'sk_test' : 'sk_live',
        createHash('sha256').update(client).digest('hex'),
      ),
      modules: ['key.js'],
    }),
    ...Object.fromEntries([
      ...Object.entries(guides).map(([name, title]) => plain([name, title, guidePage(name)])),
      ...Object.keys(guides).map((name) => [`docs/${name}.md`, textOf('markdown', guideMarkdown(name))]),
      plain(['errors', 'Errors', errorsPage(document, remedies)]),
      ...Object.entries(assets).map(([name, asset]) => [`docs/${name}`, asset]),
    ]),
  };
  const withKey = pagesWith(options.demoKey);
  const doors = Object.entries(pages).map(([name, asset]) => ({
    name,
    method: 'GET' as const,
    path: `/${name}`,
    handle: async (context: RequestContext) => {
      options.admitReader(context);
      send(context, (isOnThisMachine(context) ? withKey[name] : undefined) ?? asset);
    },
  }));
  return [...doors, { name: 'home', method: 'GET', path: '/', handle: async (context) => goToDocs(context) }];
}

const JAVASCRIPT = 'text/javascript; charset=utf-8';

function goToDocs(context: RequestContext): void {
  context.redirect('/docs');
  context.body = '';
}

function isOnThisMachine(context: RequestContext): boolean {
  const address = context.req.socket.remoteAddress ?? '';
  return (
    /^(127\.|::1$|::ffff:127\.)/.test(address) &&
    /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i.test(context.host)
  );
}

/** Browsers may cache these files for a year, because each URL has a digest of the content. */
const YEAR_SECONDS = 31_536_000;
const assetOf = (type: string, content: Buffer | string) => constantOf(type, content, YEAR_SECONDS);

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

function send(context: RequestContext, asset: Constant): void {
  context.set({
    'Content-Security-Policy': POLICY,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Cross-Origin-Opener-Policy': 'same-origin',
  });
  sendConstant(context, asset);
}
