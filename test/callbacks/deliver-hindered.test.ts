import assert from 'node:assert/strict';
import { createDelivery } from '../../src/callbacks/deliver.ts';
import { countDisabled, disabledReasons } from '../../src/callbacks/failing.ts';
import { resendEvent } from '../../src/callbacks/resend.ts';
import { createCallbackSender } from '../../src/callbacks/send.ts';
import { getCallbackSettings } from '../../src/callbacks/settings.ts';
import { inEnglish } from '../../src/domain/messages.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import { pick } from '../support/pick.ts';
import { listAttention } from '../support/unexplained.ts';
import { until } from '../support/wait.ts';
import { delaysMs, encryptionKeys, urlPolicy } from './delivery.ts';
import { forgetLeases, listAttempts, loadEvent, plantEvent } from './planted.ts';
import { answering } from './receiver.ts';
import { useReceiver } from './use-receiver.ts';

const FAILING_REASON = inEnglish(disabledReasons.not_accepted);

describe('delivering a callback that something is in the way of', () => {
  const { test, receiver, merchant, save, deliveryWith } = useReceiver();
  let eventId: string;

  beforeEach(async () => {
    eventId = await plantEvent(test.database, merchant);
  });

  const stateOf = async (id = eventId) => (await loadEvent(test.database, id))?.state;
  const settings = () => getCallbackSettings(test.database, merchant.apiKeyId);

  describe('to a receiver that answers 410', () => {
    it('ends, and disables the URL with a reason until it is set again', async () => {
      receiver.react(answering(410));
      assert.equal((await deliveryWith().attempt(eventId)).kind, 'given_up');
      assert.equal(await stateOf(), 'failed');
      const { enabled, disabledReason } = await settings();
      assert.deepEqual([enabled, disabledReason], [false, 'gone']);
      const { rowCount } = await test.database.query('SELECT FROM attention');
      assert.equal(rowCount, 0, 'it knows so itself: nobody has to call its merchant');

      const next = await plantEvent(test.database, merchant);
      const reason = 'The receiver answered 410 Gone';
      assert.deepEqual(await deliveryWith().attempt(next), { kind: 'given_up', reason });
      assert.deepEqual([await stateOf(next), receiver.received.length], ['failed', 1]);

      await save({ callbackUrl: receiver.url });
      receiver.react(answering(200));
      const third = await plantEvent(test.database, merchant);
      assert.equal((await deliveryWith().attempt(third)).kind, 'delivered');
    });

    it('does not disable a URL that was set in the meantime', async () => {
      const held: (() => void)[] = [];
      receiver.react((response) => void held.push(() => response.writeHead(410).end()));
      const attempt = deliveryWith().attempt(eventId);
      await until(() => held.length === 1, 'the attempt arrived');
      await save({ callbackUrl: 'http://127.0.0.1:9/moved' });
      held[0]?.();
      assert.equal((await attempt).kind, 'given_up');
      assert.equal((await settings()).enabled, true);
    });
  });

  describe('when it is interrupted or raced', () => {
    it('sends the same bytes under the same id once more after a crash before the attempt was recorded', async () => {
      const crashing = createDelivery({
        database: test.database,
        encryptionKeys,
        delaysMs,
        sender: {
          async send(message) {
            await createCallbackSender({ policy: urlPolicy, userAgent: 'Malipo/test' }).send(message);
            throw new Error('the process ends here');
          },
        },
      });
      await assert.rejects(crashing.attempt(eventId), /ends here/);
      assert.equal(await stateOf(), 'pending');
      const [interrupted] = await listAttempts(test.database, eventId);
      assert.deepEqual(
        [interrupted?.number, interrupted?.httpStatus, interrupted?.durationMs],
        [1, null, null],
      );
      assert.match(interrupted?.error ?? '', /interrupted/);
      // For all we know the process is still sending.
      const early = await deliveryWith().attempt(eventId);
      assert.ok(early.kind === 'retry' && early.afterMs > 0 && early.afterMs <= 2_000, JSON.stringify(early));
      assert.equal(receiver.received.length, 1);
      await forgetLeases(test.database);
      assert.equal((await deliveryWith().attempt(eventId)).kind, 'delivered');
      const [first, second] = receiver.received;
      assert.equal(first?.body, second?.body);
      assert.equal(first?.headers['webhook-id'], second?.headers['webhook-id']);
      assert.deepEqual(pick(await listAttempts(test.database, eventId), 'number', 'httpStatus'), [
        [1, null],
        [2, 200],
      ]);
    });

    it('is taken over by nobody while it lasts and shows that it is alive', async () => {
      const held: (() => void)[] = [];
      receiver.react((response) => void held.push(() => response.end()));
      const delivery = deliveryWith({ timeoutMs: 60_000 });
      let beats = 0;
      const slow = delivery.attempt(eventId, 0, () => {
        beats += 1;
      });
      await until(() => held.length === 1, 'the attempt arrived');
      await forgetLeases(test.database);
      await until(
        async () =>
          (await test.database.query('SELECT 1 FROM callback_attempts WHERE alive_at > sent_at')).rowCount,
        'it shows that it is alive',
      );
      assert.equal((await delivery.attempt(eventId)).kind, 'retry');
      assert.ok(beats >= 1, 'and whoever asked for it hears so too');
      held[0]?.();
      assert.equal((await slow).kind, 'delivered');
      assert.equal(receiver.received.length, 1);
    });

    it('records nothing and comes back soon while the URL is busy', async () => {
      const held: (() => void)[] = [];
      receiver.react((response) => void held.push(() => response.end()));
      const delivery = deliveryWith();
      const events = [eventId];
      while (events.length < 6) events.push(await plantEvent(test.database, merchant));
      const five = events.slice(0, 5).map((id) => delivery.attempt(id));
      await until(() => held.length === 5, 'five are in flight');
      const sixth = await delivery.attempt(events[5] ?? '');
      assert.ok(sixth.kind === 'retry' && sixth.afterMs <= 1_000);
      assert.equal((await loadEvent(test.database, events[5] ?? ''))?.attempts, 0);
      for (const answer of held) answer();
      await Promise.all(five);
    });
  });

  describe('to a URL that takes nothing any more', () => {
    const failingFor = (interval: string) => test.sql`UPDATE api_keys
      SET callback_failing_since = now() - ${interval}::interval WHERE id = ${merchant.apiKeyId}`;
    /** Its attempts up to now were made that much earlier. */
    const triedFor = (interval: string, id = eventId) => test.sql`UPDATE callback_attempts
      SET sent_at = sent_at - ${interval}::interval WHERE event_id = ${id}`;
    const resend = () =>
      inTransaction(test.database, (db) =>
        resendEvent(db, { accountId: merchant.accountId, eventId, actor: 'test' }),
      );

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
      const rows = await test.sql`SELECT actor, detail FROM audit_log WHERE action = 'callbacks.disabled'
        AND subject = ${merchant.apiKeyId}`;
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
      const { round } = await resend();
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
      const { round } = await resend();
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
