import assert from 'node:assert/strict';
import type { Channel, Notification } from '../../../src/domain/channel.ts';
import { asRole } from '../../support/database.ts';
import { doorsTo } from '../support/api.ts';
import { mobile } from '../support/bodies.ts';
import { useTestApi } from '../support/use-api.ts';

describe('the doors for channels', () => {
  let id: string;

  /** A channel whose proof is the token `good` and whose notifications are JSON of ours. */
  const channel: Channel = {
    enquire: async () => ({ kind: 'not_found' }),
    verifyNotification: (raw) => raw.token === 'good' || raw.headers['x-signature'] === 'good',
    translateNotification: (raw): Notification | null => {
      try {
        return JSON.parse(raw.body.toString());
      } catch {
        return null;
      }
    },
  };
  const { api, test, flows } = useTestApi({ each: true, notificationDoors: doorsTo(channel) });
  const succeeded = (eventKey: string, subject: Notification['subject']) => ({
    eventKey,
    subject,
    content: {
      kind: 'succeeded',
      amount: 5_000_000,
      currency: 'TZS',
      channelReference: 'R1',
      fullName: null,
    },
  });
  const tell = (token: string, body: unknown, at = id) =>
    api.call('PUT', `/channels/gsma/${at}/${token}`, {
      key: null,
      raw: typeof body === 'string' ? body : JSON.stringify(body),
    });

  beforeEach(async () => {
    const headers = { 'idempotency-key': 'k' };
    id = (await api.call('POST', 'payouts/mobile', { headers, body: mobile })).body.transaction_id;
    await test.database.query('UPDATE transactions SET handed_over_at = now()');
  });

  it('answers 204 after the notification is stored, and signals the workflow', async () => {
    const answer = await tell('good', succeeded('e-1', { transactionId: id }));
    assert.equal(answer.status, 204, answer.text);
    const { rows } = await test.database.query('SELECT state FROM notifications');
    assert.deepEqual(rows, [{ state: 'unapplied' }]);
    assert.deepEqual(flows.signals, [[id, 'stored']]);
    assert.equal((await tell('good', succeeded('e-1', { transactionId: id }))).status, 204);
    assert.equal((await test.database.query('SELECT 1 FROM notifications')).rowCount, 1);
  });

  it('answers 401 to a sender who is not proven, and reads, stores and tells nothing', async () => {
    const answer = await tell('bad', succeeded('e-1', { transactionId: id }));
    assert.equal(answer.status, 401);
    assert.equal((await test.database.query('SELECT 1 FROM notifications')).rowCount, 0);
    assert.deepEqual(flows.signals, []);
  });

  it('answers 400 to what it cannot read and 204 to what is none of ours', async () => {
    assert.equal((await tell('good', 'not json')).status, 400);
    const stranger = '09c97599-0ab0-4cb9-ad18-d6327c66ef03';
    assert.equal((await tell('good', succeeded('e', { transactionId: stranger }), stranger)).status, 204);
    assert.deepEqual(flows.signals, []);
  });

  it('never fails on addresses, sizes and bytes that make no sense', async () => {
    assert.equal((await tell('good', succeeded('e', { transactionId: 'x' }), 'x')).status, 401);
    assert.equal((await tell('%zz', '{}', '%00')).status, 401);
    assert.equal((await tell('good', 'x'.repeat(32 * 1024 + 1))).status, 413);
    const nul = succeeded('\u0000', { transactionId: id });
    assert.equal((await tell('good', nul)).status, 400);
    assert.equal((await api.call('GET', `/channels/gsma/${id}/good`)).status, 405);
    assert.equal((await api.call('PUT', `/api/v1/channels/gsma/${id}/good`)).status, 404);
  });

  it('takes the bank by its reference and signature', async () => {
    const { rows } = await test.database.query('SELECT reference FROM transactions');
    const raw = JSON.stringify(succeeded('b-1', { reference: rows[0].reference }));
    const post = (signature: string) =>
      api.call('POST', '/channels/iso20022', { key: null, raw, headers: { 'x-signature': signature } });
    assert.equal((await post('bad')).status, 401);
    assert.equal((await post('good')).status, 204);
    assert.deepEqual(flows.signals.at(-1), [id, 'stored']);
  });

  it('has payout.returned sent at once: the workflow of the payout has ended', async () => {
    await test.database.query("UPDATE api_keys SET callback_url = 'http://127.0.0.1:9/'");
    await test.database.query("UPDATE transactions SET status = 'paid', paid_at = now()");
    const content = {
      kind: 'returned',
      amount: 5_000_000,
      currency: 'TZS',
      reason: 'AC04',
      channelReference: 'R2',
    };
    const answer = await tell('good', { eventKey: 'e-2', subject: { transactionId: id }, content });
    assert.equal(answer.status, 204, answer.text);
    const { rows } = await test.database.query('SELECT id, event FROM callback_events');
    assert.deepEqual(rows, [{ id: flows.rounds[0]?.eventId, event: 'payout.returned' }]);
    assert.deepEqual([flows.rounds.length, flows.rounds[0]?.round, flows.signals], [1, 1, []]);
  });

  it('answers 503 when the notification cannot be stored, so that it is sent again', async () => {
    await asRole(test.database, 'api').end();
    assert.equal((await tell('good', succeeded('e-1', { transactionId: id }))).status, 503);
    assert.deepEqual(flows.signals, []);
  });
});
