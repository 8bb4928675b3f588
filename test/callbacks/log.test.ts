import assert from 'node:assert/strict';
import {
  attemptCount,
  listAttempts,
  loadEvent,
  pendingEventsOlderThan,
  recordAttempt,
} from '../../src/callbacks/log.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { createMerchant, type Merchant } from '../support/merchant.ts';
import { plantEvent } from './planted.ts';

describe('the log of callbacks', () => {
  let test: TestDatabase;
  let merchant: Merchant;
  let eventId: string;
  before(async () => {
    test = await createTestDatabase({ poolMax: 1 });
    merchant = await createMerchant(test.database);
  });
  after(() => test.drop());
  beforeEach(async () => {
    eventId = await plantEvent(test.database, merchant);
  });

  const stateOf = async () => (await loadEvent(test.database, eventId))?.state;

  const record = (number: number, state: 'delivered' | 'pending' | 'failed', httpStatus: number) =>
    recordAttempt(test.database, {
      eventId,
      number,
      sentAt: new Date().toISOString(),
      httpStatus,
      error: null,
      durationMs: 1,
      state,
      nextAttemptAt: state === 'pending' ? new Date(Date.now() + 60_000).toISOString() : null,
    });
  const statuses = async () =>
    (await listAttempts(test.database, eventId)).map((attempt) => attempt.httpStatus);

  it('keeps an event delivered when a slower attempt failed', async () => {
    await record(1, 'delivered', 200);
    await record(1, 'pending', 500);
    assert.deepEqual([await stateOf(), await statuses()], ['delivered', [200]]);
    await record(2, 'failed', 410);
    assert.deepEqual([await stateOf(), await statuses()], ['delivered', [200, 410]]);
    assert.equal(await attemptCount(test.database, eventId), 2);
  });

  it('records an attempt once, unless the second report is that it arrived', async () => {
    await record(1, 'pending', 500);
    await record(1, 'failed', 502);
    assert.deepEqual([await stateOf(), await statuses()], ['pending', [500]]);
    await record(1, 'delivered', 200);
    assert.equal(await stateOf(), 'delivered');
  });

  it('hands an event to the sweep only when it is due and nobody has taken it', async () => {
    const orphans = async () =>
      (await pendingEventsOlderThan(test.database, 60, 1_000)).map((event) => event.id);
    assert.equal((await orphans()).includes(eventId), false);
    await test.database.query(
      "UPDATE callback_events SET created_at = now() - interval '2 minutes' WHERE id = $1",
      [eventId],
    );
    assert.equal((await orphans()).includes(eventId), true);
    await record(1, 'pending', 500);
    assert.equal((await orphans()).includes(eventId), false);
    await test.database.query(
      "UPDATE callback_events SET next_attempt_at = now() - interval '2 minutes' WHERE id = $1",
      [eventId],
    );
    assert.equal((await orphans()).includes(eventId), true);
    await record(2, 'delivered', 200);
    assert.equal((await orphans()).includes(eventId), false);
  });
});
