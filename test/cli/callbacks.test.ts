import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { transactionEvents } from '../../src/domain/event.ts';
import { loadEvent, plantEvent } from '../callbacks/planted.ts';
import { createMerchant, type Merchant } from '../support/merchant.ts';
import { useOperatorDesk } from '../support/operator-desk.ts';

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
    const { rows } = await test.database.query(
      "SELECT actor FROM audit_log WHERE action = 'callbacks.resend' AND subject = $1",
      [id],
    );
    assert.equal(rows[0]?.actor, 'operator:asha');
    const stranger = await createMerchant(test.database);
    await assert.rejects(run('resend', stranger.accountId, '--event', id), /no callback event/);
  });

  it('resends all events of a range of time, however many', async () => {
    const [first = '', second = ''] = await plantFailed(2);
    await test.database.query(
      "UPDATE callback_events SET created_at = now() - interval '2 days' WHERE id = $1",
      [first],
    );
    const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
    assert.deepEqual(await run('resend', merchant.accountId, '--from', hoursAgo(1)), ['1 event is queued']);
    assert.equal((await loadEvent(test.database, first))?.state, 'failed');
    assert.equal(isStarted(second, 1), true);
    assert.deepEqual(await run('resend', merchant.accountId, '--from', hoursAgo(72), '--to', hoursAgo(24)), [
      '1 event is queued',
    ]);
    assert.deepEqual(
      await run('resend', merchant.accountId, '--from', hoursAgo(72), '--state', 'delivered'),
      ['0 events are queued'],
    );
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
    await assert.rejects(run('resend', merchant.accountId), /either --event, or --from/);
    await assert.rejects(
      run('resend', merchant.accountId, '--from', 'yesterday'),
      /from must be a time in ISO 8601/,
    );
    await assert.rejects(run('resend', 'nobody', '--from', '2026-01-01'), /no account nobody/);
    await assert.rejects(run('ping', 'nobody'), /No API key/);
  });

  it('sets where callbacks go and what signs them, which it reads from a file', async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'malipo-test-'));
    const secret = path.join(folder, 'passphrase');
    await writeFile(secret, 'a secret of the shop, long enough\n');
    const set = (...args: string[]) => run('set', merchant.apiKeyId, ...args);
    const hook = 'http://127.0.0.1:9/hook';
    const signed = await set('--url', hook, '--passphrase-file', secret);
    assert.deepEqual(signed, [`callbacks go to ${hook}, signed`]);
    assert.deepEqual(await set('--passphrase-file', 'none'), [`callbacks go to ${hook}, not signed`]);
    assert.deepEqual(await set('--url', 'none'), ['callbacks go to nowhere, not signed']);
    await assert.rejects(set('--url', 'ftp://x'), /callback_url/);
    const { rows } = await test.database.query(
      `SELECT count(*) AS n FROM audit_log WHERE action = 'callbacks.settings' AND subject = $1
       AND actor LIKE 'operator:%' AND request_id IS NOT NULL`,
      [merchant.apiKeyId],
    );
    assert.equal(rows[0].n, 3);
    await rm(folder, { recursive: true });
  });

  it('says which events are sent', async () => {
    const sent = async () => {
      const { rows } = await test.database.query('SELECT subscribed_events FROM api_keys WHERE id = $1', [
        merchant.apiKeyId,
      ]);
      return rows[0].subscribed_events;
    };
    assert.deepEqual(await sent(), transactionEvents);
    await run('set', merchant.apiKeyId, '--events', 'payout.returned', 'payment.received');
    assert.deepEqual(await sent(), ['payment.received', 'payout.returned']);
    await run('set', merchant.apiKeyId, '--passphrase-file', 'none');
    assert.deepEqual(await sent(), ['payment.received', 'payout.returned'], 'kept');
    await run('set', merchant.apiKeyId, '--events', 'none');
    assert.deepEqual(await sent(), []);
    await run('set', merchant.apiKeyId, '--events', 'all');
    assert.deepEqual(await sent(), transactionEvents);
  });
});
