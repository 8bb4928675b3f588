import assert from 'node:assert/strict';
import type { Delivery } from '../../src/callbacks/deliver.ts';
import type { FlowTiming } from '../../src/domain/timing.ts';
import { createDatabase } from '../../src/platform/db/pool.ts';
import { getTransaction, lockTransaction } from '../../src/transactions/rows/store.ts';
import { channelResult } from '../../src/workflows/messages.ts';
import { type OwnFlows, useFlowServer } from '../support/flow-server.ts';
import { notify } from '../support/handed-over.ts';
import { submissionKeys } from '../support/key-rings.ts';
import { untilLockAwaited } from '../support/lock-wait.ts';
import { pushRequest, submissionFor } from '../support/merchant.ts';
import { succeeded } from '../support/scripted-channel.ts';
import { until } from '../support/wait.ts';

const HOUR_MS = 3_600_000;

describe('the flow of a USSD push (skipped time, real durations)', () => {
  const server = useFlowServer('skipped');
  const { test } = server;
  let { merchant, script, flows } = {} as OwnFlows;
  let delivered: string[];
  let delivery: Delivery;

  beforeEach(async () => {
    delivered = [];
    delivery = {
      async attempt(eventId) {
        delivered.push(eventId);
        return { kind: 'delivered' };
      },
    };
    ({ merchant, script, flows } = await server.open({ delivery }));
  });

  const start = (timing?: Partial<FlowTiming>) => flows.start(merchant, pushRequest(5_000), timing);
  const sent = () => until(() => script.sent.length > 0, 'the send');
  const historyOf = async (id: string) => (await flows.handle(id).fetchHistory()).events ?? [];

  it('completes on the notification, few events later though the send has ended', async () => {
    const id = await start();
    await sent();
    await flows.notify(id, succeeded(5_000), `done-${id}`);
    assert.equal(await flows.ended(id), 'completed');
    const events = await historyOf(id);
    const size = Buffer.byteLength(JSON.stringify(events));
    assert.ok(events.length <= 24, `${events.length} events`);
    const tasks = events.filter((event) => event.workflowTaskCompletedEventAttributes).length;
    assert.ok(tasks <= 3, `${tasks} workflow tasks`);
    assert.ok(size <= 24 * 1024, `${size} bytes as JSON`);
    assert.equal(delivered.length, 1);
    assert.equal(script.sent.length, 1);
    assert.equal(script.enquired, 0);
  });

  it('asks while the prompt lives when no notification comes, after 30 s first and then ever more rarely', async () => {
    const pending = { kind: 'accepted', channelReference: null } as const;
    for (const [polls, [atLeast, atMost]] of [
      [1, [30, 60]],
      [3, [30 + 0.8 * 90, 200]],
      [5, [30 + 0.8 * 270, 30 + 1.2 * 270 + 30]],
    ] as const) {
      Object.assign(script, { sent: [], enquired: 0 });
      script.enquiries = [...Array.from({ length: polls - 1 }, () => pending), succeeded(5_000)];
      const id = await start();
      assert.equal(await flows.ended(id), 'completed');
      assert.deepEqual([script.sent.length, script.enquired], [1, polls]);
      const events = await historyOf(id);
      const [first, last] = [events[0], events.at(-1)];
      const lasted = Number(last?.eventTime?.seconds) - Number(first?.eventTime?.seconds);
      assert.ok(lasted >= Math.floor(atLeast) && lasted <= atMost, `${polls} enquiries in ${lasted} s`);
    }
  });

  it('sends a second time, with the same reference, only after "not found" held for the settle time', async () => {
    script.sends = [{ kind: 'unknown', detail: 'timeout' }, succeeded(5_000)];
    script.enquiries = [{ kind: 'not_found' }];
    // This server dates a retry from the end of the try before, so "not found" takes longer to hold than a prompt lives.
    assert.equal(await flows.ended(await start({ resendWithinMs: HOUR_MS })), 'completed');
    assert.equal(script.sent.length, 2);
    assert.equal(script.sent[0]?.reference, script.sent[1]?.reference);
    assert.ok(script.enquired >= 2, 'one "not found" proves nothing');
  });

  it('fails as never arrived when "not found" goes on after the prompt is over', async () => {
    script.sends = [{ kind: 'unknown', detail: 'timeout' }];
    // Long enough for a second prompt to be out of the question, however the server skips.
    script.enquiries = [...Array(8).fill({ kind: 'unknown', detail: '503' }), { kind: 'not_found' }];
    const id = await start();
    assert.equal(await flows.ended(id), 'failed');
    assert.equal(script.sent.length, 1);
    assert.equal((await getTransaction(test.database, id))?.failureCode, 'network_unavailable');
  });

  it('fails as never arrived only when "not found" held for 20 minutes, not for the settle time alone', async () => {
    script.sends = [{ kind: 'unknown', detail: 'timeout' }];
    script.enquiries = [{ kind: 'not_found' }];
    const submission = submissionFor(merchant, pushRequest(5_000));
    submission.timing.sendsMax = 1;
    const { neverArrivedMs, settleTimeMs } = submission.timing;
    assert.ok(settleTimeMs < neverArrivedMs);
    await flows.submit(submission);
    const id = submission.transactionId;
    assert.equal(await flows.ended(id), 'failed');
    assert.equal((await getTransaction(test.database, id))?.failureCode, 'network_unavailable');
    const events = await historyOf(id);
    const lasted = Number(events.at(-1)?.eventTime?.seconds) - Number(events[0]?.eventTime?.seconds);
    assert.ok(lasted * 1_000 >= neverArrivedMs, `it was called never arrived after ${lasted} s`);
  });

  it('settles a stored notification although an unproven hint comes right behind it', async () => {
    script.enquiries = [succeeded(5_000, 'R1')];
    const id = await start();
    await sent();
    const shared = { url: test.url, rowKeys: submissionKeys };
    const others = createDatabase({ ...shared, poolMax: 3, applicationName: 'the others' });
    const blocker = await others.connect();
    await blocker.query('BEGIN');
    await lockTransaction(blocker, id);
    // The first word makes the flow settle, which waits for the row. What comes meanwhile it reads in one task.
    await flows.handle(id).signal(channelResult, 'stored');
    await untilLockAwaited(others);
    const stored = notify(others, id, succeeded(5_000, 'R1'));
    await untilLockAwaited(others, 2);
    await flows.handle(id).signal(channelResult, 'stored');
    await flows.handle(id).signal(channelResult, 'hint');
    await blocker.query('ROLLBACK');
    blocker.release();
    await stored;
    assert.equal(await flows.ended(id), 'completed');
    assert.equal(script.enquired, 0, 'the notification says it all');
    await others.end();
  });

  it('repeats a send that provably did nothing, and fails safely when that lasts', async () => {
    const refused = { kind: 'not_sent', detail: 'ECONNREFUSED' } as const;
    script.sends = [refused, refused, succeeded(5_000)];
    const completed = await start();
    assert.equal(await flows.ended(completed), 'completed');
    assert.equal(script.sent.length, 3);

    script.sends = [{ kind: 'not_sent', detail: 'ECONNREFUSED' }];
    const failed = await start();
    assert.equal(await flows.ended(failed), 'failed');
    assert.equal(script.enquired, 0, 'nothing was sent, so there is nothing to ask');
  });

  it('asks for 24 hours, then flags a person and goes on hourly until the channel answers', async () => {
    const unanswered = Array.from({ length: 110 }, () => ({ kind: 'unknown', detail: '503' }) as const);
    script.enquiries = [...unanswered, succeeded(5_000)];
    const id = await start();
    assert.equal(await flows.ended(id), 'completed');
    const events = await historyOf(id);
    const flagged = events.filter((event) => event.upsertWorkflowSearchAttributesEventAttributes);
    assert.equal(flagged.length, 1, 'its state, once');
    const lasted = Number(events.at(-1)?.eventTime?.seconds) - Number(events[0]?.eventTime?.seconds);
    assert.ok(lasted * 1_000 > 24 * HOUR_MS, `lasted ${lasted} s`);
    assert.ok(events.length < 60, 'polling adds no history');
  }).timeout(60_000);

  it('keeps trying to notify the merchant for days, and ends when it succeeds', async () => {
    const delays = [
      ...[5, 30, 120, 600, 1_800].map((seconds) => seconds * 1_000),
      ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR_MS),
    ];
    let attempts = 0;
    delivery.attempt = async () => {
      const afterMs = delays[attempts];
      attempts += 1;
      return afterMs === undefined ? { kind: 'delivered' } : { kind: 'retry', afterMs };
    };
    script.sends = [succeeded(5_000)];
    const id = await start();
    assert.equal(await flows.ended(id), 'completed');
    assert.equal(attempts, 12);
    const events = await historyOf(id);
    const lasted = Number(events.at(-1)?.eventTime?.seconds) - Number(events[0]?.eventTime?.seconds);
    assert.ok(lasted * 1_000 > 72 * HOUR_MS, `lasted ${lasted} s`);
    assert.ok(events.length <= 30, 'retries add no history');
  }).timeout(60_000);
});
