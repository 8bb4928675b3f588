import assert from 'node:assert/strict';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { AT_ONCE_MAX, createCallbackActivities, createFirstAttempts } from '../../src/activities/callback.ts';

describe('the activity that delivers a callback', () => {
  it('asks Temporal to come back when the attempt says so, and that is no fault: BENIGN, with the pause', async () => {
    const { deliverCallback } = createCallbackActivities({
      attempt: async () => ({ kind: 'retry', afterMs: 1_234 }),
    });
    await assert.rejects(deliverCallback('evt_1'), (error) => {
      assert.ok(error instanceof ApplicationFailure);
      assert.equal(error.category, ApplicationFailureCategory.BENIGN);
      assert.equal(error.nextRetryDelay, 1_234);
      assert.equal(error.nonRetryable, false);
      return true;
    });
  });

  it('ends when the event was delivered, or will not be', async () => {
    const told = async (
      outcome: Awaited<ReturnType<Parameters<typeof createCallbackActivities>[0]['attempt']>>,
    ) => createCallbackActivities({ attempt: async () => outcome }).deliverCallback('evt_1');
    assert.equal(await told({ kind: 'delivered' }), 'delivered');
    assert.equal(await told({ kind: 'nothing' }), 'nothing');
    assert.equal(await told({ kind: 'given_up', reason: 'gone' }), 'given up: gone');
  });

  it('waits before its first attempt where one was made before it, and asks nobody meanwhile', async () => {
    let attempts = 0;
    const { deliverCallback } = createCallbackActivities({
      async attempt() {
        attempts += 1;
        return { kind: 'delivered' };
      },
    });
    const first = new MockActivityEnvironment({ attempt: 1 });
    await assert.rejects(first.run(deliverCallback, 'evt_1', 0, 5_000), { nextRetryDelay: 5_000 });
    assert.equal(attempts, 0);
    const second = new MockActivityEnvironment({ attempt: 2 });
    assert.equal(await second.run(deliverCallback, 'evt_1', 0, 5_000), 'delivered');
  });

  it('tells Temporal that it is alive while the receiver is waited for', async () => {
    const environment = new MockActivityEnvironment();
    let heartbeats = 0;
    environment.on('heartbeat', () => {
      heartbeats += 1;
    });
    const { deliverCallback } = createCallbackActivities({
      async attempt(_eventId, _round, beat) {
        beat?.();
        beat?.();
        return { kind: 'delivered' };
      },
    });
    assert.equal(await environment.run(deliverCallback, 'evt_1'), 'delivered');
    assert.equal(heartbeats, 2);
  });
});

describe('the first attempt of a callback, for which a workflow task waits', () => {
  const LATER = { kind: 'retry', afterMs: 0 };

  it('says what came of it', async () => {
    for (const outcome of [{ kind: 'delivered' }, { kind: 'retry', afterMs: 5_000 }] as const) {
      const first = createFirstAttempts({ attempt: async () => outcome });
      assert.deepEqual(await first.make('evt_1', 0), outcome);
    }
  });

  it('waits no longer than it may for a receiver that takes its time; the attempt goes on', async () => {
    let answer = () => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    let isNoted = false;
    const first = createFirstAttempts({
      async attempt() {
        await answered;
        isNoted = true;
        throw new Error('nobody waits for this any more');
      },
    });
    assert.deepEqual(await first.make('evt_1', 0), LATER);
    answer();
    await new Promise(setImmediate);
    assert.ok(isNoted);
  });

  it('is left to the durable delivery where the settlement before it took nearly all of the time', async () => {
    const begun: string[] = [];
    const first = createFirstAttempts({
      async attempt(eventId) {
        begun.push(eventId);
        return { kind: 'delivered' };
      },
    });
    assert.deepEqual(await first.make('evt_1', 2_400), LATER);
    assert.deepEqual(begun, []);
  });

  it('leaves places for others: beyond their limit it is made by the delivery that nothing waits for', async () => {
    const begun: string[] = [];
    const first = createFirstAttempts({
      attempt(eventId) {
        begun.push(eventId);
        return new Promise(() => {});
      },
    });
    const waiting = Array.from({ length: AT_ONCE_MAX }, (_, at) => first.make(`evt_${at}`, 0));
    assert.deepEqual(await first.make('one too many', 0), LATER);
    assert.equal(begun.length, AT_ONCE_MAX);
    await Promise.all(waiting);
    void first.make('after them', 0);
    assert.equal(begun.at(-1), 'after them');
  });
});
