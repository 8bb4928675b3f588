import assert from 'node:assert/strict';
import type { Page } from 'puppeteer-core';
import type { Gateway, Json } from '../support/gateway.ts';
import { until } from '../support/wait.ts';

export const WAIT_MS = 30_000;
/** A prompt lives 5 s here: a machine that is too busy for one push is asked for another. */
const PUSHES_MAX = 6;

/** What a newcomer does on the phone page, and what it shows. `here`: the page is open once a hook has opened it. */
export function phonePage(here: () => { page: Page; gateway: Gateway }) {
  const soon = <T>(what: string, condition: () => Promise<T>) =>
    until(condition, { deadlineMs: WAIT_MS, what, everyMs: 100 });

  async function choose(mode: 'hand' | 'automatic'): Promise<void> {
    const { page, gateway } = here();
    await page.click(`#mode input[value="${mode}"]`);
    await soon(mode, async () => (await gateway.simulator('phone/settings')).by_hand === (mode === 'hand'));
  }

  const textOf = (selector: string): Promise<string> =>
    here().page.$eval(selector, (node) => (node as unknown as { textContent: string }).textContent.trim());

  async function fill(selector: string, text: string): Promise<void> {
    await here().page.click(selector, { count: 3 });
    await here().page.type(selector, text);
  }

  const openTab = (name: string) => here().page.click(`[data-tab="${name}"]`);

  /** What the merchant's side lists by now. */
  const shown = (kind: 'transaction' | 'batch') =>
    here().page.$$eval(
      `[data-${kind}]`,
      (lines, name) =>
        lines.map((one) => (one as unknown as { dataset: Record<string, string> }).dataset[name]),
      kind,
    );

  /** The id of what it lists then. */
  async function newly(
    kind: 'transaction' | 'batch',
    what: string,
    work: () => Promise<void>,
  ): Promise<string> {
    const before = new Set(await shown(kind));
    await work();
    return soon(what, async () => (await shown(kind)).find((id) => !before.has(id)));
  }

  /** The merchant asks, by the form; the id of what the list shows then. */
  const ask = (what: string, amount: string) =>
    newly(what === 'batch' ? 'batch' : 'transaction', `the merchant's side shows the ${what}`, async () => {
      const { page } = here();
      await page.select('#what', what);
      await fill('#ask-amount', amount);
      await page.click('#ask-form button');
    });

  /** Not by the mouse: the page still grows, and a click that was aimed a moment ago would miss. */
  async function press(selector: string): Promise<void> {
    await here().page.waitForSelector(selector);
    await here().page.$eval(selector, (node) => (node as unknown as { click(): void }).click());
  }

  const line = (id: string) => `[data-transaction="${id}"]`;
  const ends = (id: string, status: string) =>
    here().page.waitForSelector(`${line(id)}[data-status="${status}"]`);
  const verified = (id: string, count: number) =>
    soon(
      `${count} verified callbacks`,
      async () => (await here().page.$$(`${line(id)} [data-callback="verified"]`)).length === count,
    );
  const lookup = async (id: string): Promise<Json> =>
    (await here().gateway.request('GET', `payments/${id}`)).json;

  /** A push whose prompt the person meets in time. */
  async function pushAnswered(answer: () => Promise<void>, status: string): Promise<string> {
    for (let pushes = 1; ; pushes += 1) {
      const id = await ask('push', '5000');
      const prompt = await here()
        .page.waitForSelector('[data-do="approve"]', { timeout: 5_000 })
        .catch(() => null);
      if (prompt) await answer();
      const end = async () => (await lookup(id)).status !== 'pending' && (await lookup(id));
      const { status: found, payment } = await soon('it ended', end);
      if (payment.failure_code !== 'customer_timeout' || pushes === PUSHES_MAX) {
        assert.equal(found, status);
        return id;
      }
    }
  }

  return { soon, choose, textOf, fill, openTab, newly, ask, press, line, ends, verified, pushAnswered };
}
