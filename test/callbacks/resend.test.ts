import assert from 'node:assert/strict';
import { insertCallbackEvent } from '../../src/callbacks/event.ts';
import { resendEvent } from '../../src/callbacks/resend.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import { pick } from '../support/pick.ts';
import { until } from '../support/wait.ts';
import { listAttempts, loadEvent, plantCompletedPush, plantEvent } from './planted.ts';
import { answering, startReceiver } from './receiver.ts';
import { useReceiver } from './use-receiver.ts';

describe('a callback', () => {
  const { test, receiver, merchant, save, deliveryWith } = useReceiver();
  let eventId: string;

  beforeEach(async () => {
    eventId = await plantEvent(test.database, merchant);
  });

  const stateOf = async (id = eventId) => (await loadEvent(test.database, id))?.state;

  describe('that is sent again', () => {
    const resend = (id = eventId) =>
      inTransaction(test.database, (db) =>
        resendEvent(db, { accountId: merchant.accountId, eventId: id, actor: 'test' }),
      );

    it('has the same bytes and id, and the whole schedule again', async () => {
      const delivery = deliveryWith();
      receiver.react(answering(500));
      for (let attempt = 1; attempt <= 3; attempt += 1) await delivery.attempt(eventId);
      assert.equal(await stateOf(), 'failed');
      const { round } = await resend();
      assert.deepEqual(await delivery.attempt(eventId, round), { kind: 'retry', afterMs: 1_000 });
      assert.deepEqual(await delivery.attempt(eventId, round), { kind: 'retry', afterMs: 5_000 });
      receiver.react(answering(200));
      assert.deepEqual(await delivery.attempt(eventId, round), { kind: 'delivered' });
      assert.equal(receiver.received.length, 6);
      assert.equal(new Set(receiver.received.map((one) => one.body)).size, 1);
      assert.equal(new Set(receiver.received.map((one) => one.headers['webhook-id'])).size, 1);
      assert.deepEqual(pick(await listAttempts(test.database, eventId), 'number'), [1, 2, 3, 4, 5, 6]);
    });

    it('goes out once more after it was delivered', async () => {
      await deliveryWith().attempt(eventId);
      const { round } = await resend();
      assert.equal((await deliveryWith().attempt(eventId, round)).kind, 'delivered');
      assert.equal((await deliveryWith().attempt(eventId, round)).kind, 'nothing');
      assert.equal(receiver.received.length, 2);
    });

    const ends = [
      [500, 'given_up'],
      [200, 'delivered'],
    ] as const;
    for (const [status, kind] of ends)
      it(`has one sender: the round before stops, also one that is just being answered ${status}`, async () => {
        const held: (() => void)[] = [];
        receiver.react((response) => void held.push(() => response.writeHead(status).end()));
        const before = deliveryWith({ delaysMs: [] }).attempt(eventId);
        await until(() => held.length === 1, 'the attempt arrived');
        const { round } = await resend();
        assert.equal(round, 1);
        const meanwhile = await deliveryWith().attempt(eventId, round);
        assert.ok(meanwhile.kind === 'retry' && meanwhile.afterMs <= 2_000, 'it waits for the other one');
        held[0]?.();
        assert.equal((await before).kind, kind);
        assert.equal(await stateOf(), 'pending', 'the end of the old round is not the end of the new one');
        assert.deepEqual(await deliveryWith().attempt(eventId, 0), { kind: 'nothing' });
        receiver.react(answering(200));
        assert.equal((await deliveryWith().attempt(eventId, round)).kind, 'delivered');
        assert.equal(receiver.received.length, 2);
      });
  });

  describe('of a transaction with several', () => {
    /** The payment fails after it was received: two events of one transaction, in that order. */
    async function plantTwo(): Promise<[string, string]> {
      const transaction = await plantCompletedPush(test.database, merchant);
      const first = await insertCallbackEvent(test.database, transaction, 'payment.received');
      const failed = { ...transaction, failureCode: 'network_error' as const };
      return [first, await insertCallbackEvent(test.database, failed, 'payment.failed')];
    }

    it('is not sent before the one before it was delivered or given up, whoever asks', async () => {
      for (const end of [answering(200), answering(410)]) {
        const receiver = await startReceiver();
        await save({ callbackUrl: receiver.url });
        const [first, second] = await plantTwo();
        receiver.react(answering(500));
        assert.equal((await deliveryWith().attempt(first)).kind, 'retry');
        const early = await deliveryWith().attempt(second);
        assert.ok(early.kind === 'retry' && early.afterMs <= 1_000, JSON.stringify(early));
        assert.deepEqual(await listAttempts(test.database, second), []);
        receiver.react(end);
        await deliveryWith().attempt(first);
        await save({ callbackUrl: receiver.url });
        receiver.react(answering(200));
        assert.equal((await deliveryWith().attempt(second)).kind, 'delivered');
        assert.deepEqual(
          receiver.received.map((one) => JSON.parse(one.body).sequence),
          [1, 1, 2],
        );
        await receiver.close();
      }
    });

    it('keeps its place among those that are sent again', async () => {
      const [first, second] = await plantTwo();
      for (const id of [first, second]) await deliveryWith().attempt(id);
      for (const id of [second, first])
        await inTransaction(test.database, (db) =>
          resendEvent(db, { accountId: merchant.accountId, eventId: id, actor: 'test' }),
        );
      assert.equal((await deliveryWith().attempt(second, 1)).kind, 'retry');
      for (const id of [first, second]) assert.equal((await deliveryWith().attempt(id, 1)).kind, 'delivered');
      assert.deepEqual(
        receiver.received.map((one) => JSON.parse(one.body).sequence),
        [1, 2, 1, 2],
      );
    });
  });
});
