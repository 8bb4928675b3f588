import assert from 'node:assert/strict';
import { beginAttempt, noteDelivered, noteNotDelivered } from '../../src/callbacks/log.ts';
import { useTestDatabase } from '../support/database.ts';
import { createMerchant, type Merchant } from '../support/merchant.ts';
import { pick } from '../support/pick.ts';
import { forgetLeases, listAttempts, loadEvent, plantEvent } from './planted.ts';

describe('the log of callbacks', () => {
  const test = useTestDatabase({ poolMax: 4 });
  let merchant: Merchant;
  let eventId: string;
  before(async () => {
    merchant = await createMerchant(test.database);
  });
  beforeEach(async () => {
    eventId = await plantEvent(test.database, merchant);
  });

  const stateOf = async () => (await loadEvent(test.database, eventId))?.state;
  const statuses = async () =>
    (await listAttempts(test.database, eventId)).map((attempt) => attempt.httpStatus);
  const begin = async () => {
    const begun = await beginAttempt(test.database, { eventId, round: 0 });
    if (begun.kind !== 'begun') throw new Error(begun.kind);
    return begun;
  };
  const end = (httpStatus: number) => ({ httpStatus, error: null, durationMs: 1 });
  const failing = (httpStatus: number, afterMs: number | null) => ({
    ...end(httpStatus),
    afterMs,
    isGone: false,
  });

  it('holds an attempt before its first byte leaves, and lets one of many begin', async () => {
    const beginnings = await Promise.all(
      Array.from({ length: 8 }, () => beginAttempt(test.database, { eventId, round: 0 })),
    );
    assert.deepEqual(beginnings.map(({ kind }) => kind).sort(), ['begun', ...Array(7).fill('busy')]);
    const attempts = await listAttempts(test.database, eventId);
    assert.deepEqual(pick(attempts, 'number', 'durationMs'), [[1, null]]);
  });

  it('keeps an event delivered when a slower attempt failed', async () => {
    const slow = await begin();
    await forgetLeases(test.database);
    const quick = await begin();
    await noteDelivered(test.database, quick, end(200));
    await noteNotDelivered(test.database, slow, failing(500, 1_000));
    assert.deepEqual([await stateOf(), await statuses()], ['delivered', [500, 200]]);
  });

  it('records an attempt once, unless the second report is that it arrived', async () => {
    const attempt = await begin();
    await noteNotDelivered(test.database, attempt, failing(500, 60_000));
    await noteNotDelivered(test.database, attempt, failing(502, 60_000));
    assert.deepEqual([await stateOf(), await statuses()], ['pending', [500]]);
    await noteDelivered(test.database, attempt, end(200));
    assert.equal(await stateOf(), 'delivered');
  });
});
