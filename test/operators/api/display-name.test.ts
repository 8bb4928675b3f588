import assert from 'node:assert/strict';
import { pageTokenOf } from '../../../src/transactions/rows/page-token.ts';
import { accept } from '../../support/accept.ts';
import { billRequest, createMerchant, type Merchant, submissionFor } from '../../support/merchant.ts';
import { useOperatorDesk } from '../../support/operator-desk.ts';
import { startPayPages, tokenKeys } from '../../support/pay-pages.ts';

describe('the name that customers read on the pages to pay on', () => {
  const { test, desk } = useOperatorDesk();
  let pages: Awaited<ReturnType<typeof startPayPages>>;
  let merchant: Merchant;
  let page: string;
  before(async () => {
    pages = await startPayPages(test.database);
    merchant = await createMerchant(test.database);
    const submission = submissionFor(merchant, billRequest(25_000));
    await accept(test.database, submission);
    page = `${pages.url}/pay/${pageTokenOf(tokenKeys, submission.transactionId)}`;
  });
  after(() => pages?.close());

  const read = async () => /<h1>([^<]*)/.exec(await (await fetch(page)).text())?.[1] ?? '';
  const audited = async () => {
    const rows = await test.sql`SELECT count(*)::int AS n FROM audit_log
      WHERE action = 'accounts.display-name' AND subject = ${merchant.accountId}`;
    return rows[0]?.n;
  };
  const propose = (as: string, name: string) =>
    desk.cli(as, 'accounts', 'display-name', merchant.accountId, name, '--reason', 'its shops are known so');

  it('is set by two operators, seen before and after, and is on the page at once', async () => {
    const before = await read();
    const proposed = await propose('asha', 'Duka la Asha & Wana');
    const shown = (await desk.cli('juma', 'proposals', 'list')).join('\n');
    assert.match(shown, /Show customers "Duka la Asha & Wana" on the pages of/);
    await assert.rejects(desk.approve('asha', proposed), /another|four|own/i);
    assert.equal(await read(), before, 'nothing is done yet');
    await desk.approve('juma', proposed);
    assert.match(await read(), /Duka la Asha &amp; Wana/);
    assert.equal(await audited(), 1);
  });
});
