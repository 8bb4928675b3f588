import assert from 'node:assert/strict';
import { pages } from '../../../src/operators/desk/pages.ts';
import { moneyInSuspense } from '../../support/desk-money.ts';

import { useSignedIn } from '../api/signed-in.ts';

describe('the desk', () => {
  const { test, desk, money, asha, addressOf, proposeTopUp } = useSignedIn();

  it('shows every page, tells no browser to store, frame or run it, and stays below 60 KB', async () => {
    const id = await proposeTopUp('asha', 'shown');
    for (const { path } of pages) {
      const { status, text, headers } = await asha.get(addressOf(path, { proposals: id }));
      assert.equal(status, 200, `${path}: ${text}`);
      assert.ok(text.length < 60_000, path);
      assert.equal(headers.get('cache-control'), 'no-store');
      assert.equal(headers.get('x-frame-options'), 'DENY');
      assert.match(
        headers.get('content-security-policy') ?? '',
        /default-src 'none'.*frame-ancestors 'none'/,
      );
      assert.doesNotMatch(text, /<script|javascript:| on\w+=|style="/i, path);
    }
  });

  it('does what the API does, and leaves the same lines in the audit log', async () => {
    const { rows: before } = await test.database.query('SELECT id FROM audit_head');
    await asha.get('/desk/returns');
    const rows = await test.sql`SELECT actor, action, address, detail FROM audit_log
      WHERE id > ${before[0].id}`;
    const line = { actor: 'operator:asha', action: 'call.listReturns', address: '127.0.0.1' };
    assert.deepEqual(rows, [{ ...line, detail: { outcome: 'done' } }]);
  });

  it('shows lines that were refused as they were typed', async () => {
    const path = `/desk/merchants/${money.accountId}`;
    const seen = JSON.stringify({ account_id: money.accountId });
    const { text } = await asha.submit(path, { act: 'accounts.freeze', seen, reason: 'one\r\ntwo' });
    assert.match(text, />one\ntwo<\/textarea>/);
  });

  it('keeps what was typed into a form that was refused, and says why', async () => {
    const path = `/desk/merchants/${money.accountId}`;
    const typed = { act: 'accounts.top-up', amount: '50000,50', reference: 'CRDB 1' };
    const { status, text } = await asha.submit(path, typed);
    assert.equal(status, 422);
    assert.match(text, /amount must be an amount in TZS/);
    assert.match(text, /<details open>[\s\S]*value="50000,50"[\s\S]*value="CRDB 1"/);
  });

  it('finds a merchant by a part of the name that no other has, and asks where several have it', async () => {
    const path = `/desk/suspense/${money.item}`;
    const { id, receipt } = (await desk.call('asha', 'GET', `suspense/${money.item}`)).body.item;
    const fields = { act: 'suspense.to-merchant', seen: JSON.stringify({ item: id, receipt }), note: 'n' };
    await moneyInSuspense(test.database, { name: 'Duka la Baraka', receipt: 'R-B' });
    const several = await asha.submit(path, { ...fields, merchant: 'duka' });
    assert.equal(several.status, 422);
    assert.match(several.text, /fits several merchants: Duka la Asha .*Duka la Baraka/);
    assert.equal((await asha.submit(path, { ...fields, merchant: 'baraka' })).status, 303);
    assert.equal((await asha.submit(path, { ...fields, merchant: 'nobody of this name' })).status, 422);
  });

  it('gives a statement of any range as a file, and says no where a page is too long', async () => {
    const path = `/desk/merchants/${money.accountId}/statement?from=2020-01-01&to=2099-01-01`;
    const file = await asha.get(`${path}&format=csv`);
    assert.match(file.headers.get('content-disposition') ?? '', /attachment/);
    assert.match(
      file.text,
      /^Line,When,Day,What,Reference,Amount,Balance,Transaction\r\n1,(2\d{3}-\d\d-\d\d)T[\d:.]+\+03:00,\1,top up: Top-up,.*,1000000.00,1000000.00,\r\n/,
    );
    assert.match((await asha.get(`${path}&format=csv&timezone=UTC`)).text, /\r\n1,2[\dT:.-]+Z,2/);
    const page = await asha.get(path);
    assert.equal(page.status, 422);
    assert.match(page.text, /at most 92 days/);
  });

  it('answers what it does not know with a page', async () => {
    for (const [path, status] of [
      ['/desk/nothing', 404],
      ['/desk/proposals/pr_none', 404],
      ['/desk/transactions/none', 404],
    ] as const) {
      const shown = await asha.get(path);
      assert.equal(shown.status, status, path);
      assert.match(shown.headers.get('content-type') ?? '', /text\/html/);
    }
    assert.equal((await asha.submit('/desk/me', { act: 'nothing' })).status, 404);
  });
});
