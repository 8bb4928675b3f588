// tests: hard
import assert from 'node:assert/strict';
import { scopes } from '../../src/accounts/keys.ts';
import { keyRing } from '../../src/config/fields.ts';
import { type Answer, mobilePayoutBody, newKey, pushBody } from '../support/gateway.ts';
import { createTestKeys } from '../support/keys.ts';
import { openVictim, operate, useTarget, type Victim } from './target.ts';

const SHILLING = 100;

describe('attack: limits', function () {
  this.timeout(60_000);
  const target = useTarget();
  let victim: Victim;
  beforeEach(async () => {
    victim = await openVictim(target);
  });

  const setLimits = (limits: object) =>
    operate(target, 'asha', 'POST', 'proposals', {
      action: 'limits.set',
      payload: { account_id: victim.accountId, limits },
      reason: 'r',
    });
  async function limit(limits: object): Promise<void> {
    const { status, json } = await setLimits(limits);
    assert.ok(status === 200 && json.outcome, JSON.stringify(json));
  }
  async function secondKey(): Promise<string> {
    const hashSecrets = keyRing.parse(target.secrets.KEY_HASH_SECRET);
    const keys = createTestKeys({ database: target.database, hashSecrets });
    return (await keys.createKey({ accountId: victim.accountId, actor: 'test', scopes })).apiKey;
  }
  const pay = (ending: string, amount: number, apiKey = victim.apiKey, where = 'payouts/mobile') =>
    target.request('POST', where, { apiKey, key: newKey(), body: mobilePayoutBody(ending, amount) });
  const codes = (answers: Answer[]) => answers.map(({ status, json }) => (status === 200 ? 'ok' : json.code));
  const accepted = (answers: Answer[]) => answers.filter(({ status }) => status === 200).length;

  it('twins: the same payout and the same push under many keys at once is sent once', async () => {
    await limit({ duplicate_window_s: 3_600 });
    const other = await secondKey();
    const payouts = await Promise.all(
      Array.from({ length: 6 }, (_, i) => pay('129', 10_000, i % 2 === 0 ? victim.apiKey : other)),
    );
    assert.equal(accepted(payouts), 1, codes(payouts).join());
    assert.ok(codes(payouts).every((code) => ['ok', 'duplicate_suspected'].includes(code)));
    const pushes = await Promise.all(
      Array.from({ length: 4 }, () => victim.post('payments/ussd', pushBody('129'))),
    );
    assert.equal(accepted(pushes), 1, codes(pushes).join());
  });

  it('per day: many at once do not exceed it', async () => {
    await limit({ payouts_per_day: 3, payout_daily_max: 100_000 * SHILLING });
    const answers = await Promise.all(Array.from({ length: 8 }, (_, i) => pay(`1${i}9`, 1_000 + i * 100)));
    assert.equal(accepted(answers), 3, codes(answers).join());
    assert.ok(codes(answers).every((code) => ['ok', 'limit_exceeded'].includes(code)));
  });

  it('per recipient: another key, another spelling of the number and small pieces do not help', async () => {
    await limit({ recipient_daily_max: 25_000 * SHILLING });
    const other = await secondKey();
    const spelled = (phone: string, apiKey: string) =>
      target.request('POST', 'payouts/mobile', {
        apiKey,
        key: newKey(),
        body: { ...mobilePayoutBody('129', 10_000), phone_number: phone },
      });
    const answers = [
      await spelled('0754123129', victim.apiKey),
      await spelled('255754123129', other),
      await spelled('+255754123129', victim.apiKey),
      await spelled('0754123129', other),
    ];
    assert.deepEqual(codes(answers), ['ok', 'ok', 'limit_exceeded', 'limit_exceeded']);
  });

  it('one payout: no amount above it, previewed or not, and the merchant cannot raise it', async () => {
    await limit({ payout_max: 5_000 * SHILLING });
    assert.deepEqual(codes([await pay('456', 5_001)]), ['limit_exceeded']);
    const { status } = await victim.send('PUT', 'limits', { payout_max: 1_000_000 });
    assert.equal(status, 404);
    assert.equal(await victim.transactions(), 0);
  });

  it('one operator alone weakens none', async () => {
    await limit({ payout_max: 5_000 * SHILLING });
    for (const weaker of [
      { payout_max: 6_000 * SHILLING },
      { payout_max: null },
      { payout_max: 1, payouts_per_day: null },
    ]) {
      const { json } = await setLimits(weaker);
      const isTighter = 'payouts_per_day' in weaker;
      assert.equal(json.proposal?.state ?? 'done', isTighter ? 'done' : 'proposed', JSON.stringify(weaker));
    }
    assert.deepEqual(codes([await pay('456', 2)]), ['limit_exceeded']);
  });
});
