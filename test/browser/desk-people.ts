import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'puppeteer-core';
import { moneyInSuspense } from '../support/desk-money.ts';
import { useOperatorDesk } from '../support/operator-desk.ts';
import { launchOrSkip, openWatched } from './chromium.ts';

export const WAIT_MS = 30_000;
/** Where pages are kept as pictures, for whoever wants to look at them; nowhere as a rule. */
const PICTURES = process.env.DESK_PICTURES;
export const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
export const NARROW = { width: 390, height: 844 };
export const WIDE = { width: 1280, height: 900 };

/** asha and juma at the desk, each in a browser of their own, without scripts. Call it in a describe block, read pages in its tests. */
export function useDeskPeople() {
  const { test, desk } = useOperatorDesk();
  let browser: Browser;
  let asha: Page;
  let juma: Page;
  const money = {} as Awaited<ReturnType<typeof moneyInSuspense>>;
  const complaints: string[][] = [];

  before(async function () {
    browser = await launchOrSkip(this, 'the desk');
    Object.assign(money, await moneyInSuspense(test.database));
    asha = await openFor('asha');
    juma = await openFor('juma');
  });
  after(() => browser?.close());

  /** A profile of one's own. The first page that was asked for is where the sign-in leads. */
  async function openFor(name: string, at = '/desk'): Promise<Page> {
    const profile = await browser.createBrowserContext();
    const watched = await openWatched(profile as unknown as Browser);
    complaints.push(watched.complaints);
    const { page } = watched;
    page.setDefaultTimeout(WAIT_MS);
    await page.setJavaScriptEnabled(false);
    await page.setViewport(WIDE);
    await go(page, at);
    assert.equal(pathOf(page), '/desk/sign-in');
    await page.type('#token', desk.tokens[name] ?? '');
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    return page;
  }

  const go = (page: Page, path: string) => page.goto(`${desk.url}${path}`);
  const pathOf = (page: Page) => new URL(page.url()).pathname;
  const shown = (page: Page): Promise<string> =>
    page.$eval('main', (node) => (node as unknown as { textContent: string }).textContent);
  const picture = async (page: Page, name: string) => {
    if (PICTURES)
      await page.screenshot({ path: `${PICTURES}/${name.replace(/\W+/g, '-')}.png`, fullPage: true });
  };

  /** One click on what has these words. */
  async function click(page: Page, words: string): Promise<void> {
    const target = await page.$(
      `::-p-xpath(//*[self::a or self::button][contains(normalize-space(), "${words}")])`,
    );
    assert.ok(target, `${words} is on ${page.url()}: ${await shown(page)}`);
    // What lies in a closed group of the menu costs a click of its own.
    await (await target.$('::-p-xpath(ancestor::details[not(@open)]/summary)'))?.click();
    await Promise.all([page.waitForNavigation(), target.click()]);
  }

  /** The keyboard alone: Tab until what is reached has these words, or is the field of that name. */
  async function reach(page: Page, what: { words?: string; field?: string }): Promise<void> {
    for (let steps = 0; steps < 150; steps += 1) {
      await page.keyboard.press('Tab');
      const [words, field] = await page.evaluate(() => {
        // biome-ignore lint/suspicious/noExplicitAny: the browser's document, which Node's types do not have
        const focused = (globalThis as any).document.activeElement;
        return [focused.textContent.trim(), focused.getAttribute('name')];
      });
      if (what.words === undefined ? field === what.field : words.includes(what.words)) return;
    }
    assert.fail(`the keyboard reaches nothing like ${JSON.stringify(what)} on ${page.url()}`);
  }
  async function enter(page: Page): Promise<void> {
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
  }

  /** By juma, or by whoever has this page and token; what the page then says. */
  async function approve(path: string, page = juma, token = desk.tokens.juma): Promise<string> {
    await go(page, path);
    await page.type('input[type=password]', token ?? '');
    await click(page, 'Approve it: it is carried out at once');
    return shown(page);
  }

  const head = async () => (await test.database.query('SELECT id FROM audit_head')).rows[0].id;
  async function requireLines(since: number, lines: string[]): Promise<void> {
    const { rows } = await test.database.query('SELECT actor, action FROM audit_log WHERE id > $1', [since]);
    const there = rows.map(({ actor, action }) => `${actor.replace('operator:', '')} ${action}`);
    for (const line of lines) assert.ok(there.includes(line), `${line} is not in ${there.join(', ')}`);
  }
  const balance = async () =>
    (await desk.call('asha', 'GET', `accounts/${money.accountId}`)).body.balance.available;

  return {
    test,
    desk,
    money,
    complaints,
    people: () => ({ browser, asha, juma }),
    openFor,
    go,
    pathOf,
    shown,
    picture,
    click,
    reach,
    enter,
    approve,
    head,
    requireLines,
    balance,
  };
}
