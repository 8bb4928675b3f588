import assert from 'node:assert/strict';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createCallbackActivities } from '../../src/activities/callback.ts';

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

  it('tells Temporal that it is alive while the receiver is waited for', async () => {
    const environment = new MockActivityEnvironment();
    let heartbeats = 0;
    environment.on('heartbeat', () => {
      heartbeats += 1;
    });
    const { deliverCallback } = createCallbackActivities({
      async attempt(_eventId, _round, beat) {
        beat();
        beat();
        return { kind: 'delivered' };
      },
    });
    assert.equal(await environment.run(deliverCallback, 'evt_1'), 'delivered');
    assert.equal(heartbeats, 2);
  });
});
