import assert from 'node:assert/strict';
import { retentionDays, retentionGateOf } from '../../src/app/retention.ts';
import {
  ensureSettlementsSchedule,
  ensureStatementsSchedule,
  ensureSweepSchedule,
  prepareTemporal,
  SETTLEMENTS_SCHEDULE_ID,
  STATEMENTS_SCHEDULE_ID,
  SWEEP_SCHEDULE_ID,
} from '../../src/app/schedule.ts';
import {
  connectionOptions,
  createTemporalClient,
  type TemporalClient,
} from '../../src/platform/temporal/connect.ts';
import { registerSearchAttributes } from '../../src/platform/temporal/search-attributes.ts';
import { searchAttributes, workflowTypes } from '../../src/workflows/messages.ts';
import { ringOf } from '../support/key-rings.ts';
import { type DevServer, launchTemporalDevServer } from '../support/temporal.ts';
import { until } from '../support/wait.ts';

const settings = {
  TEMPORAL_NAMESPACE: 'default',
  TEMPORAL_API_KEY: undefined,
  TEMPORAL_TLS: false,
  PAYLOAD_ENCRYPTION: false,
  ENCRYPTION_KEY: ringOf(),
};
const options = { deadlineMs: 10_000, retentionDays: 14 };

describe('preparing Temporal', () => {
  // Its own server: the others' workflows need the attributes that this test takes away.
  let server: DevServer;
  let temporal: TemporalClient;
  before(async function () {
    this.timeout(30_000);
    server = await launchTemporalDevServer();
    temporal = createTemporalClient({ ...settings, TEMPORAL_ADDRESS: server.address });
  });
  after(async () => {
    await temporal.close();
    await server.stop();
  });

  it('registers a search attribute that is missing, and then knows it', async () => {
    const { operatorService } = temporal.connection;
    await operatorService.removeSearchAttributes({
      namespace: 'default',
      searchAttributes: [searchAttributes.attention.name],
    });
    assert.deepEqual(await registerSearchAttributes(temporal.connection, 'default'), [
      searchAttributes.attention.name,
    ]);
    assert.deepEqual(await registerSearchAttributes(temporal.connection, 'default'), []);
  });

  it('schedules the settlements of each day once, at six in Dar es Salaam', async () => {
    assert.deepEqual(
      [await ensureSettlementsSchedule(temporal.client), await ensureSettlementsSchedule(temporal.client)],
      [true, false],
    );
    const handle = temporal.client.schedule.getHandle(SETTLEMENTS_SCHEDULE_ID);
    const { action, info } = await handle.describe();
    assert.ok(action.type === 'startWorkflow' && action.workflowType === workflowTypes.settleDaily);
    const times = new Set(info.nextActionTimes.map((at) => at.toISOString().slice(11)));
    assert.deepEqual([...times], ['03:00:00.000Z']);
  });

  it('schedules the sweep once however often it runs, at the pace of the timing', async () => {
    await prepareTemporal(temporal, { ...options, timing: 'normal' });
    const handle = temporal.client.schedule.getHandle(SWEEP_SCHEDULE_ID);
    assert.equal((await handle.describe()).spec.intervals?.[0]?.every, 60_000);
    await prepareTemporal(temporal, { ...options, timing: 'fast' });
    const { spec, action, policies } = await handle.describe();
    assert.deepEqual(
      spec.intervals?.map((interval) => interval.every),
      [5_000],
    );
    assert.equal(action.type === 'startWorkflow' && action.workflowType, workflowTypes.sweep);
    assert.equal(policies.overlap, 'SKIP');
  });

  it('makes the schedule again when somebody deleted it, and leaves one alone that is there', async () => {
    const { client } = temporal;
    await prepareTemporal(temporal, { ...options, timing: 'normal' });
    await client.schedule.getHandle(SWEEP_SCHEDULE_ID).delete();
    assert.deepEqual(
      await Promise.all([1, 2].map(() => ensureSweepSchedule(client, 'fast'))).then((made) => made.sort()),
      [false, true],
      'two workers at once',
    );
    assert.equal(await ensureSweepSchedule(client, 'normal'), false);
    const { spec } = await client.schedule.getHandle(SWEEP_SCHEDULE_ID).describe();
    assert.equal(spec.intervals?.[0]?.every, 5_000);
  });

  it('makes the schedule of statements once, every hour, with nothing in it', async () => {
    const { client } = temporal;
    assert.equal(await ensureStatementsSchedule(client, 'normal'), true);
    assert.equal(await ensureStatementsSchedule(client, 'normal'), false);
    const { spec, action, policies } = await client.schedule.getHandle(STATEMENTS_SCHEDULE_ID).describe();
    assert.equal(spec.intervals?.[0]?.every, 3_600_000);
    assert.equal(policies.overlap, 'SKIP');
    assert.ok(action.type === 'startWorkflow');
    assert.deepEqual([action.workflowType, action.args ?? []], [workflowTypes.fetchStatements, []]);
  });

  it('lets Temporal remember for as long as asked, and a production process is not ready before', async () => {
    const said: object[] = [];
    const log = { error: (facts: object) => said.push(facts) };
    const readyFor = (BACKUP_MAX_AGE_DAYS: number, MALIPO_ENV: 'production' | 'development' = 'production') =>
      retentionGateOf({ MALIPO_ENV, BACKUP_MAX_AGE_DAYS }, temporal, log)();
    await prepareTemporal(temporal, { ...options, timing: 'normal' });
    assert.equal(await retentionDays(temporal), 14);
    assert.deepEqual([await readyFor(7), await readyFor(8)], [true, false]);
    assert.deepEqual(said, [{ days: 14, needed: 15 }]);
    assert.equal(await readyFor(8, 'development'), true);
    await prepareTemporal(temporal, { ...options, timing: 'normal', retentionDays: 15 });
    assert.equal(await readyFor(8), true);
    await prepareTemporal(temporal, { ...options, timing: 'normal', retentionDays: 3 });
    assert.equal(await retentionDays(temporal), 15, 'it is never shortened');
  });

  it('is not ready while Temporal cannot be asked', async () => {
    const nowhere = createTemporalClient({ ...settings, TEMPORAL_ADDRESS: '127.0.0.1:1' });
    const silent = { error: () => assert.fail('nobody knows yet') };
    const isReady = retentionGateOf({ MALIPO_ENV: 'production', BACKUP_MAX_AGE_DAYS: 1 }, nowhere, silent);
    assert.equal(await nowhere.connection.withDeadline(Date.now() + 500, isReady), false);
  });

  it('leaves a sweep paused that an operator paused', async function () {
    this.timeout(90_000);
    const handle = temporal.client.schedule.getHandle(SWEEP_SCHEDULE_ID);
    const { connection } = temporal;
    const isPaused = async () => (await handle.describe()).state.paused;
    // A server whose namespace has just changed may leave a call about a schedule unanswered, or not note a pause.
    const pause = async () => {
      await handle.pause('looking at something');
      return isPaused();
    };
    await prepareTemporal(temporal, { ...options, timing: 'normal' });
    await until(() => connection.withDeadline(Date.now() + 10_000, pause), {
      deadlineMs: 60_000,
      everyMs: 500,
      what: 'the sweep is paused',
    });
    await prepareTemporal(temporal, { ...options, timing: 'normal' });
    assert.equal(await isPaused(), true);
  });

  it('fails within its deadline when there is no server', async () => {
    const nowhere = createTemporalClient({ ...settings, TEMPORAL_ADDRESS: '127.0.0.1:1' });
    // Not closed: the client's own retry may still be waiting, and a closed channel makes it throw where nobody listens.
    await assert.rejects(prepareTemporal(nowhere, { timing: 'normal', deadlineMs: 500, retentionDays: 14 }));
  });
});

describe('connection options', () => {
  const address = 'temporal.example:7233';
  it('are plain where neither TLS nor an API key is set', () => {
    assert.deepEqual(connectionOptions({ ...settings, TEMPORAL_ADDRESS: address }), { address });
  });

  it('switch TLS on for an API key', () => {
    assert.deepEqual(
      connectionOptions({ ...settings, TEMPORAL_ADDRESS: address, TEMPORAL_API_KEY: 'secret' }),
      { address, apiKey: 'secret' },
    );
  });
});
