// tests: generated
import assert from 'node:assert/strict';
import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Browser, Page } from 'puppeteer-core';
import { tryToEnd } from '../../src/transactions/ending/end.ts';
import { pageTokenOf, receiptTokenOf } from '../../src/transactions/rows/page-token.ts';
import { payBill, paymentOf } from '../support/bill-customer.ts';
import { openBillDesk } from '../support/bill-desk.ts';
import { asRole } from '../support/database.ts';
import { everyNth } from '../support/generated.ts';
import { billRequest } from '../support/merchant.ts';
import { makeNumber } from '../support/numbers.ts';
import { startPayPages, tokenKeys } from '../support/pay-pages.ts';
import { pick } from '../support/pick.ts';
import { succeeded } from '../support/scripted-channel.ts';
import { launchOrSkip } from './chromium.ts';
import { axe } from './desk-people.ts';

/** On a line of 50 kbit/s, what a first paint within 3 s leaves for the page and its headers. */
const WIRE_BYTES_MAX = 8 * 1024;
const PICTURE_BYTES_MAX = 60 * 1024;

describe('the page to pay on, in a browser', function () {
  this.timeout(240_000);
  const desk = openBillDesk();
  let browser: Browser;
  let pages: Awaited<ReturnType<typeof startPayPages>>;
  before(async function () {
    browser = await launchOrSkip(this, 'the page to pay on');
    pages = await startPayPages(desk.database);
  });
  after(async () => {
    await browser?.close();
    await pages?.close();
  });
  const addressOf = (id: string, language = 'sw') =>
    `${pages.url}/pay/${pageTokenOf(tokenKeys, id)}?lang=${language}`;
  const bill = () =>
    desk.bill({ ...billRequest(25_000), description: 'Ada ya shule, Asha Juma, muhula wa 1' });

  async function open(width: number, { scripts = false } = {}): Promise<Page> {
    const page = await browser.newPage();
    await page.setJavaScriptEnabled(scripts);
    await page.setViewport({ width, height: 800 });
    return page;
  }

  it('is one file of at most 8 KB on the wire, and no script is asked for', async () => {
    const { id } = await bill();
    const page = await open(390);
    const session = await page.createCDPSession();
    await session.send('Network.enable');
    await session.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 300,
      downloadThroughput: 50 * 125,
      uploadThroughput: 50 * 125,
    });
    const asked: string[] = [];
    let bytes = 0;
    session.on('Network.requestWillBeSent', ({ request }) => {
      if (!request.url.startsWith('data:')) asked.push(request.url);
    });
    session.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength;
    });
    await page.goto(addressOf(id), { waitUntil: 'networkidle0' });
    assert.deepEqual(asked, [page.url()]);
    assert.ok(bytes > 0 && bytes <= WIRE_BYTES_MAX, `${bytes} bytes`);
    await page.close();
  });

  it('is right for everybody at 240, 390 and 1,280 pixels, in both languages, and on one sheet', async () => {
    // PAY_PICTURES=docs: those of docs/pay.md.
    const folder = process.env.PAY_PICTURES;
    if (folder) await mkdir(folder, { recursive: true });
    const { id } = await bill();
    const number = await makeNumber(desk.database, desk.merchant, { minimum: 1_000 });
    const paid = await desk.bill();
    await payBill(asRole(desk.database, 'api'), paymentOf(paid.number, 25_000));
    const receipt = `${pages.url}/r/${receiptTokenOf(tokenKeys, { id: paid.id, part: 1 })}`;
    for (const width of everyNth(3, [240, 390, 1_280]))
      for (const language of ['sw', 'en'])
        for (const address of [
          addressOf(id, language),
          addressOf(number.id, language),
          `${receipt}?lang=${language}`,
        ]) {
          const page = await open(width, { scripts: true });
          // For axe, which is a script: the page itself lets none run.
          await page.setBypassCSP(true);
          assert.equal((await page.goto(address))?.status(), 200, address);
          const wide = await page.evaluate('document.documentElement.scrollWidth');
          assert.ok(Number(wide) <= width, `${wide} pixels at ${width}`);
          await page.evaluate(axe);
          const { violations } = (await page.evaluate('axe.run()')) as { violations: { id: string }[] };
          assert.deepEqual(pick(violations, 'id'), [], `${width} ${language}`);
          if (folder && address === addressOf(id, language)) {
            const file = path.join(folder, `pay-${width}-${language}.webp`) as `${string}.webp`;
            await page.screenshot({ path: file, type: 'webp', quality: 60, fullPage: width < 1_000 });
            assert.ok((await stat(file)).size <= PICTURE_BYTES_MAX, file);
          }
          await page.close();
        }
    const page = await open(1_280);
    for (const address of [addressOf(id), receipt]) {
      await page.goto(address);
      const pdf = Buffer.from(await page.pdf({ format: 'A4' })).toString('latin1');
      assert.equal(pdf.match(/\/Type\s*\/Page\b/g)?.length, 1, address);
    }
    await page.close();
  });

  const link = async () => {
    const code = 'k7m2xq9a';
    const of = { description: 'Kitenge', minimum: 25_000, maximum: 25_000 };
    const its = { code, quantity: 'once', expiresAt: null } as const;
    await makeNumber(desk.database, desk.merchant, { ...of, purpose: 'link', link: its });
    return `${pages.url}/l/${code}`;
  };

  for (const [from, address] of [
    ['the page of a bill', async () => addressOf((await bill()).id)],
    ['a link', link],
  ] as const)
    it(`leads without a script from ${from} to the receipt`, async () => {
      const page = await open(390);
      await page.goto(await address());
      await page.type('#phone', from === 'a link' ? '0754 000 002' : '0754 000 001');
      await Promise.all([page.waitForNavigation(), page.click('button')]);
      const textOf = () => page.$eval('main', (main) => main.textContent ?? '');
      assert.match(await textOf(), /Ombi la malipo limetumwa/);
      const { transactionId } = pages.flows.submissions.at(-1) ?? { transactionId: '' };
      const result = succeeded(25_000, `CKL6A1B2C${from.length}`);
      await tryToEnd(desk.database, transactionId, { kind: 'answer', result });
      await Promise.all([page.waitForNavigation(), page.click('main a')]);
      assert.match(await textOf(), /Imelipwa: 25,000 TZS.*CKL6A1B2C\d+/s);
      await page.close();
    });
});
