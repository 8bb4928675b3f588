import assert from 'node:assert/strict';
import { createMerchant } from '../../support/merchant.ts';
import { bankAccount, setRule } from '../../support/settlement.ts';
import { useSignedIn } from './signed-in.ts';

describe('what is set for a merchant, on its page and on the command line', () => {
  const { test, desk, asha } = useSignedIn();
  const shown = async (as: string, accountId: string) =>
    (await desk.cli(as, 'accounts', 'show', accountId)).slice(5).map((line) => line.replace(/^.*? {2,}/, ''));

  it('is who starts its batches, proposed on the page and approved by another', async () => {
    const { accountId } = await createMerchant(test.database);
    const path = `/desk/merchants/${accountId}`;
    assert.match((await asha.get(path)).text, /Batches are started by<\/dt><dd>somebody else than its maker/);
    const ask = { act: 'accounts.batches', need_another: 'no', reason: 'one person runs it' };
    const { status, location } = await asha.submit(path, ask);
    assert.equal(status, 303);
    const id = location?.split('/').at(-1) ?? '';
    const { proposal } = (await desk.call('juma', 'GET', `proposals/${id}`)).body;
    assert.equal(proposal.payload.need_another, false);
    assert.equal((await desk.consent('asha', proposal)).status, 403);
    assert.equal((await desk.consent('juma', proposal)).status, 200);
    assert.match((await asha.get(path)).text, /<dd>any key with payouts:approve/);
    assert.equal((await shown('asha', accountId))[0], 'any key with payouts:approve');
    assert.equal((await asha.submit(path, ask)).status, 409);
  });

  it('is a name that nobody changed since the page was shown', async () => {
    const { accountId } = await createMerchant(test.database);
    const path = `/desk/merchants/${accountId}`;
    const ask = { act: 'accounts.display-name', reason: 'r', display_name: 'Duka Jipya' };
    const stale = JSON.stringify({ account_id: accountId, before: 'Duka la Kale' });
    const { status, text } = await asha.submit(path, { ...ask, seen: stale });
    assert.equal(status, 409);
    assert.match(text, /changed since you looked at it/);
    assert.equal((await asha.submit(path, ask)).status, 303);
    assert.equal((await asha.submit(path, { ...ask, seen: '{' })).status, 422);
  });

  it('is the settlement rule in force, with the account in full for who reads people', async () => {
    const merchant = await createMerchant(test.database);
    const { accountId } = merchant;
    assert.deepEqual((await shown('asha', accountId))[1], 'no rule');
    await setRule(test.database, merchant, { days: [1, 4] });
    const version = await setRule(test.database, merchant, { days: [1, 4], keep: 250_000, waits: true });
    const { settlement } = (await desk.call('only-finance', 'GET', `accounts/${accountId}`)).body;
    const { pays_from } = settlement.rule;
    const { says } = settlement;
    assert.deepEqual(settlement, {
      set_by: version,
      says,
      rule: {
        own_account: `${bankAccount.bic} ${bankAccount.accountNumber} (${bankAccount.fullName})`,
        days: ['mon', 'thu'],
        keep: '250,000.00',
        smallest: '1,000.00',
        cap: '10,000,000.00',
        pays_from,
        waits: true,
      },
    });
    const line = (await shown('only-admin', accountId))[1] ?? '';
    assert.match(line, /^To CORUTZTZ \S*\*\S* on mon, thu, from \S+ on: keeps 250,000\.00, pays 1,000/);
    assert.ok(!line.includes(bankAccount.accountNumber) && !line.includes(bankAccount.fullName), line);
    const { text } = await asha.get(`/desk/merchants/${accountId}`);
    assert.match(text, /To CORUTZTZ 0150123456789 \(Duka la Mama Asha\) on mon, thu, from <time/);
    assert.ok(text.includes(` TZS each time (${version})`));
  });

  it('says so where no process of ours wrote the rule', async () => {
    const merchant = await createMerchant(test.database);
    const version = await setRule(test.database, merchant);
    await test.database.query('ALTER TABLE settlement_rules DISABLE TRIGGER USER');
    await test.database.query('UPDATE settlement_rules SET cap = cap + 100 WHERE version = $1', [version]);
    await test.database.query('ALTER TABLE settlement_rules ENABLE TRIGGER USER');
    const { settlement } = (await desk.call('asha', 'GET', `accounts/${merchant.accountId}`)).body;
    assert.deepEqual([settlement.set_by, settlement.rule], [version, null]);
    const page = (await asha.get(`/desk/merchants/${merchant.accountId}`)).text;
    for (const said of [(await shown('asha', merchant.accountId))[1] ?? '', page])
      assert.match(said, /is not proven, so it pays nothing/);
  });

  it('is the holder of each key, which the page asks for when it lets one in', async () => {
    const { accountId } = await createMerchant(test.database);
    const scopes = ['payouts:approve'] as const;
    await desk.keys.createKey({ accountId, actor: 'test', scopes, label: 'approver', holder: 'Neema Kweka' });
    const path = `/desk/merchants/${accountId}/keys`;
    assert.match((await asha.get(path)).text, /Neema Kweka/);
    const lines = await desk.cli('asha', 'keys', 'list', accountId);
    assert.ok(
      lines.some((line) => / approver +Neema Kweka /.test(line)),
      lines.join('\n'),
    );
    const printed = `sk_test_${'A'.repeat(12)}:${'9f'.repeat(32)}`;
    const ask = {
      act: 'keys.create',
      'key:fingerprint': printed,
      scopes: 'payouts:read',
      holder: 'Juma Ali',
      reason: 'r',
    };
    const { status, location, text } = await asha.submit(path, ask);
    assert.equal(status, 303, text);
    const id = location?.split('/').at(-1) ?? '';
    const { proposal } = (await desk.call('asha', 'GET', `proposals/${id}`)).body;
    assert.equal(proposal.payload.holder, 'Juma Ali');
  });
});
