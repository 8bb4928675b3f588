// tests: hard
import assert from 'node:assert/strict';
import http from 'node:http';
import type { Scope } from '../../src/accounts/keys.ts';
import { keyRing } from '../../src/config/fields.ts';
import { bankPayoutBody, mobilePayoutBody, newKey, pushBody } from '../support/gateway.ts';
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

  it('one that may only read moves and asks for nothing', async () => {
    const { apiKey } = await newKeyWith(['payments:read', 'payouts:read']);
    for (const [where, body] of [
      ['payments/ussd', pushBody()],
      ['payouts/mobile', mobilePayoutBody()],
      ['payouts/bank', bankPayoutBody()],
      ['payouts/mobile/preview', mobilePayoutBody()],
      ['payments/billpay', { amount: 1_000, payment_number: newKey(), description: 'x' }],
    ] as const) {
      const { status, text } = await target.request('POST', where, { apiKey, key: newKey(), body });
      assert.equal(status, 403, text);
    }
    const { status } = await target.request('PUT', 'callbacks/settings', {
      apiKey,
      body: { callback_url: target.local.callback_url },
    });
    assert.equal(status, 403);
    assert.equal(await victim.transactions(), 0);
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

  it('one of another merchant sees and touches nothing of this one', async () => {
    const { json } = await victim.post('payouts/mobile', mobilePayoutBody('129'));
    const thief = await openVictim(target);
    for (const [method, where] of [
      ['GET', `payouts/${json.transaction_id}`],
      ['GET', `transactions/${json.transaction_id}/entries`],
      ['POST', `payouts/${json.transaction_id}/cancel`],
    ] as const)
      assert.equal((await thief.send(method, where)).status, 404, where);
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

  it('the demo key is shown to nobody who asks for /docs by another name than this machine’s', async () => {
    const pageFor = (host: string) =>
      new Promise<string>((resolve, reject) => {
        const url = `${target.local.api_url}/docs`;
        http
          .get(url, { headers: { host } }, async (incoming) => {
            let text = '';
            for await (const chunk of incoming) text += chunk;
            resolve(text);
          })
          .on('error', reject);
      });
    assert.ok((await pageFor('127.0.0.1:3000')).includes(target.local.api_key));
    for (const host of ['pay.example.com', 'localhost.example.com', '127.0.0.1.example.com', '192.168.1.5'])
      assert.ok(!(await pageFor(host)).includes(target.local.api_key), host);
  });
});
