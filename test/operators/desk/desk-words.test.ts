import assert from 'node:assert/strict';
import { sayTiers } from '../../../src/domain/fee-words.ts';
import { useSignedIn } from '../api/signed-in.ts';

describe('the tables of the desk, in words', () => {
  const { test, desk, money, asha } = useSignedIn();
  const page = async (path: string) => {
    const { status, text } = await asha.get(`/desk/${path}`);
    assert.equal(status, 200, text);
    return text;
  };

  it('say fees with units, a sentence for each tier', () => {
    const flat = { fixed: 0, basis_points: 0, min: 0, max: null };
    assert.deepEqual(
      sayTiers([
        { ...flat, from: 0, to: 4_999, fixed: 300 },
        { ...flat, from: 5_000, to: null, fixed: 400, basis_points: 150, min: 500, max: 2_000 },
      ]),
      [
        'from 0 TZS to 4,999 TZS: 300 TZS',
        'from 5,000 TZS on: 400 TZS and 1.5 % of the amount, at least 500 TZS, at most 2,000 TZS',
      ],
    );
    assert.deepEqual(sayTiers([{ ...flat, from: 0, to: null, max: 0 }]), ['every amount: nothing']);
  });

  it('say limits with units', async () => {
    const limits = { payout_max: 50_000_00, duplicate_window_s: 5_400, new_recipient_cooloff_s: 3_600 };
    const { status } = await desk.propose('asha', 'limits.set', { account_id: money.accountId, limits });
    assert.equal(status, 200);
    const text = await page(`merchants/${money.accountId}/limits`);
    assert.match(text, /One payout is at most<\/dt><dd><span class="money">50,000\.00 TZS</);
    assert.match(text, /refused for<\/dt><dd>90 minutes</);
    assert.match(text, /first payout<\/dt><dd>1 hour</);
    assert.match(text, /Payouts of a day<\/dt><dd>no limit</);
  });

  it('say in the audit log what was done, changes first, and fold what was read', async () => {
    await page(`transactions/${money.transactionId}`);
    const changes = await page('audit');
    assert.doesNotMatch(changes, /<small>call\./);
    assert.match(changes, /desk sign in<small>desk\.sign-in<\/small>/);
    const all = await page('audit?only=');
    assert.match(all, /One transaction: its state.*?<small>call\.getTransaction<\/small>/);
    assert.match(all, new RegExp(`<summary>what was read</summary>[^<]*${money.transactionId}`));
  });

  it('keep money at the right under a head that names its currency, and add it up', async () => {
    const text = await page('suspense');
    assert.match(text, /<th scope="col" class="sum" data-unit="TZS">Amount</);
    const rows = await test.sql`SELECT to_char(sum(amount) / 100.0, 'FM999,999.00') AS sum
      FROM suspense_items WHERE is_open`;
    assert.ok(text.split('<tfoot>')[1]?.includes(`${rows[0].sum}<span class="unit"> TZS`));
    assert.match(text, /Below zero: money left, and we miss it/);
  });

  it('name the merchant of an item, and lead to the runbook', async () => {
    assert.match(await page(`suspense/${money.item}`), /<dt>Merchant<\/dt><dd><a [^>]*>Duka la Asha</);
    assert.match(
      await page('attention'),
      /href="\/desk\/runbooks\/suspense">docs\/operations\/suspense\.md</,
    );
    assert.match(await page('runbooks/suspense'), /^[\s\S]*<pre># /);
    for (const name of ['none-such', '..%2f..%2fpackage', 'README'])
      assert.equal((await asha.get(`/desk/runbooks/${name}`)).status, 404, name);
  });
});
