import assert from 'node:assert/strict';
import type { ElementHandle, Page } from 'puppeteer-core';
import { pages } from '../../src/operators/desk/pages.ts';
import { lineOfStatement } from '../support/desk-line.ts';
import { useDeskPeople } from './desk-people.ts';

/** What is typed into a field of this name; other ones get `ANYTHING`. */
const typed: Record<string, string> = {
  'bank.bic': 'CORUTZTZ',
  'bank.account_number': '0123456789',
  'bank.full_name': 'Asha Juma',
  keep: '0',
  smallest: '1,000',
  cap: '50,000',
  group: 'bank',
  amount: '1,000',
  expires_days: '30',
};
const ANYTHING = 'a test of forms';
/** A form that the browser has not sent by then is stopped by the browser itself. */
const UNSENT_MS = 10_000;

type Found = { key: string; form: ElementHandle };

/**
 * Every form of every page, found by itself and sent as a person sends it: a browser whose own checks stop a form (a required
 * select without a choice) never sends it.
 */
describe('the forms of the desk, in a browser', function () {
  this.timeout(400_000);
  const { test, desk, money, go, pathOf, people } = useDeskPeople();
  const sent = new Map<string, number>();
  let ids: Record<string, string>;

  before(async () => {
    const payload = { account_id: money.accountId, amount: 100_00, currency: 'TZS', reference: 'bank-1' };
    const asked = { action: 'accounts.top-up', payload, reason: 'a page to look at' };
    const proposal = (await desk.call('juma', 'POST', 'proposals', asked)).body.proposal.id;
    const line = await lineOfStatement(test.database);
    ids = {
      transactions: money.transactionId,
      suspense: money.item,
      merchants: money.accountId,
      operators: 'juma',
      proposals: proposal,
      lines: line,
      days: 'yesterday',
      runbooks: 'suspense',
    };
  });

  const addressOf = (path: string) => `/desk/${path.replace('{id}', ids[path.split('/')[0] ?? ''] ?? '')}`;

  async function formsOf(page: Page): Promise<Found[]> {
    for (const summary of await page.$$('details:not([open]) > summary')) await summary.click();
    const found: Found[] = [];
    for (const form of await page.$$('main form[method=post]')) {
      const named = await form.$$eval('input[type=hidden]:not([name=csrf])', (inputs) =>
        // biome-ignore lint/suspicious/noExplicitAny: the browser's elements, which Node's types do not have
        (inputs as any[]).map(({ name, value }) => `${name}=${value}`),
      );
      found.push({ key: named.join(' '), form });
    }
    return found;
  }

  /** Types into the fields that are empty and needed, or known, and chooses where a choice is needed, by the keyboard. */
  async function fill(page: Page, form: ElementHandle): Promise<void> {
    for (const field of await form.$$('input:not([type=hidden]):not([type=checkbox]), textarea, select')) {
      const [tag, type, name, value, required] = await field.evaluate((node) => {
        // biome-ignore lint/suspicious/noExplicitAny: as above
        const one = node as any;
        return [one.tagName, one.type, one.name, one.value, one.required];
      });
      if (type === 'file') continue;
      if (type === 'radio') {
        const isMeant = value === (typed[name] ?? value);
        if (isMeant && !(await form.$(`input[name="${name}"]:checked`))) await field.click();
      } else if (tag === 'SELECT') {
        if (typed[name] !== undefined) await field.select(typed[name] ?? '');
        if (!required || value !== '' || typed[name] !== undefined) continue;
        await field.focus();
        await page.keyboard.press('ArrowDown');
      } else if (type === 'password') await field.type(desk.tokens.asha ?? '');
      else if (type === 'date') await field.type('01012030');
      else if (value === '' && (required || typed[name] !== undefined))
        await field.type(typed[name] ?? ANYTHING);
    }
  }

  async function send(page: Page, form: ElementHandle): Promise<number | null> {
    await fill(page, form);
    const button = await form.$('button');
    assert.ok(button, 'a form has a button');
    const answered = page.waitForNavigation({ timeout: UNSENT_MS }).catch(() => null);
    await button.click();
    return (await answered)?.status() ?? null;
  }

  // First, because other forms change the merchant whose rule it is.
  it('sends a settlement rule to a bank', async () => {
    const { asha } = people();
    await go(asha, addressOf('merchants/{id}/settlement'));
    const [found] = await formsOf(asha);
    assert.ok(found);
    assert.equal(await send(asha, found.form), 200);
    const { rows } = await test.database.query(
      "SELECT payload::jsonb->'bank'->>'bic' AS bic FROM proposals WHERE action = 'settlement.set'",
    );
    assert.deepEqual(rows, [{ bic: 'CORUTZTZ' }]);
  });

  for (const { path } of pages)
    it(`sends every form of ${path}`, async () => {
      const { asha } = people();
      const unsent: string[] = [];
      for (;;) {
        await go(asha, addressOf(path));
        if (pathOf(asha) === '/desk/sign-in') break;
        const next = (await formsOf(asha)).find(({ key }) => !sent.has(`${path} ${key}`));
        if (!next) break;
        if (await next.form.$('input[type=file]')) {
          sent.set(`${path} ${next.key}`, 0);
          continue;
        }
        const status = await send(asha, next.form);
        sent.set(`${path} ${next.key}`, status ?? 0);
        if (status === null || status >= 500) unsent.push(`${next.key}: ${status}`);
      }
      assert.deepEqual(unsent, []);
    });

  it('found them', () => {
    assert.ok(sent.size >= 20, `only ${sent.size} forms`);
  });
});
