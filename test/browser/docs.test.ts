// tests: generated
import assert from 'node:assert/strict';
import type { Browser, ElementHandle, Page } from 'puppeteer-core';
import { document } from '../support/contract.ts';
import type { Gateway } from '../support/gateway.ts';
import { everyNth } from '../support/generated.ts';
import { sharedGateway } from '../support/shared-gateway.ts';
import { until } from '../support/wait.ts';
import { launchOrSkip, openWatched } from './chromium.ts';

const WAIT_MS = 30_000;

type Shown = { status: string; body: string };

/** “Try it” as a merchant's engineer opens it: a real browser, a real gateway, the demo key. */
describe('requests tried out in a browser', function () {
  this.timeout(300_000);
  let gateway: Gateway;
  let browser: Browser;
  let page: Page;
  let requested: string[];
  let complaints: string[];

  before(async function () {
    browser = await launchOrSkip(this, '/docs/try');
    gateway = await sharedGateway();
    ({ page, requested, complaints } = await openWatched(browser));
    await page.goto(`${gateway.local.api_url}/docs/try`, { waitUntil: 'networkidle0' });
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

  const typedIn = (element: ElementHandle, selector: string): Promise<string> =>
    element.$eval(selector, (node) => (node as unknown as { value: string }).value);

  async function click(element: ElementHandle, selector: string): Promise<void> {
    const target = await element.waitForSelector(selector, { timeout: WAIT_MS });
    assert.ok(target, selector);
    await target.evaluate((node) => (node as unknown as { click(): void }).click());
  }

  /** Opens an operation and presses “Try it out”. */
  async function open(id: string): Promise<ElementHandle> {
    const block = await operation(id);
    await click(block, '.opblock-summary-control');
    await click(block, '.try-out__btn');
    await block.waitForSelector('button.execute', { timeout: WAIT_MS });
    return block;
  }

  /** Presses “Execute”; the status and the body that the page then shows. */
  async function execute(block: ElementHandle): Promise<Shown> {
    await click(block, 'button.execute');
    await block.waitForSelector('.live-responses-table .response', { timeout: WAIT_MS });
    await page.waitForNetworkIdle({ idleTime: 200, timeout: WAIT_MS });
    return {
      status: await textOf(block, '.live-responses-table .response .response-col_status'),
      body: await textOf(block, '.live-responses-table .response .highlight-code'),
    };
  }

  const tryOut = async (id: string): Promise<Shown> => execute(await open(id));

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
    assert.match(body, /"current": \d+/);
  });

  // The page keeps the ids of a push and of a payout for the tests further down.
  for (const id of [
    'initiateUssdPush',
    ...everyNth(5, [
      'createBill',
      'createQr',
      'previewMobilePayout',
      'previewBankPayout',
      'initiateBankPayout',
    ]),
    'initiateMobilePayout',
  ]) {
    it(`creates by ${id} as it stands, with a key of its own each time`, async () => {
      const block = await open(id);
      const keyField = 'tr[data-param-name="Idempotency-Key"] input';
      const needsKey = (await block.$(keyField)) !== null;
      const key = needsKey ? await typedIn(block, keyField) : '';
      const first = await execute(block);
      assert.match(first.status, /^200/, first.body);
      if (!needsKey) return;
      assert.match(key, /^[0-9a-f]{32}$/);
      await until(async () => (await typedIn(block, keyField)) !== key, {
        deadlineMs: WAIT_MS,
        what: 'another key stands there',
      });
      const second = await execute(block);
      assert.match(second.status, /^200/, second.body);
      await until(async () => idIn(await shownBy(block)) !== idIn(first), {
        deadlineMs: WAIT_MS,
        what: 'the second answer is of another transaction',
      });
    });
  }

  const idIn = ({ body }: Shown) => /"transaction_id": "([0-9a-f-]{36})"/.exec(body)?.[1];

  const shownBy = async (block: ElementHandle): Promise<Shown> => ({
    status: '',
    body: await textOf(block, '.live-responses-table .response .highlight-code'),
  });

  it('looks up what was created without an id being typed', async () => {
    for (const id of ['getPayout', 'checkPayout', 'getTransaction', 'getEntries', 'getPayment']) {
      const { status, body } = await tryOut(id);
      assert.match(status, /^200/, `${id}: ${body}`);
    }
  });

  it('refunds what was just paid, without its id being typed', async () => {
    const push = await operation('initiateUssdPush');
    const before = idIn(await shownBy(push));
    await click(push, 'button.execute');
    const paid = await until(
      async () => {
        const id = idIn(await shownBy(push));
        return id === before ? undefined : id;
      },
      { deadlineMs: WAIT_MS, what: 'one more push was answered' },
    );
    assert.equal((await gateway.outcome('payments', paid)).status, 'completed');
    const { status, body } = await tryOut('refundPayment');
    assert.match(status, /^200/, body);
  });

  for (const id of everyNth(4, ['getTransactions', 'getBankList', 'getCallbacks', 'getStatement'])) {
    it(`lists rows by ${id} as it stands: no filter is filled in`, async () => {
      const block = await open(id);
      const rows = await until(
        async () => {
          const { status, body } = await execute(block);
          assert.match(status, /^200/, body);
          const answer = JSON.parse(body.slice(body.indexOf('{'), body.lastIndexOf('}') + 1));
          return (answer.payouts ?? answer.data).length;
        },
        { deadlineMs: WAIT_MS, what: `${id} has rows` },
      );
      assert.ok(rows > 0);
      const url = await textOf(block, '.request-url pre');
      assert.match(url, /\?page=1&per_page=20$/);
    });
  }

  it('leaves the callbacks where they go when the settings are saved as they stand', async () => {
    const settings = async () => {
      const {
        updated_at: _,
        message: __,
        ...kept
      } = (await gateway.request('GET', 'callbacks/settings')).json;
      return kept;
    };
    const before = await settings();
    assert.match(before.callback_url, /\/receiver$/);
    const { status, body } = await tryOut('putCallbackSettings');
    assert.match(status, /^200/, body);
    assert.deepEqual(await settings(), before);
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
