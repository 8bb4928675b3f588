import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type Histories, replayAll } from '../../../src/platform/temporal/replay.ts';
import '../../support/quiet-runtime.ts';
import { pick } from '../../support/pick.ts';

type Event = Record<string, unknown> & { eventType: string };

describe('replaying what is open before a version gets it', function () {
  this.timeout(60_000);

  /** A bill as Temporal has it while it is open; `change` makes it the history of another code. */
  function openBill(change: (events: Event[]) => void = () => {}) {
    const text = readFileSync(new URL('../../histories/bill-order-expired.json', import.meta.url), 'utf8');
    const history = JSON.parse(text) as { events: Event[] };
    change(history.events);
    return history;
  }
  async function* given(...histories: object[]) {
    for (const [index, history] of histories.entries())
      yield { workflowId: `transaction/${index}`, history } as never;
  }
  const replayed = (histories: AsyncIterable<never>, options = {}) =>
    replayAll(histories as Histories, undefined, options);

  it('says which flows this code cannot carry on, and goes on with the others', async () => {
    const other = openBill((events) => {
      const scheduled = events.find(({ eventType }) => eventType === 'EVENT_TYPE_TIMER_STARTED');
      assert.ok(scheduled);
      scheduled.eventType = 'EVENT_TYPE_ACTIVITY_TASK_SCHEDULED';
      scheduled.activityTaskScheduledEventAttributes = { activityId: '77', activityType: { name: 'other' } };
      delete scheduled.timerStartedEventAttributes;
    });
    const report = await replayed(given(openBill(), other, openBill()));
    assert.deepEqual([report.replayed, report.isAll], [3, true]);
    assert.deepEqual(pick(report.failed, 'workflowId'), ['transaction/1']);
    assert.match(report.failed[0]?.why ?? '', /./);
  });

  it('has an end, and says so', async () => {
    const report = await replayed(given(openBill(), openBill(), openBill()), { max: 2 });
    assert.deepEqual(report, { replayed: 2, failed: [], isAll: false });
  });
});
