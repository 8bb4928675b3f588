import assert from 'node:assert/strict';
import { pages } from '../../../src/operators/desk/pages.ts';
import { createDeskClient } from '../../support/desk-client.ts';
import { useOperatorDesk } from '../../support/operator-desk.ts';
import { WALLET_DAY, walletFile } from '../../support/wallet-file.ts';
import { useSignedIn } from '../api/signed-in.ts';

describe('the first page of the desk is a queue', () => {
  const { test, desk, asha, signedIn, addressOf, proposeTopUp } = useSignedIn();

  it('says on every page how many proposals wait for whoever may approve them, and lists them', async () => {
    const id = await proposeTopUp('juma', 'queue-1');
    const own = await proposeTopUp('asha', 'queue-2');
    const badge = /class="badge" href="\/desk">1 for you</;
    for (const { path } of pages)
      assert.match((await asha.get(addressOf(path, { proposals: own }))).text, badge, path);
    const { text } = await asha.get('/desk');
    assert.match(text, new RegExp(`/desk/proposals/${id}`));
    assert.doesNotMatch(text, new RegExp(own));
    const support = await signedIn('only-support');
    assert.doesNotMatch((await support.get('/desk')).text, /class="badge"|queue-1/);
    await desk.call('asha', 'POST', `proposals/${id}/reject`, { reason: 'seen' });
    assert.doesNotMatch((await asha.get('/desk')).text, /class="badge"/);
  });

  it('counts what is late, and what is new since the last sign-in', async () => {
    const section = async (words: RegExp) => {
      const { text } = await asha.get('/desk');
      return text.split('<h2>').find((one) => words.test(one)) ?? '';
    };
    assert.match(await section(/^Late/), /Nothing\./);
    assert.match(await section(/^New since/), /reason=unknown_outcome">unknown outcome<\/a>: 1/);
    await test.database.query("UPDATE attention SET raised_at = now() - interval '25 hours'");
    assert.match(await section(/^Late/), /reason=unknown_outcome">unknown outcome<\/a>: 1/);
    await signedIn('asha');
    assert.doesNotMatch(await section(/^New since/), /unknown outcome/);
  });

  it('has five groups of pages, each of them once', async () => {
    const { text } = await asha.get('/desk');
    const [nav = ''] = text.split('</nav>');
    const groups = nav.split('<details name="menu">').slice(1);
    assert.equal(groups.length, 5);
    const links = groups.flatMap((one) => [...one.matchAll(/<li><a href="([^"]*)"/g)].map(([, to]) => to));
    const inMenu = pages
      .filter(({ menu }) => menu)
      .map(({ path }) => (path === '' ? '/desk' : `/desk/${path}`));
    assert.deepEqual(links.toSorted(), inMenu.toSorted());
  });
});

describe('the queue of an account whose statements are read', () => {
  const { desk } = useOperatorDesk();

  it('counts the days that nobody has closed by ten the next morning', async () => {
    const late = async () => (await desk.call('asha', 'GET', 'queue')).body.late;
    assert.deepEqual(await late(), []);
    const asha = createDeskClient(desk.url);
    await asha.signIn(desk.tokens.asha ?? '');
    const imported = await asha.upload('/desk/float', { act: 'import', account: 'm-pesa' }, walletFile(1));
    assert.equal(imported.status, 200, imported.text);
    const begun = Date.parse(`${WALLET_DAY}T00:00:00+03:00`);
    const count = Math.floor((Date.now() - begun - 34 * 3_600_000) / 86_400_000) + 1;
    const since = new Date(begun).toISOString().replace('.000Z', '.000000Z');
    assert.deepEqual(await late(), [{ what: 'days', about: 'm-pesa', count, since }]);
    assert.match((await asha.get('/desk')).text, /days of m-pesa that are not closed<\/a>: [12], since/);
  });
});
