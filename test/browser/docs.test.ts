// tests: generated
import assert from 'node:assert/strict';
import type { Browser, ElementHandle, Page } from 'puppeteer-core';
import type { Gateway } from '../support/gateway.ts';
import { everyNth } from '../support/generated.ts';
import { sharedGateway } from '../support/shared-gateway.ts';
import { launchOrSkip, openWatched } from './chromium.ts';

const WAIT_MS = 30_000;

type Shown = { status: number; body: string };

/** Requests sent from the reference, as a merchant's engineer does it: a real browser, a real gateway, the demo key. */
describe('requests sent from the reference in a browser', function () {
  this.timeout(300_000);
  let gateway: Gateway;
  let browser: Browser;
  let page: Page;
  let requested: string[];
  let complaints: string[];

  before(async function () {
    browser = await launchOrSkip(this, 'requests of the reference');
    gateway = await sharedGateway();
    ({ page, requested, complaints } = await openWatched(browser));
  });
  after(async () => await browser?.close());

  const read = (resource: string) =>
    page.goto(`${gateway.local.api_url}/docs/reference/${resource}`, { waitUntil: 'networkidle0' });

  /** Opens the form of an operation of the page that is shown. */
  async function open(id: string): Promise<ElementHandle> {
    const form = await page.waitForSelector(`#${id} .send`, { visible: true, timeout: WAIT_MS });
    assert.ok(form, id);
    if ((await form.$eval('form', (node) => node.checkVisibility())) === false)
      await (await form.$('summary'))?.click();
    return form;
  }

  async function send(form: ElementHandle): Promise<Shown> {
    await (await form.$('button'))?.click();
    const answer = await form.$('output');
    const text = await page.waitForFunction(
      (node) => /^\d{3} /.test(node?.textContent ?? '') && node?.textContent,
      { timeout: WAIT_MS },
      answer,
    );
    const [status = '', ...body] = String(await text.jsonValue()).split('\n');
    return { status: Number(status.split(' ')[0]), body: body.join('\n') };
  }

  const typedIn = (form: ElementHandle, name: string): Promise<string> =>
    form.$eval(`[name="${name}"]`, (node) => (node as unknown as { value: string }).value);

  const idIn = ({ body }: Shown) => /"transaction_id": "([0-9a-f-]{36})"/.exec(body)?.[1];

  it('has the demo key ready, so that the balance is there at once', async () => {
    await read('balance');
    const { status, body } = await send(await open('getBalance'));
    assert.equal(status, 200, body);
    assert.match(body, /"current": \d+/);
  });

  it('sends one order once, however often it is sent, and another one after a change', async () => {
    await read('payments');
    const form = await open('initiateUssdPush');
    const key = await typedIn(form, 'Idempotency-Key');
    assert.match(key, /^[0-9a-f]{32}$/);
    const first = await send(form);
    assert.equal(first.status, 200, first.body);
    assert.equal(idIn(await send(form)), idIn(first));
    assert.equal(await typedIn(form, 'Idempotency-Key'), key);
    await (await form.$('textarea'))?.press('Space');
    assert.notEqual(await typedIn(form, 'Idempotency-Key'), key);
    assert.notEqual(idIn(await send(form)), idIn(first));
  });

  it('looks up and refunds what was created without an id being typed', async () => {
    const form = await open('initiateUssdPush');
    const id = idIn(await send(form));
    assert.equal((await gateway.outcome('payments', String(id))).status, 'completed');
    for (const operation of ['getPayment', 'refundPayment']) {
      const { status, body } = await send(await open(operation));
      assert.equal(status, 200, `${operation}: ${body}`);
    }
  });

  for (const [resource, id] of everyNth(3, [
    ['payments', 'createBill'],
    ['payments', 'createQr'],
    ['payouts', 'previewMobilePayout'],
    ['payouts', 'initiateMobilePayout'],
    ['payouts', 'previewBankPayout'],
    ['payouts', 'initiateBankPayout'],
    ['transactions', 'getTransactions'],
    ['statements', 'getStatement'],
    ['callbacks', 'getCallbacks'],
    ['callbacks', 'putCallbackSettings'],
  ] as const))
    it(`sends ${id} as it stands`, async () => {
      await read(resource);
      const { status, body } = await send(await open(id));
      assert.equal(status, 200, body);
    });

  it('sends nothing with a live key', async () => {
    await read('balance');
    const before = requested.length;
    await page.$eval('#send-key', (node) => {
      (node as unknown as { value: string }).value = `sk_live_${'a'.repeat(12)}_${'b'.repeat(38)}`;
    });
    const form = await open('getBalance');
    await (await form.$('button'))?.click();
    await page.waitForFunction(
      (node) => node?.textContent?.startsWith('Only a test key'),
      { timeout: WAIT_MS },
      await form.$('output'),
    );
    assert.equal(requested.length, before);
  });

  it('shows a guide with tabs by language, and copies what is shown', async () => {
    await page.goto(`${gateway.local.api_url}/docs/quickstart`, { waitUntil: 'networkidle0' });
    const shown = () =>
      page.$$eval('article > pre', (blocks) =>
        (blocks as unknown as { hidden: boolean; dataset: { language: string } }[])
          .filter(({ hidden }) => !hidden)
          .map(({ dataset }) => dataset.language),
      );
    assert.ok(!(await shown()).includes('python'));
    await page.click('.tabs button[data-language="python"]');
    assert.equal((await shown()).filter((language) => language === 'python').length, 7);
    await browser
      .defaultBrowserContext()
      .overridePermissions(gateway.local.api_url, ['clipboard-read', 'clipboard-write']);
    await page.click('pre[data-language="python"] .copy');
    await page.waitForFunction(
      () => {
        // biome-ignore lint/suspicious/noExplicitAny: the browser's document, which Node's types do not have
        const page = (globalThis as any).document;
        return page.querySelector('pre[data-language="python"] .copy').textContent !== 'Copy';
      },
      { timeout: WAIT_MS },
    );
  });

  it('asked no other origin for anything, and the browser had nothing to complain about', async () => {
    const { origin } = new URL(gateway.local.api_url);
    const outside = requested.filter((url) => !url.startsWith(`${origin}/`) && !url.startsWith('data:'));
    assert.deepEqual(outside, []);
    assert.ok(requested.some((url) => url === `${origin}/api/v1/balance`));
    assert.deepEqual(complaints, []);
  });
});
