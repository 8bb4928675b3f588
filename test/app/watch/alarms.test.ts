// tests: slow, many connections
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Client } from '@temporalio/client';
import { createSweep } from '../../../src/app/sweep.ts';
import { countAttempts } from '../../../src/app/watch/callback-attempts.ts';
import { failedAuthentications, watchClock, watchFence } from '../../../src/app/watch/guards.ts';
import { watchPools } from '../../../src/app/watch/pools.ts';
import { watchQueues } from '../../../src/app/watch/queues.ts';
import { watchState } from '../../../src/app/watch/state.ts';
import { watchTraffic } from '../../../src/app/watch/traffic.ts';
import { close } from '../../../src/channels/traffic/closures.ts';
import type { AttentionReason } from '../../../src/domain/attention.ts';
import { channelIds } from '../../../src/domain/network.ts';
import { createSchemaGate, migrationsMissing } from '../../../src/platform/db/schema-gate.ts';
import { createRateLimits } from '../../../src/platform/http/rate-limits.ts';
import { createLog } from '../../../src/platform/process/log.ts';
import { createMetrics, type Metrics } from '../../../src/platform/process/metrics.ts';
import { raiseAttention } from '../../../src/transactions/care/attention.ts';
import { closeFence, fenceOf, noteSwept } from '../../../src/transactions/care/fence.ts';
import { observeEndings } from '../../../src/transactions/ending/announce-end.ts';
import { plantEvent } from '../../callbacks/planted.ts';
import { createTestDatabase, useTestDatabase } from '../../support/database.ts';
import { gateOf } from '../../support/gate.ts';
import { answered, handedOver, notify } from '../../support/handed-over.ts';
import { idleTemporal } from '../../support/idle-temporal.ts';
import { submissionKeys } from '../../support/key-rings.ts';
import {
  bankPayoutRequest,
  createMerchant,
  mobilePayoutRequest,
  pushRequest,
} from '../../support/merchant.ts';
import type { Database } from '../../support/queryable.ts';
import { failure, succeeded } from '../../support/scripted-channel.ts';
import { assertFires, needsPromtool, rules } from './promtool.ts';

const log = { warn() {} };

/**
 * What Prometheus knows by itself, or the SDK counts: their rules are tested with written numbers
 * (deploy/prometheus/tests).
 */
const notOurs = ['NoWorkers', 'ProcessDown', 'WorkerSlotsUsedUp', 'WorkflowsFail'];

/** By reason: the alarm of an entry of the attention list. */
const alarmOf = (reason: AttentionReason) =>
  rules.find(({ expr }) => expr.includes('attention_open') && new RegExp(`\\b${reason}\\b`).test(expr))
    ?.alert ?? '';

describe('an alarm fires by what it is for', () => {
  const test = useTestDatabase({ each: true });
  let metrics: Metrics;
  const tested = new Set<string>(notOurs);
  before(needsPromtool);
  beforeEach(async () => {
    metrics = createMetrics();
  });

  const sql = (text: string) => test.database.query(text);
  const watch = (database: Database = test.database) =>
    watchState(metrics, { database, channels: channelIds, log, freshMs: 0 });
  const watchChannels = (database: Database) =>
    watchTraffic(metrics, {
      channels: channelIds,
      channelStates: () => gateOf(database).states(),
      admission: () => ({ limit: 1, inFlight: 0, waiting: 0, refused: 0 }),
    });
  /** `situation` gives what the metrics said one after the other, where that is more than what they say at its end. */
  function fires(alert: string, situation: () => Promise<unknown>, interval?: string) {
    tested.add(alert);
    it(alert, async () => {
      const texts = await situation();
      assertFires(alert, Array.isArray(texts) ? texts : [await metrics.text()], interval);
    });
  }

  fires('StateUnknown', async () => {
    watch({ query: () => Promise.reject(new Error('Postgres is away')) } as unknown as Database);
  });
  fires('MigrationsMissing', async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'malipo-migrations-'));
    writeFileSync(path.join(folder, '9999_next.sql'), 'SELECT 1;');
    metrics.watch(migrationsMissing(createSchemaGate(test.database, folder)));
    const text = await metrics.text();
    rmSync(folder, { recursive: true });
    return [text];
  });
  fires('FenceClosed', async () => {
    watchFence(metrics, async () => (await fenceOf(test.database)) !== null);
    const open = await metrics.text();
    await closeFence(test.database, 'a standby took over');
    return [open, await metrics.text()];
  });
  fires('ChannelDown', async () => {
    const closing = { channel: 'm-pesa', services: ['payouts'], reason: 'a test', actor: 'test' } as const;
    await close(test.database, closing);
    watchChannels(test.database);
  });
  fires('ClockWrong', async () => {
    watchClock(metrics, { offsetSeconds: () => -45 });
  });
  fires('PostgresPoolWaits', async () => {
    const small = await createTestDatabase({ poolMax: 1 });
    watchPools(metrics, { main: small.database });
    const held = await small.database.connect();
    const waits = small.database.query('SELECT 1');
    const text = await metrics.text();
    held.release();
    await waits;
    await small.drop();
    return [text];
  });
  fires('ServerErrors', async () => {
    const texts: string[] = [];
    for (let minute = 0; minute < 12; minute += 1) {
      for (let n = 0; n < 20; n += 1)
        metrics.observe({ method: 'POST', route: 'payments/ussd', status: n < 18 ? 200 : 503, seconds: 0.1 });
      texts.push(await metrics.text());
    }
    return texts;
  });

  fires(
    'SubmissionsFail',
    async () => {
      const texts: string[] = [];
      const asked = { method: 'POST', route: 'initiateUssdPush', status: 503, seconds: 8 };
      for (let n = 0; n < 8; n += 1) {
        metrics.observe({ ...asked, code: 'outcome_unknown' });
        texts.push(await metrics.text());
      }
      return texts;
    },
    '5s',
  );

  fires('FailedAuthentications', async () => {
    const countFailure = metrics.counterOf(failedAuthentications);
    const { countFailure: count } = createRateLimits({
      perKey: null,
      failuresPerMinute: 0,
      shared: null,
      log: createLog({ level: 'silent', name: 'test' }),
      observeFailure: () => countFailure('management'),
    });
    const texts: string[] = [];
    for (let minute = 0; minute < 12; minute += 1) {
      texts.push(await metrics.text());
      for (let n = 0; n < 4; n += 1) await count('192.0.2.7');
    }
    return texts;
  });

  fires('SweepStopped', async () => {
    await sql("UPDATE fence SET swept_at = now() - interval '6 minutes'");
    watch();
  });
  fires('SweepDutyFails', async () => {
    const query = async (text: string, values?: unknown[]) => {
      if (text.includes('overdue_at')) throw new Error('this duty fails');
      return test.database.query(text, values);
    };
    const client = idleTemporal();
    const database = { query } as unknown as Database;
    let count = (_duty: string) => {};
    const observeFailure = (duty: string) => count(duty);
    const sweep = createSweep({
      database,
      client,
      unattendedAfterMs: 60_000,
      submissionKeys,
      keepMark: async () => {},
      observeFailure,
    });
    const help = 'duties';
    count = metrics.counterOf({
      name: 'sweep_duty_failures_total',
      help,
      label: 'duty',
      values: sweep.duties,
    });
    const texts = [await metrics.text()];
    for (let n = 0; n < 5; n += 1) {
      await assert.rejects(sweep.sweep());
      texts.push(await metrics.text());
    }
    return texts;
  });
  fires('StepsLate', async () => {
    await handedOver(test.database, pushRequest(5_000));
    await sql("UPDATE transactions SET due_at = now() - interval '11 minutes'");
    watch();
  });
  fires('NotificationsUnread', async () => {
    const { id } = await handedOver(test.database, pushRequest(5_000));
    await notify(test.database, id, succeeded(5_000, 'R1'));
    await sql("UPDATE notifications SET received_at = now() - interval '6 minutes'");
    watch();
  });
  for (const [alert, queue, seconds] of [
    ['QueueWaits', 'money', 40],
    ['CallbackQueueWaits', 'callbacks', 90],
  ] as const)
    fires(alert, async () => {
      const describeTaskQueue = async ({ taskQueue }: { taskQueue: { name: string } }) => ({
        stats: taskQueue.name === queue ? { approximateBacklogAge: { seconds, nanos: 0 } } : {},
      });
      const client = {
        options: { namespace: 'default' },
        withDeadline: (_: number, work: () => Promise<unknown>) => work(),
        workflowService: { describeTaskQueue },
      } as unknown as Client;
      watchQueues(metrics, { client, channels: channelIds });
    });

  for (const [alert, request, age] of [
    ['PaymentsPendingTooLong', pushRequest(5_000), '31 minutes'],
    ['PayoutsPendingTooLong', mobilePayoutRequest(50_000), '61 minutes'],
    ['PayoutsPendingTooLong', bankPayoutRequest(400_000), '25 hours'],
  ] as const)
    fires(alert, async () => {
      await handedOver(test.database, request);
      await sql(`UPDATE transactions SET created_at = now() - interval '${age}'`);
      watch();
    });
  for (const [alert, code] of [
    ['ChannelFails', 'network_error'],
    ['FloatEmpty', 'insufficient_float'],
  ] as const)
    fires(alert, async () => {
      observeEndings(metrics.countEnding);
      const texts: string[] = [];
      for (let n = 0; n < 9; n += 1) {
        const { id } = await handedOver(test.database, mobilePayoutRequest(50_000));
        await answered(test.database, id, failure(code));
        texts.push(await metrics.text());
      }
      return texts;
    });
  fires('SuspenseOld', async () => {
    const { id } = await handedOver(test.database, pushRequest(5_000));
    await answered(test.database, id, failure('network_error'));
    await notify(test.database, id, succeeded(5_000, 'R1'));
    await sql('ALTER TABLE suspense_items DISABLE TRIGGER USER');
    await sql("UPDATE suspense_items SET created_at = now() - interval '4 days'");
    watch();
  });

  fires('CallbacksLate', async () => {
    await plantEvent(test.database, await createMerchant(test.database));
    await sql("UPDATE callback_events SET created_at = now() - interval '16 minutes'");
    watch();
  });
  fires('CallbacksNotTaken', async () => {
    const nobody = { httpStatus: null, error: 'no answer', durationMs: 1, retryAfterMs: null };
    const sender = countAttempts({ send: async () => nobody }, metrics);
    const texts: string[] = [];
    for (let minute = 0; minute < 15; minute += 1) {
      texts.push(await metrics.text());
      for (let n = 0; n < 10; n += 1)
        await sender.send({ url: 'https://shop.example', body: '', headers: {} });
    }
    return texts;
  });

  for (const reason of new Set(rules.flatMap(({ expr }) => [...reasonsIn(expr)])))
    fires(alarmOf(reason), async () => {
      watch();
      const before = await metrics.text();
      await raiseAttention(test.database, { subject: 'what it is about', reason, detail: 'a test' });
      return [before, await metrics.text()];
    });

  it('and none fires while all is well', async function () {
    this.timeout(120_000);
    await handedOver(test.database, pushRequest(5_000));
    // This database is a copy of one that may have been made long ago.
    await noteSwept(test.database);
    watch();
    watchFence(metrics, async () => (await fenceOf(test.database)) !== null);
    watchChannels(test.database);
    watchClock(metrics, { offsetSeconds: () => 0 });
    watchPools(metrics, { main: test.database });
    metrics.watch(migrationsMissing(createSchemaGate(test.database)));
    metrics.observe({ method: 'POST', route: 'payments/ussd', status: 200, seconds: 0.1 });
    const text = `${await metrics.text()}\ntemporal_num_pollers{task_queue="money"} 2\n`;
    for (const alert of tested) assert.throws(() => assertFires(alert, [text, text]), /got:\s*nil/, alert);
  });

  it('and no alarm is left out', () => {
    const here = rules.filter(({ file }) => file !== 'statements.yml');
    assert.deepEqual([...tested].sort(), here.map(({ alert }) => alert).sort());
  });
});

function reasonsIn(expr: string): AttentionReason[] {
  const found = /attention_open\{reason=~?"([\w|]+)"/.exec(expr)?.[1];
  return (found?.split('|') ?? []) as AttentionReason[];
}
