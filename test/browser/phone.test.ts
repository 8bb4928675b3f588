import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Browser, Page } from 'puppeteer-core';
import type { Gateway } from '../support/gateway.ts';
import { sharedGateway } from '../support/shared-gateway.ts';
import { launchOrSkip, openWatched } from './chromium.ts';
import { phonePage, WAIT_MS } from './phone-page.ts';

/** The phone page as a newcomer meets it: a real browser, a real gateway, both signatures of each callback. */
describe('the phone page in a browser', function () {
  this.timeout(240_000);
  let gateway: Gateway;
  let browser: Browser;
  let page: Page;
  let requested: string[];
  let complaints: string[];
  const { soon, choose, textOf, fill, openTab, newly, ask, press, line, ends, verified, pushAnswered } =
    phonePage(() => ({ page, gateway }));

  before(async function () {
    browser = await launchOrSkip(this, 'the phone page');
    gateway = await sharedGateway();
    ({ page, requested, complaints } = await openWatched(browser));
    page.setDefaultTimeout(WAIT_MS);
    await page.setViewport({ width: 390, height: 844 });
    await page.goto(`${gateway.local.simulator_url}/#0754200001`);
    await page.waitForSelector('#endings button');
    await page.click('#language input[value="en"]');
    await choose('hand');
  });
  // The others who share this gateway want customers that answer by themselves.
  after(async () => {
    if (browser) await choose('automatic');
    await browser?.close();
  });

  it('approves with the keyboard alone, pays from the wallet, and shows the callback with its verification', async () => {
    const before = await textOf('#balance');
    const id = await pushAnswered(async () => {
      await page.focus('#number');
      // The first thing behind the number is the prompt.
      await page.keyboard.press('Tab');
      await page.keyboard.type('1234');
      await page.keyboard.press('Enter');
    }, 'completed');
    await page.waitForFunction('document.activeElement.id === "balance"');
    await ends(id, 'completed');
    await verified(id, 1);
    const written = /\w+ Confirmed\. TZS 5,000 paid to Demo shop on .* Fee TZS 0\. New M-PESA balance is TZS/;
    await soon('the message', async () => written.test(await textOf('#messages')));
    assert.notEqual(await textOf('#balance'), before);
  });

  it('declines', async () => {
    const id = await pushAnswered(() => page.click('[data-do="decline"]'), 'failed');
    await ends(id, 'failed');
    assert.match(await textOf(line(id)), /customer_declined/);
    await verified(id, 1);
  });

  it('lets a prompt expire that the person ignores', async () => {
    const id = await ask('push', '6000');
    assert.match(await textOf('#prompts'), /Pay TZS 6,000 to Demo shop\?|^$/);
    const ignore = await page.waitForSelector('[data-do="ignore"]', { timeout: 5_000 }).catch(() => null);
    await ignore?.click().catch(() => undefined);
    await ends(id, 'failed');
    assert.match(await textOf(line(id)), /customer_timeout/);
    assert.match(await textOf('#messages'), /You did not answer in time: TZS 6,000/);
  });

  it('pays a bill in two parts', async () => {
    const id = await ask('flexible', '25000');
    await page.click('#to-phone');
    for (const [amount, paid] of [
      ['10000', '10,000.00'],
      ['15000', '25,000.00'],
    ] as const) {
      await fill('#pay-amount', 'much');
      await page.keyboard.press('Enter');
      assert.match(await textOf('#pay-outcome'), /Type an amount above 0/);
      await fill('#pay-amount', amount);
      await page.keyboard.press('Enter');
      // Nothing is taken before the person has seen whose bill it is.
      await page.waitForSelector('#pay-confirm [data-pin]');
      assert.match(await textOf('#pay-confirm'), /Pay TZS 1\d,000 to Demo shop: Phone page, control number/);
      await page.keyboard.type('1234');
      await page.keyboard.press('Enter');
      await soon(`${paid} paid`, async () => (await textOf(line(id))).includes(`${paid} of 25,000.00 paid`));
    }
    await ends(id, 'completed');
    await verified(id, 2);
  });

  it('shows what the network and the service said to each other, and keeps a message open while others come', async () => {
    const lines = () =>
      page.$$eval('#exchanges details', (nodes) =>
        nodes.map((node) => {
          const { dataset, textContent } = node as unknown as {
            dataset: { from: string };
            textContent: string;
          };
          return `${dataset.from} ${textContent}`;
        }),
      );
    const push = await soon('the push is in the column', async () =>
      (await lines()).find((line) => line.includes('"amount":"5000"')),
    );
    assert.match(push, /^gateway .*Malipo → network POST \/\S+/);
    assert.ok((await lines()).some((line) => /^network .*network → Malipo \w+ \/channels\//.test(line)));
    await page.click('#exchanges summary');
    const opened = await page.$eval('#exchanges details', (node) => node.getAttribute('data-exchange'));
    const before = (await lines()).length;
    await ask('flexible', '1000');
    await ask('mobile', '2000');
    await soon('more was said', async () => (await lines()).length > before);
    assert.ok(await page.$(`#exchanges details[open][data-exchange="${opened}"]`));
    assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true);
  });

  it("scans the QR code on the merchant's screen, and pays it", async () => {
    const id = await ask('qr', '7000');
    await page.waitForSelector('#answer img');
    await openTab('scan');
    await page.click('#scan-shown');
    await page.waitForFunction('document.getElementById("qr-text").value.startsWith("000201")');
    await page.click('#scan-form button[type="submit"]');
    await ends(id, 'completed');
    await verified(id, 1);
  });

  it('scans a picture of a QR code, and says when there is none in it', async () => {
    const id = await ask('qr', '8000');
    const source = await page.$eval('#answer img', (node) => (node as unknown as { src: string }).src);
    const picture = path.join(gateway.folder, 'qr.png');
    await writeFile(picture, Buffer.from(source.split(',')[1] ?? '', 'base64'));
    await openTab('scan');
    await page.$eval('#qr-text', (node) => {
      (node as unknown as { value: string }).value = '';
    });
    const input = (await page.$('#scan-picture')) as { uploadFile(...files: string[]): Promise<void> } | null;
    await input?.uploadFile(path.join(gateway.folder, 'local.json'));
    await page.waitForFunction('document.getElementById("scan-outcome").textContent.includes("no QR code")');
    await input?.uploadFile(picture);
    await page.waitForFunction('document.getElementById("qr-text").value.startsWith("000201")');
    await page.click('#scan-form button[type="submit"]');
    await ends(id, 'completed');
  });

  it('pays a standing number, and opens the page of a link that it scans', async () => {
    await page.select('#what', 'number');
    await page.click('#ask-form button');
    await page.waitForSelector('#pay-page[href*="/pay/"]');
    await page.click('#to-phone');
    await fill('#pay-amount', '9000');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#pay-confirm [data-pin]');
    await page.keyboard.type('1234');
    await page.keyboard.press('Enter');
    await page.waitForFunction('/standing number · TZS 9,000/.test(document.body.innerText)');

    await page.select('#what', 'link');
    await page.click('#ask-form button');
    const link = await page.waitForSelector('#pay-page[href*="/l/"]');
    const address = String(await link?.evaluate((node) => node.getAttribute('href')));
    await openTab('scan');
    await page.$eval('#qr-text', (node, value) => void Object.assign(node, { value }), address);
    await page.click('#scan-form button[type="submit"]');
    const opened = await (await browser.waitForTarget((one) => one.url() === address)).page();
    await opened?.waitForSelector('form[action^="/l/"]');
    await opened?.close();
  });

  it('tries an ending of the table by its button', async () => {
    await page.$eval('#endings-box', (node) => node.setAttribute('open', ''));
    await page.select('#what', 'push');
    await press('[data-ending="049"]');
    await page.waitForFunction('document.getElementById("number").value === "0754200049"');
    await page.waitForFunction(
      'document.querySelector("[data-transaction]").innerText.includes("insufficient_funds")',
    );
  });

  it('shows what reaches a bank account', async () => {
    await fill('#number', '0754200001');
    await openTab('bank');
    await fill('#account', '0150123456700');
    const id = await ask('bank', '400000');
    await ends(id, 'paid');
    await page.waitForFunction(
      'document.getElementById("account-messages").textContent.includes("You received TZS 400,000.")',
    );
    assert.equal(await textOf('#account-balance'), 'TZS 400,000');
  });

  it('pays a batch that another person starts, one of five fails, and makes a new batch of it', async () => {
    await fill('#number', '0754200001');
    const id = await ask('batch', '4000');
    const own = `[data-batch="${id}"]`;
    await press(`${own} [data-batch-do="start"]`);
    await page.waitForSelector(`${own}[data-status="finished"]`);
    assert.match(
      await textOf(own),
      /of 5 payouts · TZS 20,000\.00 · finished.*4 paid, 1 failed, 0 cancelled/,
    );
    await page.waitForSelector(`${own} [data-callback="verified"]`);
    const another = await newly('batch', 'the new batch', () => press(`${own} [data-batch-do="again"]`));
    const again = `[data-batch="${another}"]`;
    assert.match(await textOf(again), /of 1 payouts · TZS 4,000\.00 · draft/);
  });

  it('speaks Swahili, and fits 390 pixels in both languages', async () => {
    const fits = () => page.evaluate('document.documentElement.scrollWidth <= innerWidth');
    for (const tab of ['wallet', 'pay', 'scan', 'bank']) {
      await openTab(tab);
      assert.equal(await fits(), true, `${tab} in English`);
    }
    await page.click('#language input[value="sw"]');
    await page.waitForFunction('document.documentElement.lang === "sw"');
    for (const tab of ['wallet', 'pay', 'scan', 'bank']) {
      await openTab(tab);
      assert.equal(await fits(), true, `${tab} in Swahili`);
    }
    assert.equal(await textOf('#phone-title'), 'Simu');
    await page.waitForFunction('document.getElementById("transactions").textContent.includes("imekamilika")');
    // Codes, names of people and what a merchant wrote itself stay as they are.
    const words = await page.evaluate(`(() => {
      const page = document.body.cloneNode(true);
      for (const apart of page.querySelectorAll('code, pre, noscript, script, [lang="en"]')) apart.remove();
      return page.textContent;
    })()`);
    const english = String(words)
      .replace(/[a-z]+[.][a-z]+/g, '')
      .match(
        /\b(the|is|you|your|not|paid|pay|to|failed|completed|pending|payout|push|bill|bank|answer|confirmed|balance|receipt|customer)\b/gi,
      );
    assert.deepEqual(english, null);
    await page.click('#language input[value="en"]');
  });

  it('asked no other origin for anything, and the browser had nothing to complain about', () => {
    const { origin } = new URL(gateway.local.simulator_url);
    const outside = requested.filter((url) => !url.startsWith(`${origin}/`) && !/^(data|blob):/.test(url));
    assert.deepEqual(outside, []);
    assert.deepEqual(complaints, []);
  });
});
