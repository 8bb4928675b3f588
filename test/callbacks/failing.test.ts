import assert from 'node:assert/strict';
import { countDisabled, FAILING_REASON } from '../../src/callbacks/failing.ts';
import { resendEvent } from '../../src/callbacks/resend.ts';
import { getCallbackSettings } from '../../src/callbacks/settings.ts';
import { listAttention } from '../../src/transactions/attention.ts';
import { loadEvent, plantEvent } from './planted.ts';
import { answering } from './receiver.ts';
import { useReceiver } from './use-receiver.ts';

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
    const lastFailed = (interval: string) =>
      test.database.query(
        'UPDATE api_keys SET callback_last_failure_at = now() - $2::interval WHERE id = $1',
        [merchant.apiKeyId, interval],
      );
    const settings = () => getCallbackSettings(test.database, merchant.apiKeyId);

    it('is disabled by the failure that comes 5 days after the first, audited, and the event ends', async () => {
      receiver.react(answering(503));
      await deliveryWith().attempt(eventId);
      await failingFor('4 days 23 hours');
      assert.equal((await deliveryWith().attempt(eventId)).kind, 'retry');
      await failingFor('5 days');
      const next = await plantEvent(test.database, merchant);
      assert.deepEqual(await deliveryWith().attempt(next), { kind: 'given_up', reason: FAILING_REASON });
      assert.equal(await stateOf(next), 'failed');
      const { enabled, disabledReason } = await settings();
      assert.deepEqual([enabled, disabledReason], [false, FAILING_REASON]);
      assert.equal(await countDisabled(test.database), 1);
      const { rows } = await test.database.query(
        "SELECT detail FROM audit_log WHERE action = 'callbacks.disabled' AND subject = $1",
        [merchant.apiKeyId],
      );
      assert.equal(rows[0]?.detail.reason, FAILING_REASON);
      const flagged = async () =>
        (await listAttention(test.database)).map(({ subject, reason }) => [subject, reason]);
      assert.deepEqual(await flagged(), [[merchant.apiKeyId, 'callbacks_disabled']]);
      // What waits for its next attempt ends there, and can be sent again once the URL is set.
      assert.equal((await deliveryWith().attempt(eventId)).kind, 'given_up');
      await save({ callbackUrl: receiver.url });
      assert.deepEqual(await flagged(), [], 'set again, it needs nobody any more');
      receiver.react(answering(200));
      const { round } = await resendEvent(test.database, {
        accountId: merchant.accountId,
        eventId,
        actor: 'test',
      });
      assert.equal((await deliveryWith().attempt(eventId, round)).kind, 'delivered');
    });

    it('counts afresh after a silence: a failure long ago and one now are not five days of failing', async () => {
      const delivery = deliveryWith({ delaysMs: [1_000] });
      receiver.react(answering(503));
      for (const kind of ['retry', 'given_up']) assert.equal((await delivery.attempt(eventId)).kind, kind);
      await failingFor('30 days');
      await lastFailed('27 days');
      const blip = await plantEvent(test.database, merchant);
      assert.equal((await delivery.attempt(blip)).kind, 'retry');
      await failingFor('4 days 23 hours');
      const next = await plantEvent(test.database, merchant);
      assert.equal((await delivery.attempt(next)).kind, 'retry');
      assert.equal((await settings()).enabled, true);
    });

    it('takes failures for one as long as the longest pause between two attempts is all that is between', async () => {
      receiver.react(answering(503));
      await deliveryWith().attempt(eventId);
      await failingFor('5 days');
      // 24 h + 20 %, and what is noted may be ten minutes old.
      await lastFailed('29 hours');
      assert.equal((await deliveryWith().attempt(eventId)).kind, 'given_up');
      assert.equal((await settings()).enabled, false);
    });

    it('notes every failure that the next one is measured by', async () => {
      receiver.react(answering(503));
      await deliveryWith().attempt(eventId);
      await failingFor('4 days');
      await lastFailed('20 hours');
      assert.equal((await deliveryWith().attempt(eventId)).kind, 'retry');
      const { rows } = await test.database.query(
        `SELECT callback_last_failure_at > now() - interval '1 hour' AS noted,
           callback_failing_since < now() - interval '3 days' AS kept FROM api_keys WHERE id = $1`,
        [merchant.apiKeyId],
      );
      assert.deepEqual(rows, [{ noted: true, kept: true }]);
    });

    it('counts from the last success, and from the moment the URL was set', async () => {
      receiver.react(answering(503));
      await deliveryWith().attempt(eventId);
      await failingFor('6 days');
      receiver.react(answering(200));
      assert.equal((await deliveryWith().attempt(eventId)).kind, 'delivered');
      receiver.react(answering(503));
      const second = await plantEvent(test.database, merchant);
      assert.equal((await deliveryWith().attempt(second)).kind, 'retry');
      await failingFor('6 days');
      await save({ callbackUrl: receiver.url });
      assert.equal((await deliveryWith().attempt(second)).kind, 'retry');
      assert.equal((await settings()).enabled, true);
    });
  });
});
