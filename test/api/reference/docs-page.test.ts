import assert from 'node:assert/strict';
import { addressOf, guides } from '../../../src/api/reference/guides.ts';
import { loadConfig } from '../../../src/config.ts';
import { document } from '../../support/contract.ts';
import { production } from '../../support/production.ts';
import { assertRefused, startTestApi } from '../support/api.ts';
import { useTestApi } from '../support/use-api.ts';

const HTML = 'text/html; charset=utf-8';
const GUIDES = Object.fromEntries(Object.keys(guides).map((name) => [`/docs/${name}`, HTML]));
const FILES = {
  '/docs': HTML,
  ...GUIDES,
  '/docs/reference.js': 'text/javascript; charset=utf-8',
  '/docs/guide.js': 'text/javascript; charset=utf-8',
  '/docs/site.css': 'text/css; charset=utf-8',
  '/docs/swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  '/docs/swagger-ui.css': 'text/css; charset=utf-8',
  '/docs/favicon-32x32.png': 'image/png',
  '/openapi.json': 'application/json; charset=utf-8',
};

describe('the reference page', () => {
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
    const { text } = await get('/docs');
    assert.doesNotMatch(text, /<script>|<style|\son\w+=|\sstyle=|https?:/);
  });

  it('gives its demo key to whoever names this machine, and to no other name that points here', async () => {
    const keyIn = async (host: string) => (await get('/docs', { host })).text.includes('data-demo-key');
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

  it('has guides whose links lead somewhere, and nothing inline', async () => {
    const ids = new Map<string, Set<string>>();
    const pages = new Map<string, string>();
    for (const path of Object.keys(GUIDES)) {
      const { text } = await get(path);
      pages.set(path, text);
      ids.set(path, new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => String(id))));
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
  });

  it('is the same document at /openapi.json as below the prefixes', async () => {
    const root = await get('/openapi.json');
    assert.deepEqual(root.body, document);
    assert.equal((await get('/v1/openapi.json')).text, root.text);
  });

  it('lets the viewer be stored for a day, and has the page and the document asked for each time', async () => {
    for (const path of Object.keys(FILES)) {
      const { headers } = await get(path);
      const changes = path === '/docs' || path in GUIDES || path === '/openapi.json';
      assert.equal(headers['cache-control'], changes ? 'no-cache' : 'public, max-age=86400', path);
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
    for (const path of [
      '/docs/package.json',
      '/docs/../package.json',
      '/docs/%2e%2e/package.json',
      '/docs/..%2fpackage.json',
      '/docs/swagger-ui.css.map',
      '/docs/openapi.json',
      '/docs/status',
      '/docs/payments/ussd',
      '/api/v1/docs',
    ]) {
      const answer = await get(path);
      assertRefused(answer, 404, 'not_found');
    }
  });

  it('holds the demo key as text, whatever is in it, and in no script', async () => {
    const { text } = await get('/docs');
    assert.match(text, /data-demo-key="sk_&#34;&#62;&#60;script&#62;"/);
    assert.match(text, /data-try-it-out="true"/);
    assert.doesNotMatch((await get('/docs/reference.js')).text, /sk_/);
  });

  it('has no key and only reads where it is told so', async () => {
    const production = await startTestApi({ database: test.database, docs: { tryItOut: false } });
    try {
      const { text } = await production.call('GET', '/docs', { key: null });
      assert.match(text, /data-try-it-out="false"/);
      assert.doesNotMatch(text, /demo-key/);
    } finally {
      await production.stop();
    }
  });

  it('cannot be given a key in production', () => {
    const environment = production();
    assert.equal(loadConfig(environment).MALIPO_ENV, 'production');
    assert.throws(() => loadConfig({ ...environment, DOCS_DEMO_KEY: 'sk_test_1_2' }), /DOCS_DEMO_KEY/);
  });
});
