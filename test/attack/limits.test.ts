// tests: hard
import assert from 'node:assert/strict';
import { scopes } from '../../src/accounts/keys.ts';
import { keyRing } from '../../src/config/fields.ts';
import { type Answer, mobilePayoutBody, newKey } from '../support/gateway.ts';
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

  async function limit(limits: object): Promise<void> {
    const payload = { account_id: victim.accountId, limits };
    const asked = { action: 'limits.set', payload, reason: 'r' };
    const { status, json } = await operate(target, 'asha', 'POST', 'proposals', asked);
    assert.ok(status === 200 && json.outcome, JSON.stringify(json));
  }
  async function secondKey(): Promise<string> {
    const hashSecrets = keyRing.parse(target.secrets.KEY_HASH_SECRET);
    const keys = createTestKeys({ database: target.database, hashSecrets });
    return (await keys.createKey({ accountId: victim.accountId, actor: 'test', scopes })).apiKey;
  }
  const codes = (answers: Answer[]) => answers.map(({ status, json }) => (status === 200 ? 'ok' : json.code));

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
});
