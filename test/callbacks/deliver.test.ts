import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { createDelivery } from '../../src/callbacks/deliver.ts';
import { createCallbackSender } from '../../src/callbacks/send.ts';
import { serviceSignature } from '../../src/callbacks/sign.ts';
import { callbackDelaysMs } from '../../src/domain/timing.ts';
import { ringOf } from '../support/key-rings.ts';
import { pick } from '../support/pick.ts';
import { delaysMs, passphrase, urlPolicy } from './delivery.ts';
import { listAttempts, loadEvent, plantEvent } from './planted.ts';
import { answering, startReceiver } from './receiver.ts';
import { useReceiver } from './use-receiver.ts';

describe('delivering a callback', () => {
  const { test, receiver, merchant, save, deliveryWith } = useReceiver();
  let eventId: string;

  beforeEach(async () => {
    eventId = await plantEvent(test.database, merchant);
  });

  const stateOf = async (id = eventId) => (await loadEvent(test.database, id))?.state;

  it('sends the stored bytes with signatures a merchant can verify, records the attempt, and is done', async () => {
    assert.deepEqual(await deliveryWith().attempt(eventId), { kind: 'delivered' });
    const [one] = receiver.received;
    assert.ok(one);
    assert.equal(one.body, (await loadEvent(test.database, eventId))?.body);
    assert.equal(one.headers['service-signature'], serviceSignature(passphrase, one.body));
    const verified = new Webhook(passphrase).verify(one.body, one.headers as Record<string, string>);
    assert.equal((verified as { event_id: string }).event_id, eventId);
    assert.equal(one.headers['webhook-id'], eventId);
    const event = await loadEvent(test.database, eventId);
    assert.deepEqual([event?.state, event?.attempts, event?.nextAttemptAt], ['delivered', 1, null]);
    const [attempt] = await listAttempts(test.database, eventId);
    assert.deepEqual([attempt?.number, attempt?.httpStatus, attempt?.error], [1, 200, null]);
  });

  it('takes any 2xx as success', async () => {
    for (const status of [201, 202, 204, 299]) {
      receiver.react(answering(status));
      const id = await plantEvent(test.database, merchant);
      assert.equal((await deliveryWith().attempt(id)).kind, 'delivered', String(status));
    }
  });

  it('comes back after the pause of the schedule, whatever else is answered, and finally gives up', async () => {
    const delivery = deliveryWith();
    receiver.react(answering(503));
    assert.deepEqual(await delivery.attempt(eventId), { kind: 'retry', afterMs: 1_000 });
    const pending = await loadEvent(test.database, eventId);
    assert.equal(pending?.state, 'pending');
    assert.ok(pending?.nextAttemptAt !== null);
    receiver.react(answering(302, { Location: receiver.url }));
    assert.deepEqual(await delivery.attempt(eventId), { kind: 'retry', afterMs: 5_000 });
    receiver.react(answering(404));
    const givenUp = (reason: string) => ({ kind: 'given_up', reason });
    assert.deepEqual(await delivery.attempt(eventId), givenUp('every attempt of the schedule was made'));
    assert.deepEqual(pick(await listAttempts(test.database, eventId), 'number', 'httpStatus'), [
      [1, 503],
      [2, 302],
      [3, 404],
    ]);
    const event = await loadEvent(test.database, eventId);
    assert.deepEqual([event?.state, event?.nextAttemptAt], ['failed', null]);
    assert.deepEqual(await delivery.attempt(eventId), givenUp('its delivery has ended'));
    assert.equal(receiver.received.length, 3);
    assert.equal(new Set(receiver.received.map((one) => one.body)).size, 1);
  });

  it('is tried 12 times over about 76 hours by the schedule of production', async () => {
    const delivery = deliveryWith({ delaysMs: callbackDelaysMs('normal') });
    receiver.react(answering(500));
    const pauses: number[] = [];
    for (;;) {
      const outcome = await delivery.attempt(eventId);
      if (outcome.kind !== 'retry') break;
      pauses.push(outcome.afterMs / 1_000);
    }
    assert.deepEqual(pauses, [5, 30, 120, 600, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]);
    assert.equal(receiver.received.length, 12);
  });

  it('spreads the pauses by 20 % to either side', async () => {
    receiver.react(answering(500));
    const shortest = await plantEvent(test.database, merchant);
    assert.deepEqual(await deliveryWith({ random: 0 }).attempt(shortest), { kind: 'retry', afterMs: 800 });
    assert.deepEqual(await deliveryWith({ random: 1 }).attempt(eventId), { kind: 'retry', afterMs: 1_200 });
  });

  it('waits as long as Retry-After asks, up to 24 hours, but never less than the schedule', async () => {
    receiver.react(answering(429, { 'Retry-After': '60' }));
    assert.deepEqual(await deliveryWith().attempt(eventId), { kind: 'retry', afterMs: 60_000 });
    const patient = await plantEvent(test.database, merchant);
    receiver.react(answering(503, { 'Retry-After': '9999999' }));
    assert.deepEqual(await deliveryWith().attempt(patient), { kind: 'retry', afterMs: 86_400_000 });
    const hasty = await plantEvent(test.database, merchant);
    receiver.react(answering(503, { 'Retry-After': '0' }));
    assert.deepEqual(await deliveryWith().attempt(hasty), { kind: 'retry', afterMs: 1_000 });
  });

  it('records why no answer came', async () => {
    receiver.react(() => {});
    assert.equal((await deliveryWith({ timeoutMs: 200 }).attempt(eventId)).kind, 'retry');
    const [attempt] = await listAttempts(test.database, eventId);
    assert.deepEqual([attempt?.httpStatus, attempt?.error], [null, 'no answer within 0.2 s']);
    assert.ok((attempt?.durationMs ?? 0) >= 190);
  });

  it('signs with both passphrases during a rotation and with none when it was removed', async () => {
    receiver.react(answering(500));
    await deliveryWith().attempt(eventId);
    const next = `whsec_${randomBytes(24).toString('base64')}`;
    await save({ passphrase: next });
    await deliveryWith().attempt(eventId);
    const second = receiver.received[1];
    assert.ok(second);
    const headers = second.headers as Record<string, string>;
    new Webhook(passphrase).verify(second.body, headers);
    new Webhook(next).verify(second.body, headers);
    assert.equal(headers['service-signature'], serviceSignature(next, second.body));

    await save({ passphrase: null });
    await deliveryWith().attempt(eventId);
    const third = receiver.received[2];
    assert.equal(third?.headers['webhook-id'], eventId);
    assert.match(String(third?.headers['webhook-timestamp']), /^\d{10}$/);
    assert.equal(third?.headers['service-signature'], undefined);
    assert.equal(third?.headers['webhook-signature'], undefined);
  });

  it('goes to the URL that is set when the attempt is made, for a revoked key too', async () => {
    const other = await startReceiver();
    await test.database.query('UPDATE api_keys SET revoked_at = now() WHERE id = $1', [merchant.apiKeyId]);
    await save({ callbackUrl: other.url });
    assert.equal((await deliveryWith().attempt(eventId)).kind, 'delivered');
    await other.close();
    assert.deepEqual([receiver.received.length, other.received.length], [0, 1]);
  });

  it('is given up without an attempt when no URL is set, and delivered once one is', async () => {
    await save({ callbackUrl: null });
    assert.deepEqual(await deliveryWith().attempt(eventId), {
      kind: 'given_up',
      reason: 'no callback URL is set',
    });
    assert.equal(await stateOf(), 'no_url');
    assert.deepEqual(await listAttempts(test.database, eventId), []);
    await save({ callbackUrl: receiver.url });
    assert.equal((await deliveryWith().attempt(eventId)).kind, 'delivered');
  });

  it('fails loudly and uses up no attempt when the passphrase was sealed with another key', async () => {
    const wrong = createDelivery({
      database: test.database,
      sender: createCallbackSender({ policy: urlPolicy, userAgent: 'Malipo/test' }),
      encryptionKeys: ringOf(),
      delaysMs,
    });
    for (let n = 0; n <= delaysMs.length; n += 1)
      await assert.rejects(wrong.attempt(eventId), new RegExp(`${merchant.apiKeyId}.*ENCRYPTION_KEY`));
    assert.deepEqual([await listAttempts(test.database, eventId), await stateOf()], [[], 'pending']);
    receiver.react(answering(503));
    assert.deepEqual(await deliveryWith().attempt(eventId), { kind: 'retry', afterMs: 1_000 });
  });

  it('ends for an event that a restore lost, so that those behind it go on, and not before the fence is lifted', async () => {
    await test.database.query(`UPDATE fence SET closed_at = now(), reason = 'an older copy'`);
    await assert.rejects(deliveryWith().attempt('evt_nothing'), /evt_nothing is not there: an older copy/);
    await test.database.query('UPDATE fence SET closed_at = NULL, reason = NULL, epoch = epoch + 1');
    assert.equal((await deliveryWith().attempt('evt_nothing')).kind, 'given_up');
  });

  it('tells the address that a key had about the new one, with what signed for it then', async () => {
    const { told } = await save({ callbackUrl: 'http://127.0.0.1:9/thief', passphrase: null });
    const [event] = told;
    assert.equal(told.length, 1);
    assert.equal((await deliveryWith().attempt(event?.eventId ?? '', 1)).kind, 'delivered');
    const [request] = receiver.received;
    const { event: name, changed_by, new_host } = JSON.parse(request?.body ?? '{}');
    assert.deepEqual([name, changed_by, new_host], ['callbacks.address_changed', 'merchant', '127.0.0.1:9']);
    assert.equal(request?.headers['service-signature'], serviceSignature(passphrase, request?.body ?? ''));
    assert.deepEqual((await save({ callbackUrl: 'http://127.0.0.1:9/thief' })).told, []);
  });
});
