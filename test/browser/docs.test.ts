import assert from 'node:assert/strict';
import type { Browser, ElementHandle, Page } from 'puppeteer-core';
import { document } from '../support/contract.ts';
import type { Gateway } from '../support/gateway.ts';
import { sharedGateway } from '../support/shared-gateway.ts';
import { findChromium, launch } from './chromium.ts';

const WAIT_MS = 20_000;

/** The reference page as a merchant's engineer opens it: a real browser, a real gateway, the demo key. */
describe('the reference page in a browser', function () {
  this.timeout(120_000);
  let gateway: Gateway;
  let browser: Browser;
  let page: Page;
  const requested: string[] = [];
  const complaints: string[] = [];

  before(async function () {
    const chromium = findChromium();
    if (chromium === undefined) {
      console.error('\n  NOT TESTED: /docs in a browser, because no Chromium is installed here\n');
      this.skip();
    }
    gateway = await sharedGateway();
    browser = await launch(chromium);
    page = await browser.newPage();
    page.on('request', (request) => requested.push(request.url()));
    page.on('requestfailed', (request) => complaints.push(`failed: ${request.url()}`));
    page.on('console', (message) => {
      if (['error', 'warn'].includes(message.type())) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.goto(`${gateway.local.api_url}/docs`, { waitUntil: 'networkidle0' });
    await page.waitForSelector('.opblock', { timeout: WAIT_MS });
  });
  after(async () => {
    await browser?.close();
  });

  const operation = (id: string): Promise<ElementHandle> =>
    page.waitForSelector(`.opblock[id$="-${id}"]`, { timeout: WAIT_MS }).then((found) => {
      assert.ok(found, id);
      return found;
    });

  const textOf = (element: ElementHandle, selector: string): Promise<string> =>
    element.$eval(selector, (node) => (node as unknown as { textContent: string }).textContent.trim());

  async function click(element: ElementHandle, selector: string): Promise<void> {
    const target = await element.waitForSelector(selector, { timeout: WAIT_MS });
    assert.ok(target, selector);
    await target.click();
  }

  /** Opens an operation, presses “Try it out” and “Execute”; the status and the body that the page then shows. */
  async function tryOut(id: string): Promise<{ status: string; body: string }> {
    const block = await operation(id);
    await click(block, '.opblock-summary-control');
    await click(block, '.try-out__btn');
    await click(block, 'button.execute');
    await block.waitForSelector('.live-responses-table .response', { timeout: WAIT_MS });
    return {
      status: await textOf(block, '.live-responses-table .response .response-col_status'),
      body: await textOf(block, '.live-responses-table .response .highlight-code'),
    };
  }

  it('shows every operation and every callback of the document', async () => {
    const shown = await page.$$eval('.opblock', (blocks) =>
      blocks.map((block) => (block as unknown as { id: string }).id.split('-').pop()),
    );
    type Items = Record<string, Record<string, { operationId: string }>>;
    const paths: Items = document.paths;
    const operations = Object.values({ ...paths, ...(document.components.pathItems as Items) }).flatMap(
      (item) => Object.values(item),
    );
    assert.deepEqual(shown.sort(), operations.map(({ operationId }) => operationId).sort());
  });

  it('asks for the status when it is tried out', async () => {
    const { status, body } = await tryOut('getStatus');
    assert.match(status, /^200/);
    assert.match(body, /"success": true/);
  });

  it('has the demo key ready, so that the balance is there at once', async () => {
    const { status, body } = await tryOut('getBalance');
    assert.match(status, /^200/);
    const { json } = await gateway.request('GET', 'balance');
    assert.ok(body.includes(`"current": ${json.balance.current}`), body);
  });

  it('starts a payment from the example', async () => {
    const block = await operation('initiateUssdPush');
    const { status, body } = await tryOut('initiateUssdPush');
    assert.match(status, /^200/, body);
    assert.match(await textOf(block, '.request-url'), /\/api\/v1\/payments\/ussd$/);
    const id = /"transaction_id": "([0-9a-f-]{36})"/.exec(body)?.[1];
    assert.equal((await gateway.request('GET', `payments/${id}`)).status, 200);
  });

  it('asked no other origin for anything, and the browser had nothing to complain about', async () => {
    const { origin } = new URL(gateway.local.api_url);
    const outside = requested.filter((url) => !url.startsWith(`${origin}/`) && !url.startsWith('data:'));
    assert.deepEqual(outside, []);
    assert.ok(requested.some((url) => url === `${origin}/api/v1/balance`));
    assert.deepEqual(complaints, []);
  });
});
