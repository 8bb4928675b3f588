import assert from 'node:assert/strict';
import { moneyInSuspense } from '../../support/desk-money.ts';
import { useSignedIn } from '../api/signed-in.ts';

describe('equal items at the desk', () => {
  const { test, desk, money, asha } = useSignedIn();
  const like: string[] = [];
  before(async () => {
    for (const receipt of ['QK71LIKE1', 'QK71LIKE2'])
      like.push((await moneyInSuspense(test.database, { name: 'Duka', receipt })).item);
    await moneyInSuspense(test.database, { receipt: 'QK71OTHER', detail: 'an unexpected payment' });
  });
  const form = () => ({ act: 'suspense.together', way: 'to-merchant', note: 'they delivered, ticket 9' });

  it('are offered with one of them, ticked, and leave by one proposal', async () => {
    const page = `/desk/suspense/${money.item}`;
    const all = [money.item, ...like];
    const { text } = await asha.get(page);
    assert.match(text, /Answer it together with 2 like it/);
    for (const item of all) assert.match(text, new RegExp(`name="items" value="${item}" checked`));
    assert.doesNotMatch(text, /QK71OTHER/);

    const { status, location } = await asha.submit(page, { ...form(), items: all.join() });
    assert.equal(status, 303);
    const id = location?.split('/').at(-1) ?? '';
    const shown = (await asha.get(location ?? '')).text;
    assert.match(shown, /3 items, 15,687\.00 TZS in all, to leave suspense/);
    // Each of them is on the page of its transaction, too, while it waits.
    const its = await asha.get(`/desk/transactions/${money.transactionId}`);
    assert.match(its.text, new RegExp(id));
    const { proposal } = (await desk.call('juma', 'GET', `proposals/${id}`)).body;
    const done = await desk.consent('juma', proposal);
    assert.equal(done.body.proposal.outcome, 'left suspense: 3 items');
    assert.doesNotMatch((await asha.get('/desk/suspense')).text, /QK71LIKE/);
  });

  it('are not proposed with another amount than the page showed', async () => {
    const [first, second] = [
      await moneyInSuspense(test.database, { receipt: 'QK71MORE1' }),
      await moneyInSuspense(test.database, { receipt: 'QK71MORE2' }),
    ];
    const items = [first.item, second.item].join();
    const were = [{ item: second.item, receipt: 'QK71MORE2', amount: 5_000_00, currency: 'TZS' }];
    const seen = JSON.stringify({ were });
    const { status, text } = await asha.submit(`/desk/suspense/${first.item}`, { ...form(), items, seen });
    assert.equal(status, 409);
    assert.match(text, /changed since you looked at it \(amount\)/);
  });
});
