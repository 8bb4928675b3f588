import assert from 'node:assert/strict';
import { reportFrom } from '../../../src/domain/data/extracts.ts';
import { DAY_MS } from '../../../src/domain/day.ts';
import { createDeskClient, type DeskClient } from '../../support/desk-client.ts';
import { createMerchant, type Merchant } from '../../support/merchant.ts';
import { useOperatorDesk } from '../../support/operator-desk.ts';
import { plantPaidPush } from '../../support/paid-push.ts';

const NUMBER = '255754123456';
/** More than one part of the answer. */
const MOVEMENTS = 201;
const day = (fromNow: number) => new Date(Date.now() + fromNow * DAY_MS).toISOString().slice(0, 10);

describe('at the desk: what the law asks for', () => {
  const { test, desk } = useOperatorDesk();
  let merchant: Merchant;
  let asha: DeskClient;
  const range = `from=${day(-2)}&to=${day(2)}`;
  const signedIn = async (name: string) => {
    const client = createDeskClient(desk.url);
    await client.signIn(desk.tokens[name] ?? '');
    return client;
  };
  before(async () => {
    merchant = await createMerchant(test.database, { balance: 1_000_000 });
    for (let n = 0; n < MOVEMENTS; n += 1)
      await plantPaidPush(test.database, merchant, { msisdn: NUMBER, amount: reportFrom / 100 });
    asha = await signedIn('asha');
  });
  const csv = async (path: string) => {
    const { status, text } = await asha.get(`/desk/${path}`);
    assert.equal(status, 200, text);
    return text.trimEnd().split('\r\n');
  };

  it('adds up number and value, as a page and as a file', async () => {
    const [head, line, ...others] = await csv(`extracts/volumes?${range}&format=csv`);
    assert.equal(head, 'Month,What,Network or bank,Direction,How many,Value');
    assert.match(line ?? '', new RegExp(`^\\d{4}-\\d\\d,ussd,m-pesa,in,${MOVEMENTS},`));
    assert.ok(line?.endsWith(`,${((reportFrom / 100) * MOVEMENTS).toFixed(2)}`), line);
    assert.deepEqual(others, []);
    const { text } = await asha.get(`/desk/extracts/volumes?${range}`);
    assert.match(text, new RegExp(`data-head="How many">${MOVEMENTS}<`));
    // Without days it is the last whole month, in which nothing was.
    assert.match((await asha.get('/desk/extracts/volumes')).text, /Nothing moved in these days/);
    const long = await asha.get(`/desk/extracts/volumes?from=${day(-40)}&to=${day(0)}`);
    assert.deepEqual([long.status, /by at most 31 days/.test(long.text)], [422, true]);
  });

  it('names each large movement once, part by part, and the audit log keeps whose were read', async () => {
    const path = `extracts/large?${range}`;
    const [, ...lines] = await csv(`${path}&format=csv`);
    const named = lines.filter((line) => line.includes(`,${NUMBER},`) && line.includes(',Test shop,'));
    assert.deepEqual([named.length, new Set(lines).size], [MOVEMENTS, MOVEMENTS]);
    let page = await asha.get(`/desk/${path}`);
    let seen = 0;
    for (let shown = 0; ; shown += 1) {
      assert.ok(shown < 20 && page.status === 200, page.text);
      seen += page.text.split('data-head="When"').length - 1;
      const next = page.text.match(/href="([^"]+)" rel="next"/)?.[1]?.replaceAll('&amp;', '&');
      if (next === undefined) break;
      page = await asha.get(`/desk/extracts/large${next}`);
    }
    assert.equal(seen, MOVEMENTS);
    const rows = await test.sql`SELECT detail FROM audit_log WHERE action = 'call.listLargeMovements'
      AND actor = 'operator:asha'`;
    assert.ok(rows.length > 2);
    const last = lines.at(-1)?.split(',').at(-1) ?? 'none';
    assert.ok(rows.some(({ detail }) => JSON.stringify(detail).includes(last)));
  });

  it('is for those alone who may ask for it', async () => {
    for (const [name, path] of [
      ['only-support', 'extracts/large'],
      ['only-viewer', 'extracts/volumes'],
    ] as const) {
      const client = await signedIn(name);
      assert.equal((await client.get(`/desk/${path}`)).status, 403);
      assert.equal((await client.get(`/desk/${path}?format=csv`)).status, 403);
      assert.doesNotMatch((await client.get('/desk')).text, /desk\/extracts|desk\/erasure/);
    }
  });

  it('erases one person, whom it counts first, and nobody who is too young', async () => {
    const old = (
      await test.sql`UPDATE transactions SET created_at = created_at - interval '500 days', status_at = status_at - interval '500 days'
      WHERE id IN (SELECT id FROM transactions LIMIT 2) RETURNING id`
    ).map(({ id }) => id);
    const named = async () =>
      (await test.database.query('SELECT id FROM transactions WHERE msisdn = $1', [NUMBER])).rows.length;
    const admin = await signedIn('only-admin');
    const fields = { number: '0754 123 456', reason: 'asked for it, ticket 7' };
    const early = await admin.submit('/desk/erasure', { act: 'count-person', number: fields.number });
    assert.match(early.text, new RegExp(`>0 transactions would.*${MOVEMENTS} are too young`, 's'));
    assert.doesNotMatch(early.text, /Erase them/);
    const counted = await admin.submit('/desk/erasure', { act: 'count-person', ...fields });
    assert.match(counted.text, /2 transactions would be erased: nothing has changed yet/);
    assert.equal(await named(), MOVEMENTS);
    const kept = Object.fromEntries(
      [...counted.text.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [
        name,
        value ?? '',
      ]),
    );
    assert.equal(kept.act, 'erase');
    const erased = await admin.post('/desk/erasure', kept as Record<string, string>);
    assert.match(erased.text, /2 transactions were erased/);
    assert.equal(await named(), MOVEMENTS - 2);
    const again = await admin.post('/desk/erasure', kept as Record<string, string>);
    assert.match(again.text, />0 transactions/);
    const { rows } = await test.database.query("SELECT detail FROM audit_log WHERE action = 'privacy.erase'");
    assert.equal(rows.length, 1);
    assert.match(JSON.stringify(rows[0].detail), /ticket 7/);
    assert.doesNotMatch(JSON.stringify(rows[0]), /754123456/);
    assert.equal(old.length, 2);
  });

  it("erases those of a merchant's old transactions, by its name", async () => {
    const admin = await signedIn('only-admin');
    const fields = { merchant: 'test sh', days: '400', reason: 'contract ended' };
    await test.sql`UPDATE transactions SET created_at = created_at - interval '500 days', status_at = status_at - interval '500 days'
      WHERE id IN (SELECT id FROM transactions WHERE msisdn = ${NUMBER} LIMIT 3)`;
    const wrong = await admin.submit('/desk/erasure', { act: 'count-merchant', ...fields, days: 'many' });
    assert.match(wrong.text, /days must be a whole number.*value="many"/s);
    const counted = await admin.submit('/desk/erasure', { act: 'count-merchant', ...fields });
    assert.match(counted.text, /3 transactions would/);
    const csrf = await admin.csrf();
    const kept = { act: 'erase', merchant: merchant.accountId, days: '400', reason: 'contract ended', csrf };
    assert.match((await admin.post('/desk/erasure', kept)).text, /3 transactions were erased/);
  });
});
