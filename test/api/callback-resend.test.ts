// tests: slow
import assert from 'node:assert/strict';
import { callbackQueuedAnswer, callbackRangeAnswer } from '../../src/contract/callback-answers.ts';
import { loadEvent, plantCompletedPush, plantEvent } from '../callbacks/planted.ts';
import { createMerchant } from '../support/merchant.ts';
import { pick } from '../support/pick.ts';
import { assertRefused } from './support/api.ts';
import { CALLBACK_URL, unknownEvent, useCallbacks } from './support/callbacks.ts';

describe('callbacks: sending again', () => {
  const { test, flows, api, merchant, plant, update, attempted } = useCallbacks();

  describe('POST callbacks/{event_id}/resend', () => {
    const resend = (id: string) => api.call('POST', `callbacks/${id}/resend`);

    it('queues an event again, whatever became of it, with the bytes it had', async () => {
      for (const state of ['delivered', 'failed', 'no_url', 'pending']) {
        const id = await plant();
        const before = await loadEvent(test.database, id);
        await attempted(id, 500);
        await update(`state = '${state}'`, [id]);
        const answer = await resend(id);
        assert.equal(answer.status, 200, answer.text);
        assert.equal(callbackQueuedAnswer.parse(answer.body).event_id, id);
        assert.deepEqual(flows.rounds.at(-1), { eventId: id, round: 1 });
        const after = await loadEvent(test.database, id);
        assert.deepEqual([after?.state, after?.body], ['pending', before?.body]);
      }
    });

    it('is refused for an unknown id, an event older than 90 days, and without a URL', async () => {
      for (const id of [unknownEvent, 'x', 'evt_%00']) assertRefused(await resend(id), 404, 'not_found');
      const id = await plant();
      await update("state = 'failed', created_at = now() - interval '91 days'", [id]);
      const old = await resend(id);
      assertRefused(old, 422, 'validation_failed');
      assert.match(old.body.message, /90 days/);
      await update("created_at = now() - interval '89 days'", [id]);
      await api.call('PUT', 'callbacks/settings', { body: { callback_url: null } });
      assertRefused(await resend(id), 422, 'validation_failed');
      await api.call('PUT', 'callbacks/settings', { body: { callback_url: CALLBACK_URL } });
      assert.equal((await resend(id)).status, 200);
    });

    it('answers although Temporal is away: the event is queued, and the sweep starts it', async () => {
      flows.deliver = async () => false;
      const id = await plant();
      await update("state = 'failed'", [id]);
      assert.equal((await resend(id)).status, 200);
      assert.equal((await loadEvent(test.database, id))?.state, 'pending');
    });
  });

  describe('POST callbacks/resend', () => {
    const resend = (body: object) => api.call('POST', 'callbacks/resend', { body });
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

    it('queues what never arrived in a range of time, oldest first, or what a state names', async () => {
      const events = [await plant(), await plant(), await plant(), await plant(), await plant()];
      const [early = '', failed = '', delivered = '', noUrl = '', pending = ''] = events;
      await update("state = 'failed', created_at = now() - interval '3 days'", [early]);
      await update("state = 'failed'", [failed]);
      await update("state = 'delivered'", [delivered]);
      await update("state = 'no_url'", [noUrl]);
      const answer = await resend({ from: daysAgo(1) });
      assert.equal(answer.status, 200, answer.text);
      const { queued, next_from: nextFrom } = callbackRangeAnswer.parse(answer.body);
      assert.deepEqual([queued, nextFrom], [2, null]);
      assert.deepEqual(pick(flows.rounds, 'eventId'), [failed, noUrl]);
      assert.equal((await resend({ from: daysAgo(4), to: daysAgo(2) })).body.queued, 1);
      assert.equal((await resend({ from: daysAgo(4), state: 'delivered' })).body.queued, 1);
      assert.equal((await loadEvent(test.database, pending))?.round, 0);
      assert.equal((await resend({ from: daysAgo(4) })).body.queued, 0, 'what is queued is not queued again');
    });

    it('goes on where the last request ended when there are many', async () => {
      const transaction = await plantCompletedPush(test.database, merchant());
      await test.sql`INSERT INTO callback_events (id, transaction_id, api_key_id, event, sequence, body, state, created_at)
        SELECT 'evt_' || md5(n::text), ${transaction.id}, ${api.keyId}, 'payment.received', n, '{}', 'delivered',
        now() - interval '1 day' + n * interval '1 millisecond' FROM generate_series(1, 901) n`;
      let from: string | null = daysAgo(2);
      const counts: number[] = [];
      while (from !== null) {
        const { body } = await resend({ from, state: 'delivered' });
        counts.push(body.queued);
        from = body.next_from;
      }
      assert.deepEqual(counts, [500, 401]);
      assert.equal(new Set(flows.rounds.map(({ eventId }) => eventId)).size, 901);
      assert.ok(flows.rounds.every(({ round }) => round === 1));
    });

    it('counts those that go along: bills of hundreds of payments are queued one after the other', async () => {
      for (const [at, events] of [301, 301, 502].entries()) {
        const transaction = await plantCompletedPush(test.database, merchant());
        // Of each the first two failed, and the others are behind them.
        await test.sql`INSERT INTO callback_events (id, transaction_id, api_key_id, event, sequence, body, state, created_at)
          SELECT 'evt_' || md5(${at}::text || '/' || n), ${transaction.id}, ${api.keyId}, 'payment.received', n, '{}',
          CASE WHEN n <= 2 THEN 'failed' ELSE 'pending' END, now() - interval '1 day' + ${at}::integer * interval '1 minute'
          + n * interval '1 millisecond' FROM generate_series(1, ${events}::integer) n`;
      }
      let from: string | null = daysAgo(2);
      const counts: [asked: number, all: number][] = [];
      while (from !== null) {
        const before = flows.rounds.length;
        // Each request on a day of its own: a day has a budget.
        await test.database.query('DELETE FROM uses');
        const { body } = await resend({ from });
        counts.push([body.queued, flows.rounds.length - before]);
        from = body.next_from;
      }
      assert.deepEqual(counts, [
        [2, 301],
        [2, 301],
        // One event takes all of its own along.
        [1, 501],
        [1, 1],
      ]);
      assert.equal(new Set(flows.rounds.map(({ eventId }) => eventId)).size, 1104);
    });

    it('leaves out what is older than 90 days', async () => {
      const [old, young] = [await plant(), await plant()];
      await update("state = 'failed', created_at = now() - interval '91 days'", [old]);
      await update("state = 'failed', created_at = now() - interval '89 days'", [young]);
      assert.equal((await resend({ from: daysAgo(200) })).body.queued, 1);
      assert.deepEqual(flows.rounds, [{ eventId: young, round: 1 }]);
    });

    it('leaves out keys without a URL and other accounts', async () => {
      const { id: bare } = await api.createKey();
      const events = [
        await plantEvent(test.database, { accountId: api.accountId, apiKeyId: bare }),
        await plantEvent(test.database, await createMerchant(test.database)),
      ];
      await update("state = 'failed'", events);
      assert.equal((await resend({ from: daysAgo(1) })).body.queued, 0);
    });

    it('refuses a range that is missing, upside down, or of a state that is still under way', async () => {
      assertRefused(await resend({}), 422, 'validation_failed', ['from']);
      assertRefused(await resend({ from: daysAgo(1), state: 'pending' }), 422, 'validation_failed', [
        'state',
      ]);
      assertRefused(await resend({ from: daysAgo(1), to: daysAgo(2) }), 422, 'validation_failed', ['to']);
      assertRefused(await resend({ from: 'yesterday', to: 7 }), 422, 'validation_failed', ['from', 'to']);
    });
  });
});
