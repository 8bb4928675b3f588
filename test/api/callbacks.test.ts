import assert from 'node:assert/strict';
import { callbackList, callbackQueuedAnswer, callbackRangeAnswer } from '../../src/api/answer-schemas.ts';
import { FAILING_REASON } from '../../src/callbacks/failing.ts';
import { loadEvent, plantCompletedPush, plantEvent } from '../callbacks/planted.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { createMerchant } from '../support/merchant.ts';
import { assertRefused, flowsThatAccept, startTestApi, type TestApi, type TestFlows } from './support/api.ts';

const URL = 'https://shop.example/callbacks';
const unknown = `evt_${'0'.repeat(32)}`;

describe('callbacks: ping, log and resend', () => {
  let test: TestDatabase;
  let flows: TestFlows;
  let api: TestApi;
  /** events are planted under a key of the account's own */
  const merchant = () => ({ accountId: api.accountId, apiKeyId: api.keyId });

  before(async () => {
    test = await createTestDatabase();
  });
  after(() => test.drop());
  beforeEach(async () => {
    flows = flowsThatAccept(test.database);
    api = await startTestApi({ database: test.database, flows });
    await api.call('PUT', 'callbacks/settings', { body: { callback_url: URL } });
  });
  afterEach(() => api.stop());

  const plant = () => plantEvent(test.database, merchant());
  const update = (change: string, ids: string[]) =>
    test.database.query(`UPDATE callback_events SET ${change} WHERE id = ANY($1)`, [ids]);
  const attempted = (id: string, status: number, number = 1) =>
    test.database.query(
      `INSERT INTO callback_attempts (event_id, number, sent_at, http_status, duration_ms) VALUES ($1, $2, now(), $3, 35)`,
      [id, number, status],
    );
  const log = async (query = '', key?: string) => {
    const answer = await api.call('GET', `callbacks${query}`, key === undefined ? {} : { key });
    assert.equal(answer.status, 200, answer.text);
    return callbackList.parse(answer.body);
  };
  const idsOf = async (query: string) => (await log(query)).data.map((item) => item.event_id);

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
      await test.database.query('UPDATE api_keys SET callback_disabled_reason = $2 WHERE id = $1', [
        api.keyId,
        FAILING_REASON,
      ]);
      const disabled = await api.call('POST', 'callbacks/test');
      assertRefused(disabled, 422, 'validation_failed');
      assert.match(disabled.body.message, /5 days/);
      await api.call('PUT', 'callbacks/settings', { body: { callback_url: null } });
      assertRefused(await api.call('POST', 'callbacks/test'), 422, 'validation_failed');
      assert.deepEqual([(await log()).data, flows.rounds], [[], []]);
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
      assert.deepEqual(
        data.map((item) => [item.event_id, item.state, item.sequence]),
        [
          [second, 'pending', 1],
          [first, 'delivered', 1],
        ],
      );
      assert.deepEqual(
        data[1]?.attempts.map((attempt) => [attempt.number, attempt.http_status, attempt.duration_ms]),
        [
          [1, 503, 35],
          [2, 200, 35],
        ],
      );
    });

    it('is narrowed by transaction, event, state and time, all of which must hold', async () => {
      const events = [await plant(), await plant(), await plant(), await plant()];
      const [a = '', b = '', c = '', d = ''] = events;
      await update("state = 'failed'", [a, b]);
      await update("event = 'payment.failed'", [b, c]);
      for (const [day, id] of events.entries())
        await update(`created_at = '2026-01-0${day + 1}T00:00:00.000001Z'`, [id]);
      const { rows } = await test.database.query('SELECT transaction_id FROM callback_events WHERE id = $1', [
        c,
      ]);
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
      assertRefused(answer, 422, 'validation_failed', [
        'colour',
        'page',
        'per_page',
        'transaction_id',
        'event',
        'state',
        'from',
        'to',
      ]);
    });

    it("shows the account's events to each of its keys, and nobody else's", async () => {
      const own = await plant();
      const stranger = await createMerchant(test.database);
      const theirs = await plantEvent(test.database, stranger);
      const { apiKey } = await api.createKey();
      assert.deepEqual(
        (await log('', apiKey)).data.map((item) => item.event_id),
        [own],
      );
      assertRefused(await api.call('POST', `callbacks/${theirs}/resend`), 404, 'not_found');
      assert.equal((await loadEvent(test.database, theirs))?.round, 0);
    });
  });

  describe('POST callbacks/{event_id}/resend', () => {
    const resend = (id: string) => api.call('POST', `callbacks/${id}/resend`);

    it('queues an event again, whatever became of it, with the bytes it had', async () => {
      for (const state of ['delivered', 'failed', 'no_url']) {
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

    it('stays one delivery when it is asked for twice at once', async () => {
      const id = await plant();
      await update("state = 'failed'", [id]);
      const answers = await Promise.all(Array.from({ length: 6 }, () => resend(id)));
      assert.deepEqual(
        answers.map(({ status }) => status),
        Array(6).fill(200),
      );
      assert.deepEqual([...new Set(flows.rounds.map(({ round }) => round))], [1]);
    });

    it('starts the schedule anew for one that is being tried', async () => {
      const id = await plant();
      await attempted(id, 500);
      await resend(id);
      assert.deepEqual(flows.rounds, [{ eventId: id, round: 1 }]);
    });

    it('starts what stands behind it too, alone or in a range', async () => {
      const id = await plant();
      const later = `${id.slice(0, -4)}beef`;
      await test.database.query(
        `INSERT INTO callback_events (id, transaction_id, api_key_id, event, sequence, body)
         SELECT $2, transaction_id, api_key_id, event, sequence + 1, body FROM callback_events WHERE id = $1`,
        [id, later],
      );
      await update("state = 'failed'", [id]);
      await resend(id);
      await update("state = 'failed'", [id]);
      await attempted(later, 500);
      await update('round = 0', [later]);
      await api.call('POST', 'callbacks/resend', { body: { from: '2020-01-01T00:00:00Z' } });
      assert.deepEqual(flows.rounds, [
        { eventId: id, round: 1 },
        { eventId: later, round: 1 },
        { eventId: id, round: 2 },
        { eventId: later, round: 1 },
      ]);
    });

    it('leaves an event to its own workflow that is about to make the first attempt', async () => {
      const id = await plant();
      assert.equal((await resend(id)).status, 200);
      assert.deepEqual([flows.rounds, (await loadEvent(test.database, id))?.round], [[], 0]);
    });

    it('is refused for an unknown id, an event older than 90 days, and without a URL', async () => {
      for (const id of [unknown, 'x', 'evt_%00']) assertRefused(await resend(id), 404, 'not_found');
      const id = await plant();
      await update("state = 'failed', created_at = now() - interval '91 days'", [id]);
      const old = await resend(id);
      assertRefused(old, 422, 'validation_failed');
      assert.match(old.body.message, /90 days/);
      await update("created_at = now() - interval '89 days'", [id]);
      await api.call('PUT', 'callbacks/settings', { body: { callback_url: null } });
      assertRefused(await resend(id), 422, 'validation_failed');
      await api.call('PUT', 'callbacks/settings', { body: { callback_url: URL } });
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
      assert.deepEqual(
        flows.rounds.map(({ eventId }) => eventId),
        [failed, noUrl],
      );
      assert.equal((await resend({ from: daysAgo(4), to: daysAgo(2) })).body.queued, 1);
      assert.equal((await resend({ from: daysAgo(4), state: 'delivered' })).body.queued, 1);
      assert.equal((await loadEvent(test.database, pending))?.round, 0);
      assert.equal((await resend({ from: daysAgo(4) })).body.queued, 0, 'what is queued is not queued again');
    });

    it('goes on where the last request ended when there are many', async () => {
      const transaction = await plantCompletedPush(test.database, merchant());
      await test.database.query(
        `INSERT INTO callback_events (id, transaction_id, api_key_id, event, sequence, body, state, created_at)
         SELECT 'evt_' || md5(n::text), $1, $2, 'payment.received', n, '{}', 'delivered',
           now() - interval '1 day' + n * interval '1 millisecond' FROM generate_series(1, 1201) n`,
        [transaction.id, api.keyId],
      );
      let from: string | null = daysAgo(2);
      const counts: number[] = [];
      while (from !== null) {
        const { body } = await resend({ from, state: 'delivered' });
        counts.push(body.queued);
        from = body.next_from;
      }
      assert.deepEqual(counts, [500, 500, 201]);
      assert.equal(new Set(flows.rounds.map(({ eventId }) => eventId)).size, 1201);
      assert.ok(flows.rounds.every(({ round }) => round === 1));
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

  it('needs the scope callbacks:write, and a key', async () => {
    const { apiKey } = await api.createKey({
      scopes: ['payments:write', 'payments:read', 'payouts:write', 'payouts:read'],
    });
    const calls: [string, string, object?][] = [
      ['GET', 'callbacks'],
      ['POST', 'callbacks/test'],
      ['POST', `callbacks/${unknown}/resend`],
      ['POST', 'callbacks/resend', { from: '2026-01-01' }],
    ];
    for (const [method, path, body] of calls) {
      const sent = body === undefined ? {} : { body };
      assertRefused(await api.call(method, path, { ...sent, key: apiKey }), 403, 'forbidden');
      assertRefused(await api.call(method, path, { ...sent, key: null }), 401, 'unauthorized');
    }
    assertRefused(await api.call('GET', 'callbacks/test'), 405, 'method_not_allowed');
    assertRefused(await api.call('GET', 'callbacks/resend'), 405, 'method_not_allowed');
  });
});
