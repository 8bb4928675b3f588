import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Page } from 'puppeteer-core';
import { until } from '../support/wait.ts';
import { WALLET_DAY, walletFile } from '../support/wallet-file.ts';
import { useDeskPeople, WAIT_MS } from './desk-people.ts';

/** The second half of docs/operations/morning.md, by two people of finance and with clicks alone. */
describe('a morning at the desk, from a statement to a closed day', function () {
  this.timeout(240_000);
  const { desk, money, complaints, openFor, go, pathOf, shown, click, approve, head, requireLines } =
    useDeskPeople();
  const folder = mkdtempSync(path.join(os.tmpdir(), 'malipo-desk-'));
  let neema: Page;
  let rehema: Page;
  before(async () => {
    for (const name of ['neema', 'rehema']) await desk.hire(name, ['finance']);
    neema = await openFor('neema');
    rehema = await openFor('rehema');
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  /** The form behind this title: what is typed into it, and its button. */
  async function fold(page: Page, title: string, typed: string): Promise<void> {
    const details = await page.$(`::-p-xpath(//details[summary[contains(., "${title}")]])`);
    assert.ok(details, `${title} is on ${page.url()}: ${await shown(page)}`);
    await (await details.$('summary'))?.click();
    await (await details.$('textarea'))?.type(typed);
    await Promise.all([page.waitForNavigation(), (await details.$('button'))?.click()]);
  }
  async function agree(): Promise<void> {
    assert.match(pathOf(neema), /^\/desk\/proposals\/pr_/);
    assert.match(await approve(pathOf(neema), rehema, desk.tokens.rehema), /Stateexecuted/);
  }

  it('imports a statement, decides its line, and closes its day', async () => {
    const since = await head();
    const file = path.join(folder, 'statement.csv');
    writeFileSync(file, walletFile(1));
    await click(neema, 'Float');
    const details = await neema.$('::-p-xpath(//details[summary[contains(., "statement of m-pesa")]])');
    await (await details?.$('summary'))?.click();
    const input = await details?.$('input[type=file]');
    await (input as unknown as { uploadFile(name: string): Promise<void> }).uploadFile(file);
    await Promise.all([neema.waitForNavigation(), (await details?.$('button'))?.click()]);
    assert.match(await shown(neema), /The statement is whole, and it is imported.*1: 1 new, 0 known before/s);

    await click(neema, 'Its open lines');
    await click(neema, '1,000.00 TZS');
    await fold(neema, 'company', 'paid in by our directors');
    await agree();

    await click(neema, 'Days');
    assert.match(await shown(neema), new RegExp(`${WALLET_DAY}m-pesabalanced`));
    await fold(neema, 'Close this day', 'all is explained');
    await agree();
    await click(neema, 'Days');
    assert.match(await shown(neema), new RegExp(`${WALLET_DAY}m-pesaclosed`));
    await click(neema, WALLET_DAY);
    assert.match(await shown(neema), /m-pesaclosed/);
    await requireLines(since, [
      'neema call.importStatement',
      'neema call.getLine',
      'neema proposals.propose',
      'rehema proposals.approve',
      'rehema lines.own',
      'rehema days.close',
      'neema call.dailyReport',
    ]);
  });

  it('downloads a statement of a merchant as a file', async () => {
    const since = await head();
    // A page of its own: a browser calls a navigation that became a file a failed one.
    const page = await neema.browserContext().newPage();
    await page.setJavaScriptEnabled(false);
    const session = await page.createCDPSession();
    await session.send('Page.setDownloadBehavior', { behavior: 'allow', downloadPath: folder });
    await go(page, `/desk/merchants/${money.accountId}`);
    await click(page, 'Statement');
    await (await page.$('a[download]'))?.click();
    const arrived = () => readdirSync(folder).find((name) => /^merchants-.*\.csv$/.test(name));
    const name = await until(arrived, { deadlineMs: WAIT_MS, what: 'the statement as a file' });
    assert.match(
      readFileSync(path.join(folder, name), 'utf8'),
      /^Line,When,Day,What,Reference,Amount,Balance,Transaction\r\n1,\S+\+03:00,\d{4}-\d\d-\d\d,top up: /,
    );
    await requireLines(since, ['neema call.getStatement']);
    await page.close();
  });

  it('gave the browser nothing to complain about', () => {
    assert.deepEqual(complaints.flat(), []);
  });
});
