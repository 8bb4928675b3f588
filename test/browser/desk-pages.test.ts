// tests: generated
import assert from 'node:assert/strict';
import type { Page } from 'puppeteer-core';
import { pages } from '../../src/operators/desk/pages.ts';
import { lineOfStatement } from '../support/desk-line.ts';
import { tradeOf } from '../support/desk-trade.ts';
import { everyNth } from '../support/generated.ts';
import { axe, useDeskPeople, WIDE } from './desk-people.ts';

const WIDTHS = [240, 360, 390, 1_280];
/** As sent, without compression: what a slow line brings in a second. */
const BYTES_MAX = 40_000;

describe('the desk in a browser, page by page', function () {
  this.timeout(240_000);
  const { test, desk, money, complaints, go, picture, people } = useDeskPeople();
  /** asha's session in a page that runs scripts: those of axe */
  let scripted: Page;
  const files: string[] = [];
  let proposal: string;
  let line: string;
  before(async () => {
    line = await lineOfStatement(test.database);
    // Pushes of 24 hours over four networks: the networks' page is full.
    await tradeOf(test.database, { pushes: 2_900 });
    scripted = await people().asha.browserContext().newPage();
    // What stands in the page itself is no file.
    scripted.on('request', (request) => request.url().startsWith('data:') || files.push(request.url()));
    const payload = { account_id: money.accountId, amount: 100_00, currency: 'TZS', reference: 'bank-1' };
    proposal = (await desk.propose('asha', 'accounts.top-up', payload)).body.proposal.id;
  });
  for (const { path, title } of pages)
    it(`shows ${path || 'its first page'} to everybody: by axe, from 240 pixels on, in the dark too, in 40 KB`, async () => {
      const ids: Record<string, string> = {
        transactions: money.transactionId,
        suspense: money.item,
        merchants: money.accountId,
        operators: 'juma',
        proposals: proposal,
        lines: line,
        days: 'yesterday',
        runbooks: 'suspense',
      };
      const [first = ''] = path.split('/');
      files.length = 0;
      const response = await go(scripted, `/desk/${path.replace('{id}', ids[first] ?? '')}`);
      assert.equal(response?.status(), 200, String(title));
      const sent = (await response?.buffer())?.byteLength ?? 0;
      assert.ok(sent > 0 && sent <= BYTES_MAX, `${sent} bytes`);
      const blocking = await scripted.$$eval('link[rel=stylesheet], style, script', (all) => all.length);
      assert.equal(blocking, 1, 'one style sheet, and nothing else that a first paint waits for');
      assert.deepEqual(files, [scripted.url()], 'one file a page');
      for (const scheme of everyNth(2, ['light', 'dark'])) {
        await scripted.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
        for (const width of WIDTHS) {
          await scripted.setViewport({ width, height: 844 });
          await picture(scripted, `${path || 'home'} ${width} ${scheme}`);
          const needed = await scripted.evaluate('document.documentElement.scrollWidth');
          assert.ok(Number(needed) <= width, `${needed} is more than ${width}`);
        }
        await scripted.evaluate(axe);
        const { violations } = (await scripted.evaluate('axe.run()')) as {
          violations: { id: string; nodes: unknown[] }[];
        };
        assert.deepEqual(
          violations.map(({ id, nodes }) => [id, JSON.stringify(nodes).slice(0, 500)]),
          [],
        );
      }
      await scripted.emulateMediaFeatures([]);
      await scripted.setViewport(WIDE);
    });

  it('gave the browser nothing to complain about', () => assert.deepEqual(complaints.flat(), []));
});
