// tests: slow
import assert from 'node:assert/strict';
import { setLimits } from '../../src/accounts/limits.ts';
import { bankPreviewAnswer, mobilePreviewAnswer } from '../../src/contract/answer-schemas.ts';
import type { NameResult } from '../../src/domain/channel.ts';
import { assertRefused, routeOver } from './support/api.ts';
import { bank, mobile } from './support/bodies.ts';
import { useTestApi } from './support/use-api.ts';

describe('previews', () => {
  const lookupName = async (): Promise<NameResult> => {
    if (name === 'throws') throw new Error('broken');
    return name;
  };
  const { api, test, restart } = useTestApi({ each: true, routeOf: routeOver({ lookupName }) });
  let name: NameResult | 'throws';
  const post = (path: string, body: object, key?: string) =>
    api.call('POST', path, { body, headers: key === undefined ? {} : { 'idempotency-key': key } });

  beforeEach(() => {
    name = { kind: 'found', fullName: 'ASHA JUMA' };
  });

  it('shows what a mobile payout would cost and moves nothing', async () => {
    const { body, status } = await post('payouts/mobile/preview', { ...mobile, metadata: { note: 'W' } });
    assert.equal(status, 200);
    const preview = mobilePreviewAnswer.parse(body);
    assert.match(preview.preview_id, /^prv_[0-9a-z]{16}$/);
    assert.equal(preview.message, 'Nothing has been sent yet. This payout would cost 51,000.00 TZS');
    assert.deepEqual(preview.amount, { value: 50000, currency: 'TZS', fee: 1000, total: 51000 });
    assert.deepEqual(preview.balance, { current: 2_000_000, reserved: 0, sufficient: true });
    assert.deepEqual(preview.channel, { name: 'm-pesa' });
    assert.deepEqual(body.beneficiary, {
      full_name: 'ASHA JUMA',
      name_match: null,
      phone_number: '0754123456',
    });
    assert.deepEqual(preview.limits, { minimum: 1, maximum: 300000 });
    assert.deepEqual(preview.metadata, { note: 'W' });
    const { body: balance } = await api.call('GET', 'balance');
    assert.deepEqual(balance.balance, { current: 2_000_000, reserved: 0 });
  });

  it('refuses more than the account or key may pay at once, and shows that limit', async () => {
    const limit = (apiKeyId: string | null, payout_max: number) =>
      setLimits(
        test.database,
        { accountId: api.accountId, apiKeyId, limits: { payout_max }, actor: 'test' },
        { mayRaise: true },
      );
    const preview = (amount: number) => post('payouts/mobile/preview', { ...mobile, amount });
    await limit(null, 900_050);
    assert.deepEqual((await preview(9_000)).body.limits, { minimum: 1, maximum: 9_000 });
    assertRefused(await preview(9_001), 409, 'limit_exceeded');
    assertRefused(await post('payouts/bank/preview', bank), 409, 'limit_exceeded');
    await limit(api.keyId, 800_000);
    assert.deepEqual((await preview(8_000)).body.limits, { minimum: 1, maximum: 8_000 });
    const { body } = await preview(8_001);
    assert.equal(
      body.message,
      'A payout of this API key may be at most 8,000.00 TZS (payout_max). ' +
        'Time does not change it: send less, or ask for a higher limit',
    );
  });

  it('compares the names of a bank payout without blocking it', async () => {
    const first = bankPreviewAnswer.parse((await post('payouts/bank/preview', bank)).body);
    assert.deepEqual(first.beneficiary, {
      full_name: 'ASHA JUMA',
      name_match: true,
      account_number: '0150123456789',
      bank_name: 'CRDB BANK',
      bic: 'CORUTZTZ',
    });
    name = { kind: 'found', fullName: 'OMARI SAID' };
    assert.equal((await post('payouts/bank/preview', bank)).body.beneficiary.name_match, false);
  });

  for (const silence of ['throws', { kind: 'unknown' }] as const) {
    it(`gives nulls when the channel ${silence === 'throws' ? 'throws' : 'cannot say'}`, async () => {
      name = silence;
      const { body, status } = await post('payouts/bank/preview', bank);
      assert.equal(status, 200);
      assert.deepEqual([body.beneficiary.full_name, body.beneficiary.name_match], [null, null]);
    });
  }

  it('refuses an account that the channel knows to be missing', async () => {
    name = { kind: 'not_found' };
    const refused = await post('payouts/bank/preview', bank);
    assertRefused(refused, 422, 'recipient_not_found', ['account_number']);
  });

  it('says when the balance does not suffice', async () => {
    await post('payouts/bank', { ...bank, amount: 1_000_000 }, 'k');
    await post('payouts/bank', { ...bank, amount: 900_000 }, 'k2');
    const { body } = await post('payouts/bank/preview', bank);
    assert.equal(body.balance.sufficient, false);
  });

  it('lets one payout of the same body use it, with the fee and the name that it showed', async () => {
    const { preview_id } = (await post('payouts/mobile/preview', mobile)).body;
    await test.database.query('UPDATE previews SET fee = 77700');
    const paid = await post('payouts/mobile', { ...mobile, preview_id }, 'k-1');
    assert.equal(paid.status, 200, paid.text);
    assert.equal(paid.body.amount.fee, 777);
    const lookup = await api.call('GET', `payouts/${paid.body.transaction_id}`);
    assert.equal(lookup.body.payout.beneficiary.full_name, 'ASHA JUMA');
    const again = await post('payouts/mobile', { ...mobile, preview_id }, 'k-1');
    assert.equal(again.text, paid.text);
    assertRefused(await post('payouts/mobile', { ...mobile, preview_id }, 'k-2'), 409, 'preview_mismatch');
  });

  it('refuses an initiation that differs from its preview, and leaves the key free', async () => {
    const { preview_id } = (await post('payouts/mobile/preview', mobile)).body;
    const { preview_id: expired } = (await post('payouts/mobile/preview', mobile)).body;
    await test.sql`UPDATE previews SET expires_at = now() - interval '1 second' WHERE id = ${expired}`;
    const otherNumber = { ...mobile, phone_number: '0754123457' };
    const wrong: [string, object, RegExp][] = [
      ['payouts/mobile', { ...mobile, amount: 50001, preview_id }, /with another amount\./],
      ['payouts/mobile', { ...otherNumber, amount: 1, preview_id }, /with another recipient, amount\./],
      ['payouts/bank', { ...bank, preview_id }, /with another operation, bank, recipient, amount\./],
      [
        'payouts/mobile',
        { ...mobile, transaction_channel: 'HALOPESA', preview_id },
        /with another network\./,
      ],
      ['payouts/mobile', { ...mobile, preview_id: expired }, /has expired/],
      ['payouts/mobile', { ...mobile, preview_id: 'prv_0000000000000000' }, /There is no preview/],
    ];
    for (const [path, body, why] of wrong) {
      const answer = await post(path, body, 'k');
      assertRefused(answer, 409, 'preview_mismatch');
      assert.match(answer.body.message, why);
    }
    assert.equal((await post('payouts/mobile', { ...mobile, preview_id }, 'k')).status, 200);
  });

  it('compares operation, network, recipient and amount in their canonical form, and nothing else', async () => {
    const { preview_id } = (await post('payouts/mobile/preview', mobile)).body;
    const spelled = { ...mobile, phone_number: '+255 754-123-456', transaction_channel: 'm-pesa' };
    const answer = await post('payouts/mobile', { ...spelled, metadata: { a: 1 }, preview_id }, 'k');
    assert.equal(answer.status, 200, answer.text);
    const previewed = (await post('payouts/bank/preview', bank)).body;
    const named = { ...bank, bic: `${bank.bic}XXX`, beneficiary: { full_name: 'Somebody Else' } };
    const paid = await post('payouts/bank', { ...named, preview_id: previewed.preview_id }, 'k2');
    assert.equal(paid.status, 200, paid.text);
    assert.equal(paid.body.bank.bic, bank.bic);
  });

  it("refuses another account's preview", async () => {
    const { preview_id } = (await post('payouts/mobile/preview', mobile)).body;
    await restart();
    assertRefused(await post('payouts/mobile', { ...mobile, preview_id }, 'k'), 409, 'preview_mismatch');
  });

  it('offers no channel that is not configured', async () => {
    await restart({ routeOf: () => undefined });
    for (const [path, body] of [
      ['payouts/mobile/preview', mobile],
      ['payouts/bank/preview', bank],
    ] as const)
      assertRefused(await post(path, body), 422, 'unsupported_network');
  });

  it('are so many a day, whether the network is asked or not', async () => {
    const previewed = () => post('payouts/mobile/preview', mobile);
    await restart({ previews: { perDay: 2 } });
    assert.deepEqual([(await previewed()).status, (await previewed()).status], [200, 200]);
    const refused = await previewed();
    assertRefused(refused, 429, 'rate_limited');
    assert.ok(Number(refused.headers['retry-after']) > 0);
    // Another account's are its own.
    await restart({ previews: { perDay: 2 } });
    assert.equal((await previewed()).status, 200);
  });

  it("ask for a name at the channel's rate, and say in the audit log who asked", async () => {
    const asked: string[] = [];
    const mayLookUp = (channelId: string) => asked.push(channelId) === 1;
    await restart({ previews: { mayLookUp } });
    const nameIn = async (path: string, body: object) => (await post(path, body)).body.beneficiary.full_name;
    assert.equal(await nameIn('payouts/mobile/preview', mobile), 'ASHA JUMA');
    assert.equal(await nameIn('payouts/bank/preview', bank), null);
    assert.deepEqual(asked, ['m-pesa', 'bank']);
    const rows = await test.sql`SELECT actor, subject, detail FROM audit_log WHERE action = 'names.look_up'`;
    assert.equal(rows.length, 1);
    assert.match(rows[0].actor, /^api:/);
    assert.equal(rows[0].subject, api.accountId);
    assert.equal(rows[0].detail.channel, 'm-pesa');
    assert.ok(!JSON.stringify(rows).includes('754123456'), 'whose name it was is not in the log');
  });
});
