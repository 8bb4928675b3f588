import assert from 'node:assert/strict';
import { createDelivery } from '../../src/callbacks/deliver.ts';
import { createCallbackSender } from '../../src/callbacks/send.ts';
import { getCallbackSettings } from '../../src/callbacks/settings.ts';
import { until } from '../support/wait.ts';
import { delaysMs, encryptionKeys, urlPolicy } from './delivery.ts';
import { forgetLeases, listAttempts, loadEvent, plantEvent } from './planted.ts';
import { answering } from './receiver.ts';
import { useReceiver } from './use-receiver.ts';

describe('delivering a callback that something is in the way of', () => {
  const { test, receiver, merchant, save, deliveryWith } = useReceiver();
  let eventId: string;

  beforeEach(async () => {
    eventId = await plantEvent(test.database, merchant);
  });

  const stateOf = async (id = eventId) => (await loadEvent(test.database, id))?.state;

  describe('to a receiver that answers 410', () => {
    it('ends, and disables the URL with a reason until it is set again', async () => {
      receiver.react(answering(410));
      assert.equal((await deliveryWith().attempt(eventId)).kind, 'given_up');
      assert.equal(await stateOf(), 'failed');
      const settings = await getCallbackSettings(test.database, merchant.apiKeyId);
      assert.deepEqual([settings.enabled, settings.disabledReason], [false, 'gone']);
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
      assert.equal((await getCallbackSettings(test.database, merchant.apiKeyId)).enabled, true);
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
      assert.deepEqual(
        (await listAttempts(test.database, eventId)).map(({ number, httpStatus }) => [number, httpStatus]),
        [
          [1, null],
          [2, 200],
        ],
      );
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
});
