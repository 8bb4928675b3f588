import assert from 'node:assert/strict';
import failures from '../../../data/failure-codes.json' with { type: 'json' };
import { addressOf, escapeHtml, guides } from '../../../src/api/reference/guides.ts';
import { merchantHttpStatusOf } from '../../../src/domain/errors.ts';
import { document } from '../../support/contract.ts';
import { assertRefused, startTestApi } from '../support/api.ts';
import { useTestApi } from '../support/use-api.ts';

const HTML = 'text/html; charset=utf-8';
const PAGE_BYTES_MAX = 30_000;
const GUIDES = Object.fromEntries(Object.keys(guides).map((name) => [`/docs/${name}`, HTML]));
const RESOURCES = Object.fromEntries(
  document.tags.map(({ name }: { name: string }) => [`/docs/reference/${name}`, HTML]),
);
const PAGES: Record<string, string> = {
  '/docs': HTML,
  '/docs/errors': HTML,
  '/docs/key': HTML,
  ...GUIDES,
  ...RESOURCES,
};
/** Where programs read what the guides say. */
const TEXTS: Record<string, string> = {
  '/llms.txt': 'text/plain; charset=utf-8',
  ...Object.fromEntries(Object.keys(GUIDES).map((path) => [`${path}.md`, 'text/markdown; charset=utf-8'])),
};
const FILES = {
  ...PAGES,
  ...TEXTS,
  '/docs/send.js': 'text/javascript; charset=utf-8',
  '/docs/key.js': 'text/javascript; charset=utf-8',
  '/docs/guide.js': 'text/javascript; charset=utf-8',
  '/docs/search.js': 'text/javascript; charset=utf-8',
  '/docs/find.js': 'text/javascript; charset=utf-8',
  '/docs/minisearch.js': 'text/javascript; charset=utf-8',
  '/docs/search.json': 'application/json; charset=utf-8',
  '/docs/site.css': 'text/css; charset=utf-8',
  '/docs/icon.svg': 'image/svg+xml',
  '/openapi.json': 'application/json; charset=utf-8',
};

describe('the reference', () => {
  const { api, test } = useTestApi({ docs: { demoKey: `sk_"><script>` } });
  const get = (path: string, headers = {}) => api.call('GET', path, { key: null, headers });

  it('serves its files without a key, with their types, and nothing inline may run', async () => {
    for (const [path, type] of Object.entries(FILES)) {
      const { status, headers, text } = await get(path);
      assert.equal(status, 200, path);
      assert.equal(headers['content-type'], type, path);
      assert.equal(headers['x-content-type-options'], 'nosniff', path);
      assert.match(String(headers['content-security-policy']), /default-src 'none'/, path);
      assert.doesNotMatch(String(headers['content-security-policy']), /unsafe|http|\*/, path);
      assert.ok(text.length > 100, path);
    }
    assert.doesNotMatch((await get('/docs')).text, /<script>|<style|\son\w+=|\sstyle=|https?:/);
  });

  it('sends no page of more than 30 KB, and each compressed', async () => {
    const sizes: (readonly [string, number])[] = [];
    for (const path of Object.keys(PAGES)) {
      const { headers } = await get(path, { 'accept-encoding': 'gzip' });
      assert.equal(headers['content-encoding'], 'gzip', path);
      sizes.push([path, Number(headers['content-length'])] as const);
    }
    assert.deepEqual(
      sizes.filter(([, bytes]) => !(bytes <= PAGE_BYTES_MAX)),
      [],
    );
  });

  it('gives its demo key to whoever names this machine, and to no other name that points here', async () => {
    const keyIn = async (host: string) => {
      const pages = [await get('/docs', { host }), await get('/docs/reference/payments', { host })];
      const shown = pages.map(({ text }) => text.includes('sk_&#34;'));
      assert.equal(shown[0], shown[1]);
      return shown[0];
    };
    for (const host of ['localhost:3000', '127.0.0.1:3000', '[::1]:3000', 'localhost'])
      assert.equal(await keyIn(host), true, host);
    for (const host of [
      'pay.example.com',
      '192.0.2.7:3000',
      'localhost.evil.example',
      '127.0.0.1.evil.example',
    ])
      assert.equal(await keyIn(host), false, host);
  });

  it('is where the root leads', async () => {
    const { status, headers } = await get('/');
    assert.deepEqual([status, headers.location], [302, '/docs']);
  });

  it('has pages whose links lead somewhere, each thing in them named once, and nothing inline', async () => {
    const ids = new Map<string, Set<string>>();
    const pages = new Map<string, string>();
    for (const path of Object.keys(PAGES)) {
      const { text } = await get(path);
      pages.set(path, text);
      const named = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => String(id));
      ids.set(path, new Set(named));
      assert.equal(ids.get(path)?.size, named.length, path);
      assert.doesNotMatch(text, /<script>|<style|\son\w+=|\sstyle=/, path);
      assert.match(text, /<h1 /, path);
    }
    for (const [path, text] of pages) {
      for (const [, href = ''] of text.matchAll(/<a [^>]*href="([^"]+)"/g)) {
        if (href.startsWith('https:')) continue;
        const [target = '', anchor] = href.split('#');
        const where = target === '' ? path : target;
        assert.ok(where in FILES, `${path} links to ${href}`);
        if (anchor) assert.ok(ids.get(where)?.has(anchor), `${path} links to ${href}`);
      }
    }
    assert.equal(addressOf('operations/limits.md'), null, 'a page that is only in the repository');
    const { storedFields } = (await get('/docs/search.json')).body.index;
    const found = Object.values(
      storedFields as Record<string, { title: string; address: string; about: string }>,
    );
    assert.ok(found.length > 100);
    for (const { title, address, about } of found) {
      const [where = '', anchor = ''] = address.split('#');
      assert.ok(ids.get(where)?.has(anchor), `the search leads to ${address} for ${title}`);
      assert.ok(about.length <= 120, about);
    }
  });

  it('gives programs the guides as they are written, with links among them, and nothing else', async () => {
    const list = (await get('/llms.txt')).text;
    const listed = [...list.matchAll(/^- \[[^\]]+\]\(([^)]+)\)$/gm)].map(([, path]) => path);
    assert.deepEqual(['/llms.txt', ...listed], Object.keys(TEXTS));
    for (const path of Object.keys(TEXTS)) {
      const { text } = await get(path);
      assert.match(text, /^# /, path);
      const prose = text.replace(/^```.*?^```$/gms, '');
      for (const [, href = ''] of prose.matchAll(/\]\(([^)]+)\)/g))
        assert.ok(
          /^(https:|#)/.test(href) || (href.split('#')[0] ?? '') in FILES,
          `${path} links to ${href}`,
        );
    }
    assert.match((await get('/docs/quickstart.md')).text, /\[more\]\(\/docs\/callbacks\.md\)/);
    assert.match((await get('/docs/clients.md')).text, /docs\/malipo-client-\d/);
  });

  it('says in its changelog which versions there are, and how a version of the API ends', async () => {
    const { text } = await get('/docs/changelog');
    assert.match(text, /id="versions-of-the-api"/);
    assert.match(text, /id="unreleased"/);
  });

  it('shows every operation, every field with its meaning, every error and every callback', async () => {
    const text = (await Promise.all(Object.keys(PAGES).map(async (path) => (await get(path)).text))).join('');
    const items = Object.values({ ...document.paths, ...document.components.pathItems });
    const operations = items.flatMap((item) =>
      Object.values(item as Record<string, { operationId: string }>),
    );
    for (const { operationId } of operations) assert.ok(text.includes(`id="${operationId}"`), operationId);
    for (const code of Object.keys(merchantHttpStatusOf))
      assert.ok(text.includes(`<section id="${code}">`), code);
    for (const { code, reason } of failures.codes)
      assert.ok(text.includes(`<code>${code}</code></dt><dd>${escapeHtml(reason)}</dd>`), code);
    const fields = [...text.matchAll(/<div id="[^"]+"><dt><code>([^<]+)<\/code>.*?<dd>(.*?)<\/dd>/g)];
    assert.ok(fields.length > 500, `${fields.length} fields`);
    assert.deepEqual(
      fields.filter(([, , meaning]) => meaning === '').map(([, name]) => name),
      [],
    );
    assert.doesNotMatch(text, /__proto__/);
  });

  it('is the same document at /openapi.json as below the prefixes', async () => {
    const root = await get('/openapi.json');
    assert.deepEqual(root.body, document);
    assert.equal((await get('/v1/openapi.json')).text, root.text);
  });

  it('names files by their content, so they are stored for ever, and has pages asked for each time', async () => {
    for (const path of Object.keys(FILES)) {
      const { headers } = await get(path);
      const changes = path in PAGES || path in TEXTS || path === '/openapi.json';
      assert.equal(headers['cache-control'], changes ? 'no-cache' : 'public, max-age=31536000', path);
      const again = await get(path, { 'if-none-match': headers.etag });
      assert.equal(again.status, 304, path);
      assert.equal(again.text, '', path);
      const other = await get(path, { 'if-none-match': '"other"' });
      assert.equal(other.status, 200, path);
    }
  });

  it('answers HEAD, refuses other methods, and lets nothing else be fetched below it', async () => {
    for (const path of [...Object.keys(FILES), '/docs/']) {
      const head = await api.call('HEAD', path, { key: null });
      assert.equal(head.status, 200, path);
      assert.equal(head.text, '');
      for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
        const answer = await api.call(method, path, { key: null });
        assertRefused(answer, 405, 'method_not_allowed');
        assert.equal(answer.headers.allow, 'GET, HEAD');
      }
    }
    const others = `
      /docs/package.json /docs/../package.json /docs/%2e%2e/package.json /docs/..%2fpackage.json
      /docs/swagger-ui.css.map /docs/openapi.json /docs/status /docs/errors.md /docs/key.md
      /docs/architecture.md /docs/reference/payments.md /llms-full.txt /docs/payments/ussd
      /api/v1/docs
    `;
    for (const path of others.trim().split(/\s+/)) {
      const answer = await get(path);
      assertRefused(answer, 404, 'not_found');
    }
  });

  it('holds the demo key as text, whatever is in it, and in no script', async () => {
    const { text } = await get('/docs/reference/payments');
    assert.match(text, /<input id="send-key" [^>]*value="sk_&#34;&#62;&#60;script&#62;"/);
    assert.match(text, /<form data-method="POST" data-path="\/payments\/ussd">/);
    assert.doesNotMatch((await get('/docs/send.js')).text, /sk_test_\w/);
  });

  it('has no key, no form and no script that sends where keys move money', async () => {
    const production = await startTestApi({ database: test.database, docs: { canSend: false } });
    try {
      const { text } = await production.call('GET', '/docs/reference/payments', { key: null });
      assert.match(text, /id="initiateUssdPush"/);
      assert.doesNotMatch(text, /<form|send-key|send\.js/);
      assert.equal((await production.call('GET', '/docs/send.js', { key: null })).status, 404);
    } finally {
      await production.stop();
    }
  });
});
