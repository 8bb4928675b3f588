import assert from 'node:assert/strict';
import { callbackQueuedAnswer } from '../../src/contract/callback-answers.ts';
import { loadEvent, plantEvent } from '../callbacks/planted.ts';
import { createMerchant } from '../support/merchant.ts';
import { pick } from '../support/pick.ts';
import { assertRefused } from './support/api.ts';
import { useCallbacks } from './support/callbacks.ts';

describe('callbacks: ping and log', () => {
  const { test, flows, api, plant, update, attempted, log, idsOf } = useCallbacks();

  describe('POST callbacks/test', () => {
    it('queues a ping with the published body and starts its delivery', async () => {
      const answer = await api.call('POST', 'callbacks/test');
      assert.equal(answer.status, 200);
      const { event_id: id, message } = callbackQueuedAnswer.parse(answer.body);
      assert.equal(message, 'The event has been queued');
      assert.deepEqual(flows.rounds, [{ eventId: id, round: 1 }]);
      const event = await loadEvent(test.database, id);
      const [listed] = (await log()).data;
      assert.equal(
        event?.body,
        JSON.stringify({ event: 'ping', event_id: id, timestamp: listed?.created_at }),
      );
      assert.deepEqual(
        { ...listed, created_at: '', next_attempt_at: '' },
        {
          event_id: id,
          event: 'ping',
          transaction_id: null,
          sequence: null,
          state: 'pending',
          created_at: '',
          next_attempt_at: '',
          attempts: [],
        },
      );
    });

    it('is refused without a callback URL, and while it is disabled', async () => {
      await test.sql`UPDATE api_keys SET callback_disabled_reason = ${'not_accepted'}
        WHERE id = ${api.keyId}`;
      const disabled = await api.call('POST', 'callbacks/test');
      assertRefused(disabled, 422, 'validation_failed');
      assert.match(disabled.body.message, /5 days/);
      await api.call('PUT', 'callbacks/settings', { body: { callback_url: null } });
      assertRefused(await api.call('POST', 'callbacks/test'), 422, 'validation_failed');
      assert.deepEqual((await log('?event=ping')).data, []);
    });
  });

  describe('GET callbacks', () => {
    it('shows events newest first with every attempt, in the published shape', async () => {
      const first = await plant();
      const second = await plant();
      await attempted(first, 503);
      await attempted(first, 200, 2);
      await update("state = 'delivered'", [first]);
      const { data, pagination } = await log();
      assert.deepEqual(pagination, { current_page: 1, last_page: 1, per_page: 20, total_items: 2 });
      assert.deepEqual(pick(data, 'event_id', 'state', 'sequence'), [
        [second, 'pending', 1],
        [first, 'delivered', 1],
      ]);
      assert.deepEqual(pick(data[1]?.attempts ?? [], 'number', 'http_status', 'duration_ms'), [
        [1, 503, 35],
        [2, 200, 35],
      ]);
    });

    it('is narrowed by transaction, event, state and time, all of which must hold', async () => {
      const events = [await plant(), await plant(), await plant(), await plant()];
      const [a = '', b = '', c = '', d = ''] = events;
      await update("state = 'failed'", [a, b]);
      await update("event = 'payment.failed'", [b, c]);
      for (const [day, id] of events.entries())
        await update(`created_at = '2026-01-0${day + 1}T00:00:00.000001Z'`, [id]);
      const rows = await test.sql`SELECT transaction_id FROM callback_events WHERE id = ${c}`;
      assert.deepEqual(await idsOf(`?transaction_id=${rows[0].transaction_id.toUpperCase()}`), [c]);
      assert.deepEqual(await idsOf('?state=failed'), [b, a]);
      assert.deepEqual(await idsOf('?event=payment.failed'), [c, b]);
      assert.deepEqual(await idsOf('?event=payment.failed&state=failed'), [b]);
      assert.deepEqual(
        await idsOf('?from=2026-01-02T00:00:00.000001Z&to=2026-01-04T00:00:00.000001Z'),
        [c, b],
        'from is inclusive, to is not',
      );
      assert.deepEqual(await idsOf('?from=2026-01-04'), [d]);
      assert.deepEqual(await idsOf('?event=ping'), []);
    });

    it('has exact pages, also beyond the last', async () => {
      const events: string[] = [];
      while (events.length < 5) events.unshift(await plant());
      const seen: string[] = [];
      for (const page of [1, 2, 3]) seen.push(...(await idsOf(`?per_page=2&page=${page}`)));
      assert.deepEqual(seen, events);
      const beyond = await log('?per_page=2&page=9');
      assert.deepEqual(beyond.data, []);
      assert.deepEqual(beyond.pagination, { current_page: 9, last_page: 3, per_page: 2, total_items: 5 });
    });

    it('refuses every wrong filter at once', async () => {
      const answer = await api.call(
        'GET',
        'callbacks?page=0&per_page=101&transaction_id=7&event=x&state=lost&from=today&to=2026-02-30&colour=red',
      );
      assertRefused(
        answer,
        422,
        'validation_failed',
        'colour page per_page transaction_id event state from to'.split(' '),
      );
    });

    it("shows the account's events to each of its keys, and nobody else's", async () => {
      const own = await plant();
      const stranger = await createMerchant(test.database);
      const theirs = await plantEvent(test.database, stranger);
      const { apiKey } = await api.createKey();
      assert.deepEqual(pick((await log('', apiKey)).data, 'event_id'), [own]);
      assertRefused(await api.call('POST', `callbacks/${theirs}/resend`), 404, 'not_found');
      assert.equal((await loadEvent(test.database, theirs))?.round, 0);
    });
  });
});
