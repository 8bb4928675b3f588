// tests: hard
import assert from 'node:assert/strict';
import type { Scope } from '../../src/accounts/keys.ts';
import { keyRing } from '../../src/config/fields.ts';
import { mobilePayoutBody, newKey } from '../support/gateway.ts';
import { createTestKeys } from '../support/keys.ts';
import { until } from '../support/wait.ts';
import { knock, openVictim, operate, useTarget, type Victim } from './target.ts';

describe('attack: keys', function () {
  this.timeout(90_000);
  const target = useTarget();
  let victim: Victim;
  beforeEach(async () => {
    victim = await openVictim(target);
  });

  const keys = () =>
    createTestKeys({ database: target.database, hashSecrets: keyRing.parse(target.secrets.KEY_HASH_SECRET) });
  const newKeyWith = (scopes: Scope[], allowedIps?: string[]) =>
    keys().createKey({
      accountId: victim.accountId,
      actor: 'test',
      scopes,
      ...(allowedIps ? { allowedIps } : {}),
    });

  it('one of certain addresses opens nothing from another one, whatever the request says of itself', async () => {
    const { apiKey } = await newKeyWith(['payments:read'], ['192.0.2.7/32']);
    const from = (address: string) =>
      knock(`${target.local.api_url}/api/v1/transactions`, {
        method: 'GET',
        headers: { authorization: `Bearer ${apiKey}` },
        from: address,
      });
    assert.equal((await from('192.0.2.7')).status, 200);
    for (const address of ['192.0.2.8', '192.0.2.7, 192.0.2.8', '::1', 'nonsense'])
      assert.equal((await from(address)).status, 401, address);
  });

  it('one that is revoked while its payout waits for a worker pays nothing', async () => {
    const { id, apiKey } = await newKeyWith(['payouts:write', 'payouts:read']);
    const body = mobilePayoutBody();
    assert.equal(
      (await target.request('POST', 'payouts/mobile', { apiKey, key: newKey(), body })).status,
      200,
    );
    const before = await victim.transactions();
    const worker = await target.pidOf('worker');
    process.kill(worker, 'SIGSTOP');
    let answer: { status: number };
    try {
      const asking = target.request('POST', 'payouts/mobile', { apiKey, key: newKey(), body });
      answer = await asking;
      assert.equal(
        (
          await operate(target, 'asha', 'POST', 'proposals', {
            action: 'keys.revoke',
            payload: { key_id: id },
            reason: 'r',
          })
        ).status,
        200,
      );
    } finally {
      process.kill(worker, 'SIGCONT');
    }
    assert.notEqual(answer.status, 200, 'nobody could accept it');
    await until(
      async () =>
        (
          await target.database.query(
            "SELECT FROM attention WHERE reason = 'untrusted_submission' AND detail LIKE '%may not do this any more%'",
          )
        ).rowCount,
      { deadlineMs: 60_000, what: 'the worker refuses it', everyMs: 250 },
    );
    assert.equal(await victim.transactions(), before);
    assert.equal((await target.request('GET', 'balance', { apiKey })).status, 401);
  });
});
