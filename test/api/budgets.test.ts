import assert from 'node:assert/strict';
import { budgets } from '../../src/domain/data/budgets.ts';
import { assertRefused } from './support/api.ts';
import { useCallbacks } from './support/callbacks.ts';

describe('what an account may cause beside payments', () => {
  const { test, flows, api, plant, update } = useCallbacks();

  /** As if so many were used in this day or hour. */
  const use = (what: string, uses: number) => test.sql`UPDATE uses SET uses = ${uses}
    WHERE account_id = ${api.accountId} AND use = ${what}`;
  const usesOf = async (what: string) => {
    const rows = await test.sql`SELECT uses FROM uses WHERE account_id = ${api.accountId} AND use = ${what}`;
    return rows[0]?.uses ?? 0;
  };
  const settings = (body: object) => api.call('PUT', 'callbacks/settings', { body });
  const settingsLines = async () => {
    const rows = await test.sql`SELECT count(*) AS lines FROM audit_log WHERE action = 'callbacks.settings'
      AND subject = ${api.keyId}`;
    return rows[0].lines;
  };

  it('is so many resends a day, of which a range takes what it queues', async () => {
    const ids = [await plant(), await plant(), await plant()];
    await update("state = 'failed'", ids);
    assert.equal((await api.call('POST', `callbacks/${ids[0]}/resend`)).status, 200);
    assert.equal(await usesOf('resends'), 1);
    await use('resends', budgets.resends.most - 1);
    const range = { body: { from: '2026-01-01', to: '2100-01-01' } };
    const queued = await api.call('POST', 'callbacks/resend', range);
    assert.deepEqual([queued.status, queued.body.queued], [200, 1], queued.text);
    assert.notEqual(queued.body.next_from, null);
    const rounds = flows.rounds.length;
    for (const refused of [
      await api.call('POST', 'callbacks/resend', range),
      await api.call('POST', `callbacks/${ids[2]}/resend`),
    ]) {
      assertRefused(refused, 429, 'rate_limited');
      assert.equal(refused.body.message, 'This account may make 1000 resends a day; try again tomorrow');
      assert.ok(Number(refused.headers['retry-after']) > 0);
    }
    assert.equal(flows.rounds.length, rounds);
  });

  it('is so many pings an hour', async () => {
    assert.equal((await api.call('POST', 'callbacks/test')).status, 200);
    await use('pings', budgets.pings.most);
    const refused = await api.call('POST', 'callbacks/test');
    assertRefused(refused, 429, 'rate_limited');
    assert.equal(refused.body.message, 'This account may make 60 pings an hour; try again later');
    assert.equal(flows.rounds.length, 1);
  });

  it('is so many changes of settings an hour: what changes nothing is neither counted nor audited', async () => {
    const change = {
      callback_url: 'https://other.example/hook',
      passphrase: 'a secret of the shop, long enough',
    };
    assert.equal((await settings({ ...change, events: ['payment.failed'] })).status, 200);
    assert.deepEqual([await usesOf('changes of settings'), await settingsLines()], [1, 1]);
    assert.equal((await settings({ ...change, events: ['payment.failed'] })).status, 200);
    assert.deepEqual([await usesOf('changes of settings'), await settingsLines()], [1, 1]);
    await use('changes of settings', budgets['changes of settings'].most);
    assertRefused(await settings({ events: [] }), 429, 'rate_limited');
    const now = await api.call('GET', 'callbacks/settings');
    assert.deepEqual([now.body.events, await settingsLines()], [['payment.failed'], 1]);
    assert.equal((await settings(change)).status, 200);
  });
});
