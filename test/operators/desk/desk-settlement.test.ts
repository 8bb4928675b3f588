import assert from 'node:assert/strict';
import { createMerchant } from '../../support/merchant.ts';
import { useSignedIn } from '../api/signed-in.ts';

describe('the settlement rule on the desk', () => {
  const { test, desk, asha, signedIn } = useSignedIn();
  const rule = { act: 'settlement.set', days: 'thu', keep: '100,000', smallest: '50000', cap: '20,000,000' };
  const bank = {
    'bank.bic': 'CORUTZTZ',
    'bank.account_number': '0150123456789',
    'bank.full_name': 'Duka la Mama Asha',
  };
  const pathOf = ({ accountId }: { accountId: string }) => `/desk/merchants/${accountId}/settlement`;

  it('is proposed by a form, approved by another, and shown with its terms to change', async () => {
    const path = pathOf(await createMerchant(test.database));
    assert.match((await asha.get(path)).text, /no rule[\s\S]*value="mon" checked[\s\S]*value="sun" checked/);
    const { status, location } = await asha.submit(path, { ...rule, ...bank, reason: 'letter, ticket 655' });
    assert.equal(status, 303);
    const id = location?.split('/').at(-1) ?? '';
    const { proposal } = (await desk.call('juma', 'GET', `proposals/${id}`)).body;
    const { days, keep, smallest, cap } = proposal.payload;
    assert.deepEqual([days, keep, smallest, cap], [['thu'], 100_000_00, 50_000_00, 20_000_000_00]);
    assert.equal((await desk.consent('juma', proposal)).status, 200);
    const { text } = await asha.get(path);
    assert.match(text, /To CORUTZTZ 0150123456789 \(Duka la Mama Asha\) on thu/);
    assert.match(text, /value="mon">[\s\S]*value="thu" checked[\s\S]*value="100,000.00"/);
    assert.equal(
      (await asha.submit(path, { ...rule, keep: '0', 'wallet.phone_number': '0754123456', reason: 'r' }))
        .status,
      303,
    );
  });

  it('is paid to the account that its radio names, whatever else was typed', async () => {
    const path = pathOf(await createMerchant(test.database));
    assert.match(
      (await asha.get(path)).text,
      /<input type="radio"[^>]*name="group" value="wallet" required>/,
    );
    const wallet = { ...bank, 'wallet.phone_number': '0754123456', group: 'wallet', reason: 'letter' };
    const { status, location } = await asha.submit(path, { ...rule, ...wallet });
    assert.equal(status, 303);
    const id = location?.split('/').at(-1) ?? '';
    const { payload } = (await desk.call('juma', 'GET', `proposals/${id}`)).body.proposal;
    assert.deepEqual([payload.bank, payload.wallet], [undefined, { phone_number: '0754123456' }]);
    const empty = await asha.submit(path, { ...rule, ...wallet, 'wallet.phone_number': '' });
    assert.match(empty.text, /value="wallet" required checked>[\s\S]*It is required/);
    const merchant = (await asha.get(path.replace('/settlement', ''))).text;
    assert.match(merchant, /<input type="radio"[^>]*name="need_another" value="no" required checked>/);
  });

  it('says what is wrong, and keeps what was typed', async () => {
    const path = pathOf(await createMerchant(test.database));
    for (const [more, said] of [
      [{}, /must be a bank account or a wallet/],
      [{ ...bank, 'wallet.phone_number': '0754123456' }, /and not both/],
      [{ ...bank, 'bank.full_name': '' }, /full name/],
      [{ ...bank, cap: '40000' }, /cap must not be less than smallest/],
      [{ ...bank, smallest: 'much' }, /smallest must be an amount in TZS/],
    ] as const) {
      const { status, text } = await asha.submit(path, { ...rule, ...more, reason: 'kept' });
      assert.equal(status, 422, text);
      assert.match(text, said);
      assert.match(text, />kept<\/textarea>/);
    }
  });

  it('is offered to finance alone', async () => {
    const path = pathOf(await createMerchant(test.database));
    const support = await signedIn('only-support');
    assert.doesNotMatch((await support.get(path)).text, /Set the settlement rule/);
    assert.equal((await support.submit(path, { ...rule, ...bank, reason: 'r' })).status, 403);
  });
});
