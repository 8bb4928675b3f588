import assert from 'node:assert/strict';
import { listAttempts, loadEvent, recordAttempt } from '../../src/callbacks/log.ts';
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
  });

  it('records an attempt once, unless the second report is that it arrived', async () => {
    await record(1, 'pending', 500);
    await record(1, 'failed', 502);
    assert.deepEqual([await stateOf(), await statuses()], ['pending', [500]]);
    await record(1, 'delivered', 200);
    assert.equal(await stateOf(), 'delivered');
  });
});
