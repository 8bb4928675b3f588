import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'puppeteer-core';
import { moneyInSuspense } from '../support/desk-money.ts';
import { until } from '../support/wait.ts';

import { NARROW, useDeskPeople, WAIT_MS } from './desk-people.ts';

/** The desk as finance and support people meet it: a real browser without JavaScript, and two people who have to agree. */
describe('the desk in a browser', function () {
  this.timeout(240_000);
  const desks = useDeskPeople();
  const {
    test,
    desk,
    money,
    complaints,
    openFor,
    go,
    pathOf,
    shown,
    picture,
    click,
    reach,
    enter,
    approve,
    head,
    requireLines,
    balance,
  } = desks;
  let asha: Page;
  let juma: Page;
  before(() => {
    ({ asha, juma } = desks.people());
  });

  it('releases money from suspense to its merchant: four clicks of one person, two of another', async () => {
    const since = await head();
    await click(asha, 'Suspense');
    await click(asha, '5,229.00 TZS');
    await picture(asha, 'item');
    await (await asha.$('form textarea'))?.type('the customer paid late, ticket 812');
    await click(asha, 'Credit the merchant of its transaction');
    assert.match(await shown(asha), /You proposed it: another operator has to approve it/);
    await picture(asha, 'own-proposal');

    await go(juma, pathOf(asha));
    const words = await shown(juma);
    assert.match(words, /Credit Duka la Asha .* with 5,229\.00 TZS from suspense/);
    assert.match(words, /available balance1,000,000\.00 TZS1,005,229\.00 TZS/);
    await picture(juma, 'proposal');
    assert.match(await approve(pathOf(asha)), /Stateexecuted/);
    assert.equal(await balance(), '1,005,229.00');
    await requireLines(since, [
      'asha call.listSuspense',
      'asha call.propose',
      'asha proposals.propose',
      'juma call.getProposal',
      'juma call.approve',
      'juma proposals.approve',
      'juma suspense.to-merchant',
    ]);
  });

  it('tops a merchant up with the keyboard alone, on a narrow screen', async () => {
    const since = await head();
    const page = await openFor('asha', `/desk/merchants/${money.accountId}`);
    await page.setViewport(NARROW);
    await reach(page, { words: 'Top up' });
    await page.keyboard.press('Enter');
    await reach(page, { field: 'amount' });
    await page.keyboard.type('50,000');
    await reach(page, { field: 'reference' });
    await page.keyboard.type('CRDB 4417/93');
    await reach(page, { words: 'Propose it' });
    await enter(page);
    assert.match(
      await shown(page),
      /Credit Duka la Asha .* with 50,000\.00 TZS \(bank reference CRDB 4417\/93\)/,
    );

    const other = await openFor('juma', pathOf(page));
    await other.setViewport(NARROW);
    await reach(other, { field: 'token' });
    await other.keyboard.type(desk.tokens.juma ?? '');
    await reach(other, { words: 'Approve it' });
    await enter(other);
    assert.match(await shown(other), /top-up of 50,000\.00 TZS is posted/);
    assert.equal(await balance(), '1,055,229.00');
    await requireLines(since, ['asha desk.sign-in', 'asha proposals.propose', 'juma proposals.approve']);
  });

  it("walks through a finance person's morning (docs/operations/morning.md)", async () => {
    for (const name of ['neema', 'rehema']) await desk.hire(name, ['finance']);
    const found = await moneyInSuspense(test.database, { name: 'Duka la Zuhura', receipt: 'QK90MORNING' });
    const neema = await openFor('neema');
    assert.match(await shown(neema), /A person is needed.*late success: \d/s);
    await click(neema, 'late success');
    assert.equal(neema.url(), `${desk.url}/desk/attention?reason=late_success`);
    await click(neema, 'late success');
    assert.match(await shown(neema), /Where the money is.*waits in suspense for a decision/s);
    await click(neema, found.item);
    await (await neema.$('form textarea'))?.type('the merchant delivered, ticket 9');
    await click(neema, 'Credit the merchant of its transaction');
    const rehema = await openFor('rehema', pathOf(neema));
    assert.match(await approve(pathOf(neema), rehema, desk.tokens.rehema), /has left suspense/);
    await click(neema, 'Attention');
    assert.doesNotMatch(await shown(neema), /QK90MORNING/);
    await click(neema, 'Returns');
    assert.match(await shown(neema), /No refund and no payback is on its way/);
    await click(neema, 'Merchants');
    await neema.type('#filter-name', 'zuhura');
    await click(neema, 'Show');
    await click(neema, 'Duka la Zuhura');
    await click(neema, 'Statement');
    assert.match(await shown(neema), /adjustment: .*the merchant delivered, ticket 9/);
    const [cookie] = await neema.browserContext().cookies();
    const file = await fetch(`${neema.url()}?format=csv`, {
      headers: { cookie: `${cookie?.name}=${cookie?.value}` },
    });
    assert.match(await file.text(), /ticket 9",?.*5229\.00/);
    await click(neema, 'Networks');
    await click(neema, 'Ask every connection now');
    assert.match(await shown(neema), /works/);
  });

  it('opens the page of a link in a chat, without another sign-in', async () => {
    const chat: Server = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(`<a href="${desk.url}/desk/proposals?state=executed">look</a>`);
    });
    await new Promise<void>((resolve) => chat.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = chat.address() as AddressInfo;
      // Another name of this machine is another site.
      const page = await asha.browserContext().newPage();
      await page.goto(`http://localhost:${port}/`);
      await (await page.$('a'))?.click();
      const arrived = async () => (await page.$('nav a[aria-current]').catch(() => null)) !== null;
      await until(arrived, { deadlineMs: WAIT_MS, what: 'the page that was linked' });
      assert.equal(page.url(), `${desk.url}/desk/proposals?state=executed`);
      await page.close();
    } finally {
      chat.close();
    }
  });

  it('gave the browser nothing to complain about', () => assert.deepEqual(complaints.flat(), []));
});
