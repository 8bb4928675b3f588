// tests: hard
import assert from 'node:assert/strict';
import { bankPayoutBody, type Json, mobilePayoutBody, newKey, pushBody } from '../support/gateway.ts';
import { until } from '../support/wait.ts';
import { openVictim, operate, useTarget, type Victim } from './target.ts';

describe('attack: a frozen account', function () {
  this.timeout(60_000);
  const target = useTarget();
  let victim: Victim;
  beforeEach(async () => {
    victim = await openVictim(target);
  });

  const freeze = (keyId?: string) =>
    operate(target, 'asha', 'POST', 'proposals', {
      action: 'accounts.freeze',
      payload: { account_id: victim.accountId, key_id: keyId },
      reason: 'theft',
    });
  const propose = (keyId?: string) =>
    operate(target, 'asha', 'POST', 'proposals', {
      action: 'accounts.unfreeze',
      payload: { account_id: victim.accountId, key_id: keyId },
      reason: 'the key is back',
    });
  const approve = (as: string, { id, payload_hash }: Json) =>
    operate(target, as, 'POST', `proposals/${id}/approve`, { payload_hash });

  const payment = { amount: 5_000, currency: 'TZS' };
  const creations = () =>
    Promise.all([
      victim.post('payouts/mobile', mobilePayoutBody()),
      victim.post('payouts/bank', bankPayoutBody()),
      victim.post('payouts/mobile/preview', mobilePayoutBody()),
      victim.post('payouts/bank/preview', bankPayoutBody()),
      victim.post('payments/ussd', pushBody()),
      victim.post('payments/billpay', { ...payment, payment_number: newKey(), payment_mode: 'EXACT' }),
      victim.post('payments/qr', payment),
      victim.post(`payments/${newKey()}/refunds`, {}),
    ]);

  it('pays nothing out and takes nothing new; what runs ends, and what is asked is answered', async () => {
    const running = await victim.post('payouts/mobile', mobilePayoutBody());
    assert.equal(running.status, 200, running.text);
    const before = await victim.transactions();
    assert.equal((await freeze()).status, 200);
    for (const { status, json } of await creations())
      assert.deepEqual([status, json.code], [403, 'forbidden'], JSON.stringify(json));
    assert.equal(await victim.transactions(), before);
    const lookup = `payouts/${running.json.transaction_id}`;
    await until(async () => (await victim.send('GET', lookup)).json.status === 'paid', 'the payout to end');
    for (const where of ['balance', 'transactions', 'payouts/bank/list'])
      assert.equal((await victim.send('GET', where)).status, 200, where);
  });

  it('is frozen by one person and freed by two; the same Idempotency-Key works then', async () => {
    const key = newKey();
    await freeze();
    assert.equal((await victim.post('payments/ussd', pushBody(), key)).status, 403);
    const again = await freeze();
    assert.deepEqual([again.status, again.json.code], [409, 'conflict']);
    for (const [method, where] of [
      ['POST', 'unfreeze'],
      ['DELETE', 'freeze'],
      ['PUT', 'freeze'],
    ] as const) {
      const { status } = await operate(target, 'asha', method, `accounts/${victim.accountId}/${where}`);
      assert.ok([404, 405].includes(status), `${method} ${where}`);
    }
    const { proposal } = (await propose()).json;
    assert.equal((await approve('asha', proposal)).status, 403);
    assert.equal((await victim.post('payments/ussd', pushBody(), key)).status, 403);
    assert.equal((await approve('juma', proposal)).json.proposal.state, 'executed');
    assert.equal((await victim.post('payments/ussd', pushBody(), key)).status, 200);
  });

  it('freezes one key alone, and no key of another account', async () => {
    const keyId = victim.apiKey.split('_')[2] ?? '';
    const other = await openVictim(target);
    const foreign = await freeze(other.apiKey.split('_')[2]);
    assert.equal(foreign.status, 404);
    assert.equal((await freeze(keyId)).status, 200);
    const refused = await victim.post('payouts/mobile', mobilePayoutBody());
    assert.deepEqual([refused.status, refused.json.code], [403, 'forbidden']);
    assert.equal((await other.post('payments/ussd', pushBody())).status, 200);
    assert.equal((await propose()).status, 409, 'the account is not frozen');
    const { proposal } = (await propose(keyId)).json;
    assert.equal((await approve('juma', proposal)).json.proposal.state, 'executed');
    assert.equal((await victim.post('payouts/mobile', mobilePayoutBody())).status, 200);
  });
});
