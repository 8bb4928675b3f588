import assert from 'node:assert/strict';
import { bankPayoutBody, type Json, pushBody } from '../support/gateway.ts';
import { cli, receivedEvents } from '../support/shared-gateway.ts';
import { until } from '../support/wait.ts';
import { openShop, type Shop } from './shop.ts';

describe('callbacks that are asked for', function () {
  this.timeout(60_000);
  let shop: Shop;
  before(async () => {
    shop = await openShop({ balance: 1_000_000 });
    await shop.send('PUT', 'callbacks/settings', { callback_url: shop.gateway.local.callback_url });
  });

  const logged = async (query: string): Promise<Json[]> => (await shop.get(`callbacks?${query}`)).json.data;
  const arrived = (id: string, times: number): Promise<Json[]> =>
    until(async () => {
      const events = await receivedEvents(shop.gateway, id);
      return events.length >= times ? events : null;
    }, `${times} callbacks about ${id} arrive`);
  const state = (eventId: string, transactionId: string, wanted: string) =>
    until(
      async () =>
        (await logged(`transaction_id=${transactionId}`)).find((one) => one.event_id === eventId)?.state ===
        wanted,
      `${eventId} is ${wanted}`,
    );

  it('a ping arrives, and the log says so', async () => {
    const { status, json } = await shop.send('POST', 'callbacks/test');
    assert.equal(status, 200);
    await until(async () => (await logged('event=ping'))[0]?.state === 'delivered', 'the ping is delivered');
    const [ping] = await logged('event=ping');
    assert.equal(ping.event_id, json.event_id);
    assert.deepEqual(
      ping.attempts.map((attempt: Json) => [attempt.number, attempt.http_status, attempt.error]),
      [[1, 200, null]],
    );
  });

  it('a bank that returns a payout: the merchant gets payout.returned, after the payout was paid', async () => {
    const { json } = await shop.post('payouts/bank', bankPayoutBody('239'));
    const bodies = (await arrived(json.transaction_id, 2)).map(({ body }) => JSON.parse(body));
    assert.deepEqual(
      bodies.map(({ event, sequence }) => [event, sequence]),
      [
        ['payout.completed', 1],
        ['payout.returned', 2],
      ],
    );
  });

  it('an event that was delivered arrives again with the same bytes and id, by API and command line', async () => {
    const { json } = await shop.post('payments/ussd', pushBody());
    const id = json.transaction_id;
    const [first] = await arrived(id, 1);
    const eventId = JSON.parse(first.body).event_id;
    await state(eventId, id, 'delivered');
    assert.equal((await shop.send('POST', `callbacks/${eventId}/resend`)).status, 200);
    await arrived(id, 2);
    await state(eventId, id, 'delivered');
    await cli(shop.gateway, 'callbacks', 'resend', shop.accountId, '--event', eventId);
    await arrived(id, 3);
    await state(eventId, id, 'delivered');
    const since = new Date(Date.now() - 3_600_000).toISOString();
    const range = await shop.send('POST', 'callbacks/resend', { from: since, state: 'delivered' });
    assert.ok(range.json.queued >= 1, range.text);
    const events = await arrived(id, 4);
    assert.equal(new Set(events.map(({ body }) => body)).size, 1);
    assert.equal(new Set(events.map(({ headers }) => headers['webhook-id'])).size, 1);
    const [entry] = await logged(`transaction_id=${id}`);
    assert.deepEqual(
      entry.attempts.map((attempt: Json) => attempt.number),
      [1, 2, 3, 4],
    );
  });
});
