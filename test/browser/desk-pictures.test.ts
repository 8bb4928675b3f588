import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import type { Page } from 'puppeteer-core';
import { lineOfStatement } from '../support/desk-line.ts';
import { tradeOf } from '../support/desk-trade.ts';
import { useDeskPeople } from './desk-people.ts';

/** DESK_PICTURES=docs: the pictures of docs/operations/operators.md. */
const FOLDER = process.env.DESK_PICTURES;

describe('the pictures of the desk, in a browser', function () {
  this.timeout(240_000);
  const { test, go, people } = useDeskPeople();
  let page: Page;
  let merchant: string;
  before(async () => {
    await lineOfStatement(test.database);
    merchant = await tradeOf(test.database);
    ({ asha: page } = people());
    if (FOLDER) await mkdir(FOLDER, { recursive: true });
  });

  for (const name of ['home', 'networks', 'float', 'suspense', 'days', 'merchant'] as const)
    it(`shows that of ${name} as large as the screen lets it, without sideways scrolling`, async () => {
      const path = { home: '', merchant: `merchants/${merchant}` } as Record<string, string>;
      for (const width of [1_280, 240]) {
        await page.setViewport({ width, height: 900 });
        await go(page, `/desk/${path[name] ?? name}`);
        const svg = await page.$('svg[role=img]');
        const box = await svg?.boundingBox();
        assert.ok(box && box.width > 120 && box.x >= 0 && box.x + box.width <= width, JSON.stringify(box));
        if (!FOLDER || (width < 1_000 && name !== 'home')) continue;
        const file = `${FOLDER}/desk-${name}-${width}.webp` as const;
        await page.screenshot({ path: file, type: 'webp', quality: 60, fullPage: width < 1_000 });
      }
    });
});
