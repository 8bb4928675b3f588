import assert from 'node:assert/strict';
import type { ElementHandle, Page } from 'puppeteer-core';
import { tryToEnd } from '../../src/transactions/ending/end.ts';
import { moneyInSuspense } from '../support/desk-money.ts';
import { handedOver } from '../support/handed-over.ts';
import { pushRequest } from '../support/merchant.ts';
import { plantPaidPush } from '../support/paid-push.ts';
import { succeeded } from '../support/scripted-channel.ts';
import { importMoves, walletAccount } from '../support/statements-of-accounts.ts';
import { useDeskPeople } from './desk-people.ts';

const DAY_MINUTES = 24 * 60;
const LATE_DAYS = 4;
const ALIKE = 11;
const TABS_MAX = 200;

type Target = ElementHandle;
/** A hand sets off a link, a button or a group, and gets into a field. */
type Hand = {
  act(page: Page, target: Target): Promise<void>;
  enter(page: Page, field: Target): Promise<void>;
  choose(page: Page, field: Target, words: string): Promise<void>;
};

/** A click into a field counts, too. */
const mouse: Hand = {
  act: (_page, target) => target.click(),
  enter: (_page, field) => field.click(),
  async choose(page, field, words) {
    await field.click();
    await page.keyboard.type(words);
    await page.keyboard.press('Enter');
  },
};

const keyboard: Hand = {
  async act(page, target) {
    await tabTo(page, target);
    const isLink = await target.evaluate((node) => node.nodeName === 'A');
    await page.keyboard.press(isLink ? 'Enter' : 'Space');
  },
  enter: tabTo,
  async choose(page, field, words) {
    await tabTo(page, field);
    await page.keyboard.type(words);
  },
};

/** Tab alone, from wherever the page was; the target then shows that it has the focus. */
async function tabTo(page: Page, target: Target): Promise<void> {
  const focus = () =>
    target.evaluate((node) => {
      // biome-ignore lint/suspicious/noExplicitAny: the browser's elements, which Node's types do not have
      const [one, { getComputedStyle }] = [node as any, globalThis as any];
      if (one.ownerDocument.activeElement !== one) return null;
      const { outlineStyle, outlineWidth } = getComputedStyle(one);
      return { style: outlineStyle as string, width: Number.parseFloat(outlineWidth) };
    });
  for (let tabs = 0; tabs < TABS_MAX; tabs += 1) {
    await page.keyboard.press('Tab');
    const shown = await focus();
    if (shown === null) continue;
    assert.ok(shown.style === 'solid' && shown.width >= 2, JSON.stringify(shown));
    return;
  }
  assert.fail(`Tab does not reach it on ${page.url()}`);
}

/** Counts real clicks, and the keys that set something off. Tab and what is typed are free. */
function countOn(page: Page): () => number {
  let count = 0;
  const click = page.mouse.click.bind(page.mouse);
  page.mouse.click = async (...at) => {
    count += 1;
    await click(...at);
  };
  const press = page.keyboard.press.bind(page.keyboard);
  page.keyboard.press = async (key, options) => {
    if (key === 'Enter' || key === 'Space') count += 1;
    await press(key, options);
  };
  return () => count;
}

describe('clicks at the desk, counted', function () {
  this.timeout(240_000);
  const { test, desk, go, shown, openFor, complaints } = useDeskPeople();

  async function find(page: Page, xpath: string): Promise<Target> {
    const target = await page.$(`::-p-xpath(${xpath})`);
    assert.ok(target, `${xpath} is on ${page.url()}: ${await shown(page)}`);
    return target as Target;
  }

  /** Everything that `hand` does on its own page, from home on. */
  async function handOf(name: string, hand: Hand) {
    const page = await openFor(name);
    await go(page, '/desk');
    const clicks = countOn(page);
    /** In the group that is open, where there is one. */
    const within = async (path: string) =>
      (await page.$(`::-p-xpath(//main//details[@open]${path})`)) ?? find(page, `//body${path}`);
    return {
      page,
      requireAtMost: (most: number) => assert.ok(clicks() > 1 && clicks() <= most, `${clicks()} clicks`),
      /** Opens the closed group around it first, by a click of its own. */
      async follow(words: string, row = ''): Promise<void> {
        const target = await within(`${row}//*[self::a or self::button][contains(., "${words}")]`);
        const group = await target.$('::-p-xpath(ancestor::details[not(@open)]/summary)');
        if (group) await hand.act(page, group);
        await Promise.all([page.waitForNavigation(), hand.act(page, target)]);
      },
      open: async (words: string) => hand.act(page, await find(page, `//summary[contains(., "${words}")]`)),
      async type(named: string, text: string): Promise<void> {
        await hand.enter(page, await within(`//*[@name="${named}"]`));
        await page.keyboard.type(text);
      },
      async choose(named: string, words: string): Promise<void> {
        const select = await within(`//select[@name="${named}"]`);
        await hand.choose(page, select, words);
        assert.equal(await select.$eval('option:checked', (one) => one.textContent), words);
      },
    };
  }

  /** A push of 1,000 of which they show 900. Each statement goes on where the one before it ended. */
  async function differingLine(receipt: string, nth: number): Promise<void> {
    const { id } = await handedOver(test.database, pushRequest(1_000), { balance: 0 });
    await tryToEnd(test.database, id, { kind: 'answer', result: succeeded(1_000, receipt) });
    const moves = [{ receipt, amount: 900, minutes: (LATE_DAYS - nth) * DAY_MINUTES }];
    await importMoves(test.database, walletAccount(), moves, nth * 900);
  }

  for (const [at, [by, hand]] of Object.entries({ mouse, keyboard }).entries()) {
    it(`finds the story of a complaint, known by amount and day, in three, by ${by}`, async () => {
      const { merchant } = await handedOver(test.database, pushRequest(1_000));
      const amount = 23_450 + at;
      await plantPaidPush(test.database, merchant, { msisdn: '255754001000', amount });
      const { page, requireAtMost, follow, type } = await handOf('asha', hand);
      await type('q', `${amount} today`);
      await follow('Show');
      await follow(`${amount.toLocaleString('en')}.00`);
      assert.match(await shown(page), /Where the money is/);
      requireAtMost(3);
    });

    it(`books a line that differs in four of each of two people, by ${by}`, async () => {
      await differingLine(`QL9${at}DIFFERS`, at);
      const { page, requireAtMost, follow, type } = await handOf('asha', hand);
      await follow('open lines');
      await follow('900.00');
      assert.match(
        await shown(page),
        /They say900\.00 TZS\s*We booked1,000\.00 TZS\s*The difference-100\.00 TZS/,
      );
      await type('note', 'their tariff of November');
      await follow('Book 100.00 TZS as a charge of m-pesa');
      assert.match(await shown(page), /You proposed it/);
      requireAtMost(4);

      const other = await handOf('juma', hand);
      await other.follow('by which a line of 900.00 TZS differs');
      await other.type('token', desk.tokens.juma ?? '');
      await other.follow('Approve it');
      assert.match(await shown(other.page), /Stateexecuted/);
      other.requireAtMost(4);
    });

    it(`proposes eleven equal items in twelve, by ${by}`, async () => {
      for (let nth = 0; nth < ALIKE; nth += 1)
        await moneyInSuspense(test.database, {
          receipt: `QK${at}${nth}ALIKE`,
          detail: `a payment ${by} sent twice`,
        });
      const { page, requireAtMost, follow, open, choose, type } = await handOf('asha', hand);
      await follow('Suspense');
      await follow('5,229.00', `//tr[contains(., "${by} sent twice")]`);
      await open(`Answer it together with ${ALIKE - 1} like it`);
      await choose('way', 'write-off');
      await type('note', 'agreed with the network');
      await follow('Propose it');
      assert.match(await shown(page), new RegExp(`${ALIKE} items, .* leave suspense \\(write-off\\)`));
      requireAtMost(12);
    });
  }

  it('gave the browser nothing to complain about', () => assert.deepEqual(complaints.flat(), []));
});
