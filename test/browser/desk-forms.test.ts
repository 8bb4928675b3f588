import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { ElementHandle, Page } from 'puppeteer-core';
import { exampleFingerprint } from '../../src/operators/actions/actions.ts';
import { pages } from '../../src/operators/desk/pages.ts';
import { raiseAttention } from '../../src/transactions/care/attention.ts';
import { actions } from '../support/actions.ts';
import { lineOfStatement } from '../support/desk-line.ts';
import { moneyInSuspense } from '../support/desk-money.ts';
import { handedOver } from '../support/handed-over.ts';
import { pushRequest } from '../support/merchant.ts';
import { bankAccount, importMoves } from '../support/statements-of-accounts.ts';
import { suspend } from '../support/suspend.ts';
import { typedOf } from '../support/typed-example.ts';
import { walletFile } from '../support/wallet-file.ts';
import { useDeskPeople } from './desk-people.ts';

/** What is typed into a field of this name, or into this field of one act; else the action's example, or `ANYTHING`. */
const typed: Record<string, string> = {
  merchant: 'Duka la Asha',
  name: 'neema',
  email: 'neema@example.com',
  group: 'bank',
  'keys.create key:fingerprint': `sk_test_4Fq81ZbnR0tx:${exampleFingerprint}`,
};
const ANYTHING = 'a test of forms';
/** Each of them ends what another form needs, so it is sent after all others. */
const ENDS = ['accounts.freeze', 'keys.revoke', 'operators.revoke', 'operators.disable', 'rotate'];
/** Forms that are sent, and refused: what they are about is not there. */
const REFUSED: Record<string, RegExp> = {
  'fence.lift': /The fence is not closed/,
  'callbacks.resend': /No event of this range can be sent/,
};
/** Actions whose form is on no page here: each needs a history of its own. */
const UNSEEN = ['suspense.to-bill', 'lines.stands', 'days.close', 'days.reopen'];
/** A form that the browser has not sent by then is stopped by the browser itself. */
const UNSENT_MS = 10_000;

/** `key`: forms of one page with the same act and the same hidden fields are one form. */
type Found = { key: string; act: string; form: ElementHandle };

/**
 * Every form of every page, found by itself and sent as a person sends it: a browser whose own checks stop a form (a required
 * select without a choice) never sends it.
 */
describe('the forms of the desk, in a browser', function () {
  this.timeout(400_000);
  const { test, desk, money, go, pathOf, shown, people } = useDeskPeople();
  const sent = new Map<string, string>();
  const statement = path.join(os.tmpdir(), `malipo-desk-${process.pid}.csv`);
  let ids: Record<string, string[]>;

  before(async () => {
    const { database } = test;
    // It goes on where the statement of the line that waits has ended.
    writeFileSync(statement, walletFile(1).replace('"1,000.00",true', '"1,070.00",true'));
    const payload = { account_id: money.accountId, amount: 100_00, currency: 'TZS', reference: 'bank-1' };
    const proposal = (await desk.propose('juma', 'accounts.top-up', payload)).body.proposal.id;
    await desk.call('juma', 'POST', 'operators', { name: 'zawadi', email: 'zawadi@example.com' });
    const key = await desk.keys.createKey({ accountId: money.accountId, scopes: [], actor: 'test' });
    typed['keys.rotate key:fingerprint'] = `sk_test_${key.id}:${exampleFingerprint}`;
    const waiting = await handedOver(database, pushRequest(1_000, '255754000150'));
    const line = await lineOfStatement(database);
    const half = { amount: -70, receipt: 'QB1', kind: 'unknown' } as const;
    await importMoves(database, bankAccount(), [half]);
    const { lines } = (await desk.call('asha', 'GET', 'lines?account=bank')).body;
    const ours = lines.find((one: { id: string }) => one.id.startsWith('en_'));
    await moneyInSuspense(database, { name: 'Duka', receipt: 'QK71LIKE1' });
    const unread = await suspend(database, { receipt: 'QK71UNREAD', amount: null });
    await raiseAttention(database, { subject: 's1', reason: 'schema', detail: 'n' });
    const unknown = { transactionId: waiting.id, reason: 'unknown_outcome', detail: 'n' } as const;
    await raiseAttention(database, unknown);
    ids = {
      transactions: [waiting.id],
      suspense: [money.item, unread.id],
      merchants: [money.accountId],
      operators: ['zawadi', 'juma'],
      proposals: [proposal],
      lines: [line, ours.id],
      days: ['yesterday'],
      runbooks: ['suspense'],
    };
  });

  after(() => rmSync(statement, { force: true }));

  const addressesOf = (at: string) =>
    (at.includes('{id}') ? (ids[at.split('/')[0] ?? ''] ?? []) : ['']).map(
      (id) => `/desk/${at.replace('{id}', id)}`,
    );

  async function formsOf(page: Page): Promise<Found[]> {
    for (const summary of await page.$$('details:not([open]) > summary')) await summary.click();
    const found: Found[] = [];
    for (const form of await page.$$('main form[method=post]')) {
      const hidden = await form.$$eval('input[type=hidden]', (inputs) =>
        // biome-ignore lint/suspicious/noExplicitAny: the browser's elements, which Node's types do not have
        (inputs as any[]).map(({ name, value }) => [name, value]),
      );
      const { act = '', seen = '{}', ...kept } = Object.fromEntries(hidden);
      const key = [act, ...Object.keys(JSON.parse(seen)), ...Object.keys(kept)].join(' ');
      found.push({ key, act, form });
    }
    return found;
  }

  /** Types into the fields that are empty and needed, or known, and chooses where a choice is needed. */
  async function fill(form: ElementHandle, act: string): Promise<void> {
    const { asked = [], example: [, payload] = ['', {}] } = actions[act] ?? {};
    for (const field of await form.$$('input:not([type=hidden]), textarea, select')) {
      const [type, name, value, required] = await field.evaluate((node) => {
        // biome-ignore lint/suspicious/noExplicitAny: as above
        const one = node as any;
        return [one.type, one.name, one.value, one.required];
      });
      const its = asked.find((one) => one.name === name);
      const meant = typed[`${act} ${name}`] ?? typed[name] ?? (its && typedOf(its, payload));
      const isChosen = (await form.$(`[name="${name}"]:checked`)) !== null;
      if (type === 'file')
        await (field as unknown as { uploadFile(name: string): Promise<void> }).uploadFile(statement);
      else if (type === 'radio' || type === 'checkbox') {
        const isMeant = meant?.split(',').includes(value) ?? false;
        if (type === 'radio' ? isMeant || !isChosen : isMeant && !isChosen) await field.click();
      } else if (type === 'select-one') {
        // biome-ignore lint/suspicious/noExplicitAny: as above
        const options = await field.$$eval('option', (all) => (all as any[]).map((one) => `${one.value}`));
        const first = required && value === '' ? options.find((one) => one !== '') : undefined;
        await field.select(options.find((one) => one === meant) ?? first ?? value);
      } else if (type === 'password') await field.type(desk.tokens.asha ?? '');
      else if (type === 'date') await field.type('01012030');
      else if (value === '' && (required || meant !== undefined)) await field.type(meant ?? ANYTHING);
    }
  }

  /** Sends each form of a page that was not sent yet. Returns those that were not taken, and what was said. */
  async function sendAll(path: string, isMeant: (act: string) => boolean): Promise<string[]> {
    const { asha } = people();
    const refused: string[] = [];
    for (const address of addressesOf(path))
      for (;;) {
        await go(asha, address);
        if (pathOf(asha) === '/desk/sign-in') return refused;
        const next = (await formsOf(asha)).find(
          ({ key, act }) => isMeant(act) && !sent.has(`${path} ${key}`),
        );
        if (!next) break;
        const { key, act, form } = next;
        sent.set(`${path} ${key}`, act);
        await fill(form, act);
        const answered = asha.waitForNavigation({ timeout: UNSENT_MS }).catch(() => null);
        await (await form.$('button'))?.click();
        const status = (await answered)?.status();
        const said = status === 200 ? '' : `${status}: ${(await shown(asha)).slice(0, 400)}`;
        if (!(REFUSED[act] ?? /^$/).test(said)) refused.push(`${key} ${said}`);
      }
    return refused;
  }

  for (const { path } of pages)
    it(`sends each form of ${path === '' ? 'the first page' : path}, and each is taken`, async () => {
      assert.deepEqual(await sendAll(path, (act) => !ENDS.includes(act)), []);
    });

  it('sends those that end something, and each is taken', async () => {
    for (const { path } of pages) assert.deepEqual(await sendAll(path, () => true), []);
  });

  it('found a form of every action, but of those that need a history of their own', () => {
    const acts = new Set(sent.values());
    assert.deepEqual(
      Object.keys(actions).filter((name) => !acts.has(name)),
      UNSEEN,
    );
  });

  it('sent a settlement rule to a bank', async () => {
    const rows = await test.sql`SELECT payload::jsonb->'bank'->>'bic' AS bic FROM proposals
      WHERE action = 'settlement.set'`;
    assert.deepEqual(rows, [{ bic: 'CORUTZTZ' }]);
  });
});
