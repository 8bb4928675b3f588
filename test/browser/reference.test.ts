// tests: generated
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'puppeteer-core';
import { fingerprintOf, readKeyId } from '../../src/accounts/key-format.ts';
import { createDocs } from '../../src/api/reference/docs-page.ts';
import { openApiOf } from '../../src/api/reference/openapi.ts';
import { calls } from '../../src/api/routes.ts';
import { appOf } from '../../src/platform/http/app.ts';
import { listen } from '../../src/platform/process/listen.ts';
import { everyNth } from '../support/generated.ts';
import { launchOrSkip, openWatched, type Watched } from './chromium.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const BYTES_MAX = 100_000;

describe('the reference in a browser', function () {
  this.timeout(240_000);
  let browser: Browser;
  let origin: string;
  let close: (patienceMs: number) => Promise<void>;

  before(async function () {
    browser = await launchOrSkip(this, 'the reference');
    const served = createDocs({
      document: openApiOf(calls),
      demoKey: 'sk_test_demo',
      canSend: true,
      admitReader: () => {},
    });
    const app = appOf({ served, layers: [], seeAlso: '/docs' });
    const listening = await listen(app.callback(), { port: 0, host: '127.0.0.1' });
    origin = `http://127.0.0.1:${listening.port}`;
    close = listening.close;
  });
  after(async () => {
    await browser?.close();
    await close?.(0);
  });

  async function open(path: string, { width = 1280, scheme = 'light' } = {}): Promise<Watched> {
    const watched = await openWatched(browser);
    await watched.page.setViewport({ width, height: 844 });
    await watched.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
    await watched.page.goto(`${origin}${path}`, { waitUntil: 'networkidle0' });
    return watched;
  }

  /** What axe-core complains about: each rule with the first element that breaks it. */
  async function complaintsOfAxe(page: Page): Promise<string[]> {
    await page.evaluate(axe);
    const found =
      'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes[0].html))';
    return (await page.evaluate(found)) as string[];
  }

  const PATHS = [
    '/docs',
    '/docs/quickstart',
    '/docs/errors',
    '/docs/key',
    '/docs/reference/payments',
    '/docs/reference/callbacks',
  ];

  for (const width of [1280, 390])
    for (const scheme of ['light', 'dark'])
      it(`fits ${width} pixels, is ${scheme}, and axe finds nothing`, async () => {
        for (const path of everyNth(3, PATHS)) {
          const { page, complaints } = await open(path, { width, scheme });
          assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true, path);
          const paper = String(await page.evaluate('getComputedStyle(document.body).backgroundColor'));
          assert.equal(paper === 'rgb(255, 255, 255)', scheme === 'light', path);
          assert.deepEqual(await complaintsOfAxe(page), [], path);
          assert.deepEqual(complaints, [], path);
          await page.close();
        }
      });

  it('makes a key that the service reads, sends nothing of it, and shows it once', async () => {
    const { page, requested, complaints } = await open('/docs/key');
    const textOf = (selector: string): Promise<string> =>
      page.$eval(selector, (node) => (node as unknown as { textContent: string }).textContent);
    const make = async (id: string): Promise<string> => {
      await page.$eval('#of', (node) => {
        (node as unknown as { value: string }).value = '';
      });
      if (id !== '') await page.type('#of', id);
      const before = await textOf('#key-text');
      await page.click('#make');
      await page.waitForFunction(
        `document.getElementById('key-text').textContent !== ${JSON.stringify(before)} || document.getElementById('problem').textContent !== ''`,
      );
      return textOf('#key-text');
    };
    const loaded = requested.length;
    const key = await make('');
    const id = readKeyId('sk_test', key);
    assert.ok(id, key);
    assert.equal(await textOf('#key-printed'), `sk_test_${id}:${fingerprintOf(key)}`);
    assert.notEqual(await make(''), key);
    for (let n = 0; n < 50; n += 1) assert.ok(readKeyId('sk_test', await make('')));
    assert.equal(readKeyId('sk_test', await make(`sk_test_${id}`)), id);
    await make('nonsense');
    assert.match(await textOf('#problem'), /no id of a key/);
    assert.equal(await page.$eval('#made', (node) => (node as unknown as { hidden: boolean }).hidden), true);
    assert.deepEqual(await page.evaluate('[localStorage.length - 1, sessionStorage.length]'), [0, 0]);
    assert.equal(requested.length, loaded, 'nothing is asked for');
    await page.reload({ waitUntil: 'networkidle0' });
    assert.equal(await textOf('#key-text'), '');
    assert.deepEqual(complaints, []);
    await page.close();
  });

  it('needs at most 100 KB until the first operation can be read and its examples are in tabs', async () => {
    const page = await browser.newPage();
    const session = await page.createCDPSession();
    await session.send('Network.enable');
    await session.send('Network.setCacheDisabled', { cacheDisabled: true });
    let bytes = 0;
    session.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength;
    });
    await page.goto(`${origin}/docs/reference/payments`, { waitUntil: 'networkidle0' });
    assert.equal(
      await page.$eval(
        'section.operation h2',
        (node) => (node as unknown as { textContent: string }).textContent,
      ),
      "Ask a customer's phone to confirm a payment",
    );
    assert.ok(await page.$('.tabs button[aria-selected="true"]'));
    assert.ok(bytes > 10_000 && bytes <= BYTES_MAX, `${bytes} bytes`);
    await page.close();
  });

  it('shows address, key and first request before anybody scrolls', async () => {
    const { page } = await open('/docs');
    const shown = await page.$$eval('.facts dd, .steps pre:not([hidden]) code', (nodes) =>
      nodes.map((node) => {
        const { top } = (
          node as unknown as { getBoundingClientRect(): { top: number } }
        ).getBoundingClientRect();
        return [(node as unknown as { textContent: string }).textContent, top < 600] as const;
      }),
    );
    assert.deepEqual(
      shown.map(([, isSeen]) => isSeen),
      [true, true, true],
    );
    assert.deepEqual(
      shown.slice(0, 2).map(([text]) => text),
      [`${origin}/api/v1`, 'sk_test_demo'],
    );
    assert.match(String(shown[2]?.[0]), /^curl -sS "\$API_URL\/payments\/ussd"/);
    await page.close();
  });

  for (const [wanted, first] of [
    ['ussd', '/docs/reference/payments#initiateUssdPush'],
    ['insufficient_balance', '/docs/errors#insufficient_balance'],
    ['payment_mode', '/docs/reference/payments#createBill'],
    ['going live', '/docs/going-live#going-live'],
  ] as const)
    it(`finds ${wanted} without a service, and goes there by the keyboard`, async () => {
      const { page } = await open('/docs');
      await page.type('#wanted', wanted);
      await page.waitForSelector('#found a');
      await page.keyboard.press('Enter');
      await page.waitForFunction(`location.pathname + location.hash === ${JSON.stringify(first)}`);
      await page.close();
    });

  it('marks the operation that is being read', async () => {
    const { page } = await open('/docs/reference/payments#createQr');
    await page.waitForSelector('.operations a[href="#createQr"][aria-current="location"]');
    await page.close();
  });

  it('can be read without scripts', async () => {
    const page = await browser.newPage();
    await page.setJavaScriptEnabled(false);
    await page.goto(`${origin}/docs/reference/payouts`);
    assert.equal((await page.$$('section.operation')).length, 17);
    await page.close();
  });
});
