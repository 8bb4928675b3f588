import assert from 'node:assert/strict';
import { startClock } from '../../src/platform/db/clock.ts';
import { useTestDatabase } from '../support/database.ts';
import { freshKey, startTestApi } from './support/api.ts';
import { push as pushBody } from './support/bodies.ts';

const TEN_MINUTES_MS = 10 * 60_000;

describe('an API on a machine whose clock is wrong', () => {
  const RealDate = Date;
  const test = useTestDatabase();
  afterEach(() => {
    globalThis.Date = RealDate;
  });

  /** `Date` as a machine has it whose clock is so far ahead; behind, where it is negative. */
  function setClock(aheadMs: number) {
    globalThis.Date = class extends RealDate {
      constructor(given: string | number = RealDate.now() + aheadMs) {
        super(given);
      }
      static override now() {
        return RealDate.now() + aheadMs;
      }
    } as DateConstructor;
  }

  async function push(now: () => Date) {
    const api = await startTestApi({ database: test.database, now });
    const answer = await api.call('POST', 'payments/ussd', { headers: freshKey(), body: pushBody });
    await api.stop();
    return answer;
  }

  for (const aheadMs of [-TEN_MINUTES_MS, TEN_MINUTES_MS])
    it(`takes a payment by Postgres's time: ${aheadMs / 60_000} minutes ahead`, async () => {
      setClock(aheadMs);
      const clock = await startClock(test.database);
      const answer = await push(clock.now);
      clock.stop();
      assert.equal(answer.status, 200, answer.text);
      assert.ok(Math.abs(clock.offsetSeconds() - aheadMs / 1_000) < 60);
    });

  it('goes on without Postgres', async () => {
    const clock = await startClock({
      query: async () => {
        throw new Error('away');
      },
    });
    const before = clock.now().getTime();
    clock.stop();
    assert.ok(Math.abs(before - Date.now()) < 60_000);
  });
});
