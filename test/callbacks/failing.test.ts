import assert from 'node:assert/strict';
import { countDisabled, disabledReasons } from '../../src/callbacks/failing.ts';
import { resendEvent } from '../../src/callbacks/resend.ts';
import { getCallbackSettings } from '../../src/callbacks/settings.ts';
import { inEnglish } from '../../src/domain/messages.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import { listAttention } from '../support/unexplained.ts';
import { loadEvent, plantEvent } from './planted.ts';
import { answering } from './receiver.ts';
import { useReceiver } from './use-receiver.ts';

const FAILING_REASON = inEnglish(disabledReasons.not_accepted);

describe('delivering callbacks', () => {
  const { test, receiver, merchant, save, deliveryWith } = useReceiver();
  let eventId: string;

  beforeEach(async () => {
    eventId = await plantEvent(test.database, merchant);
  });

  const stateOf = async (id = eventId) => (await loadEvent(test.database, id))?.state;

  describe('to a URL that takes nothing any more', () => {
    const failingFor = (interval: string) =>
      test.database.query('UPDATE api_keys SET callback_failing_since = now() - $2::interval WHERE id = $1', [
        merchant.apiKeyId,
        interval,
      ]);
    /** Its attempts up to now were made that much earlier. */
    const triedFor = (interval: string, id = eventId) =>
      test.database.query(
        'UPDATE callback_attempts SET sent_at = sent_at - $2::interval WHERE event_id = $1',
        [id, interval],
      );
    const settings = () => getCallbackSettings(test.database, merchant.apiKeyId);

    it('is disabled by a failure that comes 5 days after the first, audited, and the event ends', async () => {
      receiver.react(answering(503));
      const next = await plantEvent(test.database, merchant);
      for (const id of [eventId, next]) await deliveryWith().attempt(id);
      await triedFor('1 day', next);
      await failingFor('4 days 23 hours');
      assert.equal((await deliveryWith().attempt(next)).kind, 'retry');
      await failingFor('5 days');
      // Its schedule would have a pause left.
      const patient = deliveryWith({ delaysMs: [1_000, 1_000, 1_000] });
      assert.deepEqual(await patient.attempt(next), { kind: 'given_up', reason: FAILING_REASON });
      assert.equal(await stateOf(next), 'failed');
      const { enabled, disabledReason } = await settings();
      assert.deepEqual([enabled, disabledReason], [false, 'not_accepted']);
      assert.equal(await countDisabled(test.database), 1);
      const { rows } = await test.database.query(
        "SELECT actor, detail FROM audit_log WHERE action = 'callbacks.disabled' AND subject = $1",
        [merchant.apiKeyId],
      );
      assert.deepEqual([rows[0]?.actor, rows[0]?.detail.reason], ['delivery', FAILING_REASON]);
      assert.ok(Date.parse(rows[0]?.detail.failing_since) < Date.now() - 4 * 86_400_000, 'since the first');
      const flagged = async () =>
        (await listAttention(test.database)).map(({ subject, reason }) => [subject, reason]);
      assert.deepEqual(await flagged(), [[merchant.apiKeyId, 'callbacks_disabled']]);
      assert.match(
        (await listAttention(test.database))[0]?.detail ?? '',
        /^The callback URL of this API key has taken nothing since \d{4}-.* and was disabled$/,
      );
      // What waits for its next attempt ends there, and can be sent again once the URL is set.
      assert.equal((await deliveryWith().attempt(eventId)).kind, 'given_up');
      await save({ callbackUrl: receiver.url });
      assert.deepEqual(await flagged(), [], 'set again, it needs nobody any more');
      receiver.react(answering(200));
      const { round } = await inTransaction(test.database, (db) =>
        resendEvent(db, {
          accountId: merchant.accountId,
          eventId,
          actor: 'test',
        }),
      );
      assert.equal((await deliveryWith().attempt(eventId, round)).kind, 'delivered');
    });

    it('is disabled however far apart the schedules are, once an event has been tried for a day', async () => {
      const delivery = deliveryWith({ delaysMs: [1_000] });
      receiver.react(answering(503));
      for (const kind of ['retry', 'given_up']) assert.equal((await delivery.attempt(eventId)).kind, kind);
      await triedFor('7 days');
      await failingFor('7 days');
      const next = await plantEvent(test.database, merchant);
      assert.equal((await deliveryWith().attempt(next)).kind, 'retry', 'it may be a moment');
      await triedFor('23 hours', next);
      assert.equal((await deliveryWith().attempt(next)).kind, 'retry');
      assert.equal((await settings()).enabled, true);
      await triedFor('1 hour', next);
      assert.deepEqual(await deliveryWith().attempt(next), { kind: 'given_up', reason: FAILING_REASON });
    });

    it('is given a day by an event that is sent again, too', async () => {
      receiver.react(answering(503));
      await deliveryWith().attempt(eventId);
      await triedFor('7 days');
      await failingFor('7 days');
      const { accountId } = merchant;
      const { round } = await inTransaction(test.database, (db) =>
        resendEvent(db, { accountId, eventId, actor: 'test' }),
      );
      for (let times = 0; times < 2; times += 1)
        assert.equal((await deliveryWith().attempt(eventId, round)).kind, 'retry');
      assert.equal((await settings()).enabled, true);
    });

    it('counts from the last success, and from the moment the URL was set', async () => {
      const delivery = deliveryWith({ delaysMs: [1_000, 1_000, 1_000] });
      receiver.react(answering(503));
      const second = await plantEvent(test.database, merchant);
      for (const id of [eventId, second]) assert.equal((await delivery.attempt(id)).kind, 'retry');
      await triedFor('2 days', second);
      await failingFor('6 days');
      receiver.react(answering(200));
      assert.equal((await delivery.attempt(eventId)).kind, 'delivered');
      receiver.react(answering(503));
      assert.equal((await delivery.attempt(second)).kind, 'retry');
      await failingFor('6 days');
      await save({ callbackUrl: receiver.url });
      assert.equal((await delivery.attempt(second)).kind, 'retry');
      assert.equal((await settings()).enabled, true);
    });
  });
});
