import assert from 'node:assert/strict';
import { getCallbackSettings } from '../../../src/callbacks/settings.ts';
import { optionalEvents } from '../../../src/domain/event.ts';
import { loadEvent, plantEvent } from '../../callbacks/planted.ts';
import { createMerchant, type Merchant } from '../../support/merchant.ts';
import { useOperatorDesk } from '../../support/operator-desk.ts';

describe('callbacks on the command line', () => {
  let merchant: Merchant;
  let started: string[];
  let temporalAnswers: boolean;
  const { test, desk } = useOperatorDesk({
    deliver: async ({ eventId, round }) => {
      if (temporalAnswers) started.push(`${eventId}/${round}`);
      return temporalAnswers;
    },
  });
  beforeEach(async () => {
    merchant = await createMerchant(test.database);
    started = [];
    temporalAnswers = true;
  });

  const run = (...args: string[]) => desk.cli('asha', 'callbacks', ...args);
  const isStarted = (eventId: string, round: number) => started.includes(`${eventId}/${round}`);
  async function plantFailed(count: number): Promise<string[]> {
    const ids: string[] = [];
    while (ids.length < count) ids.push(await plantEvent(test.database, merchant));
    await test.database.query("UPDATE callback_events SET state = 'failed' WHERE id = ANY($1)", [ids]);
    return ids;
  }

  it('resends one event, and says so in the audit log', async () => {
    const [id = ''] = await plantFailed(1);
    assert.deepEqual(await run('resend', merchant.accountId, '--event', id), [`${id} is queued`]);
    assert.equal(isStarted(id, 1), true);
    const rows = await test.sql`SELECT actor FROM audit_log WHERE action = 'callbacks.resend'
      AND subject = ${id}`;
    assert.equal(rows[0]?.actor, 'operator:asha');
    const stranger = await createMerchant(test.database);
    await assert.rejects(run('resend', stranger.accountId, '--event', id), /no callback event/);
  });

  it('resends a range of time when two agree on it, to the addresses that both saw, audited as a read', async () => {
    const [first = '', second = ''] = await plantFailed(2);
    await test.sql`UPDATE callback_events SET created_at = now() - interval '2 days' WHERE id = ${first}`;
    const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
    const propose = (...args: string[]) =>
      run('resend-range', merchant.accountId, ...args, '--reason', 'their receiver was down');
    const recent = await propose('--from', hoursAgo(1));
    assert.equal(started.length, 0);
    await assert.rejects(desk.approve('asha', recent), /another operator/);
    assert.deepEqual(await desk.approve('juma', recent), ['events are queued: 1']);
    assert.equal((await loadEvent(test.database, first))?.state, 'failed');
    assert.deepEqual(started, [`${second}/1`]);
    const rows = await test.sql`SELECT actor, detail FROM audit_log WHERE action = 'callbacks.resend_range'
      AND subject = ${merchant.accountId}`;
    const address = (await getCallbackSettings(test.database, merchant.apiKeyId)).callbackUrl;
    assert.deepEqual(
      rows.map(({ actor, detail }) => [actor, detail.addresses, detail.read]),
      [['operator:juma', [address], [second]]],
    );

    const old = await propose('--from', hoursAgo(72), '--to', hoursAgo(24));
    await test.sql`UPDATE api_keys SET callback_url = ${'https://thief.example/'}
      WHERE id = ${merchant.apiKeyId}`;
    await assert.rejects(desk.approve('juma', old), /changed since you looked at it \(addresses\)/);
    assert.deepEqual(started, [`${second}/1`]);
    await assert.rejects(propose('--from', hoursAgo(72), '--states', 'delivered'), /No event of this range/);
  });

  it('pings a key, also while Temporal is away: then the sweep starts it', async () => {
    const [line = ''] = await run('ping', merchant.apiKeyId);
    assert.match(line, /^evt_[0-9a-f]{32} is queued$/);
    assert.equal(isStarted(line.split(' ')[0] ?? '', 1), true);
    temporalAnswers = false;
    const [queued = '', warning] = await run('ping', merchant.apiKeyId);
    assert.match(warning ?? '', /Temporal does not answer/);
    assert.equal((await loadEvent(test.database, queued.split(' ')[0] ?? ''))?.state, 'pending');
  });

  it('asks for what it needs', async () => {
    await assert.rejects(
      run('resend-range', merchant.accountId, '--from', 'yesterday', '--reason', 'x'),
      /from must be a time in ISO 8601/,
    );
    await assert.rejects(run('ping', 'nobody'), /No API key/);
  });

  describe('set', () => {
    const propose = (...args: string[]) => run('set', merchant.apiKeyId, ...args, '--reason', 'ticket 12');
    const set = async (...args: string[]) => desk.approve('juma', await propose(...args));
    const settings = () => getCallbackSettings(test.database, merchant.apiKeyId);

    it('changes where callbacks go when two agree on it, and tells the old address', async () => {
      const old = (await settings()).callbackUrl;
      const proposed = await propose('--url', 'https://new.example/hook');
      assert.match(proposed.join('\n'), /address https:\/\/new\.example\/hook/);
      assert.equal((await settings()).callbackUrl, old);
      assert.deepEqual(await desk.approve('juma', proposed), [
        'the callback URL is https://new.example/hook',
      ]);
      const { callbackUrl, operatorSetUrlAt } = await settings();
      assert.equal(callbackUrl, 'https://new.example/hook');
      assert.notEqual(operatorSetUrlAt, null);
      const rows = await test.sql`SELECT id, old_url, body FROM callback_events
        WHERE api_key_id = ${merchant.apiKeyId} AND event = 'callbacks.address_changed'`;
      assert.deepEqual(
        rows.map((row) => [row.old_url, JSON.parse(row.body).changed_by, JSON.parse(row.body).new_host]),
        [[old, 'operator', 'new.example']],
      );
      assert.deepEqual(started, [`${rows[0].id}/1`]);
      assert.deepEqual(await set('--url', 'none'), ['the callback URL is removed']);
    });

    it('refuses an address that is none, and settings that were changed meanwhile', async () => {
      await assert.rejects(propose('--url', 'ftp://x'), /callback_url/);
      const proposed = await propose('--url', 'https://new.example/hook');
      await test.sql`UPDATE api_keys SET callback_url = 'https://own.example/'
        WHERE id = ${merchant.apiKeyId}`;
      await assert.rejects(desk.approve('juma', proposed), /changed since you looked at it/);
      assert.equal((await settings()).callbackUrl, 'https://own.example/');
    });

    it('says which events are sent', async () => {
      const sent = async () => (await settings()).subscribedEvents;
      assert.deepEqual(await sent(), optionalEvents);
      await set('--events', 'payout.returned,payment.received');
      assert.deepEqual(await sent(), ['payment.received', 'payout.returned']);
      await set('--events', 'none');
      assert.deepEqual(await sent(), []);
      await set('--events', 'all');
      assert.deepEqual(await sent(), optionalEvents);
    });
  });
});
