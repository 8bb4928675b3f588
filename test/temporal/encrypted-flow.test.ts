import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, type Worker } from '@temporalio/worker';
import { createActivities } from '../../src/activities/index.ts';
import { createFlows } from '../../src/api/flows.ts';
import type { KeyRing } from '../../src/base/key-ring.ts';
import { workflowIdOf } from '../../src/domain/ids.ts';
import { createLog } from '../../src/process/log.ts';
import {
  connectionOptions,
  createTemporalClient,
  dataConverterOf,
  type TemporalClient,
} from '../../src/temporal/connect.ts';
import { type RecoverReport, recover } from '../../src/temporal/recover.ts';
import { keepMark, prepareTemporal, readKnownMark, SWEEP_SCHEDULE_ID } from '../../src/temporal/schedule.ts';
import { registerSearchAttributes } from '../../src/temporal/search-attributes.ts';
import { createSweep } from '../../src/temporal/sweep.ts';
import { createWorkers } from '../../src/temporal/workers.ts';
import { readMark } from '../../src/transactions/care/fence.ts';
import { sendHistory } from '../../src/transactions/channel/sends.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { signBillPayment } from '../../src/transactions/rows/submission-mac.ts';
import {
  channelResult,
  entryClosed,
  sendActivityId,
  taskQueues,
  workflowTypes,
} from '../../src/workflows/messages.ts';
import { startOfSubmission } from '../../src/workflows/start-flow.ts';
import { paymentOf } from '../support/bill-customer.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { notify } from '../support/handed-over.ts';
import { keyOf, ringOf, sign, submissionKeys } from '../support/key-rings.ts';
import { billRequest, createMerchant, mobilePayoutRequest, submissionFor } from '../support/merchant.ts';
import '../support/quiet-runtime.ts';
import { gateOf } from '../support/gate.ts';
import { endsNow, rememberFromNow } from '../support/memory.ts';
import { createScriptedChannel, succeeded } from '../support/scripted-channel.ts';
import { startTemporalDevServer } from '../support/temporal.ts';
import { until } from '../support/wait.ts';

/** A real server, client and workers with payload keys: what the SDK tells a codec, and when, is seen here only. */
describe('flows whose payloads are encrypted', function () {
  this.timeout(90_000);
  let test: TestDatabase;
  let temporal: TemporalClient;
  let native: NativeConnection;
  let address: string;
  let workers: Worker[];
  let running: Promise<void>[];
  const script = createScriptedChannel();

  before(async () => {
    test = await createTestDatabase({ poolMax: 10 });
    ({ address } = await startTemporalDevServer());
    const settings = {
      TEMPORAL_ADDRESS: address,
      TEMPORAL_NAMESPACE: 'default',
      TEMPORAL_API_KEY: undefined,
      TEMPORAL_TLS: false,
      ENCRYPTION_KEY: ringOf(),
      PAYLOAD_ENCRYPTION_KEYS: [keyOf('2026')] as const,
    };
    temporal = createTemporalClient(settings);
    await registerSearchAttributes(temporal.connection, 'default');
    native = await NativeConnection.connect(connectionOptions(settings));
    const sweep = createSweep({
      database: test.database,
      client: temporal.client,
      unattendedAfterMs: 0,
      submissionKeys,
      keepMark: async () => {},
    });
    workers = await createWorkers({
      connection: native,
      namespace: 'default',
      dataConverter: dataConverterOf(settings),
      activities: createActivities({
        database: test.database,
        channels: script.channels,
        gate: gateOf(test.database),
        delivery: { attempt: async () => ({ kind: 'delivered' }) },
        sweep,
        submissionKeys,
      }),
      channels: ['m-pesa'],
      channelRateOf: () => 1_000,
      enquiryRateOf: () => 1_000,
      log: createLog({ level: 'silent', name: 'test' }),
    });
    running = workers.map((worker) => worker.run());
  });
  after(async () => {
    for (const worker of workers) worker.shutdown();
    await Promise.all(running);
    await Promise.all([native.close(), temporal.close()]);
    await test.drop();
  });

  it('go from the submission to the end, through updates, signals, sends and enquiries', async () => {
    const merchant = await createMerchant(test.database, { balance: 1_000_000 });
    script.sends = [{ kind: 'unknown', detail: 'reset' }];
    script.enquiries = [{ kind: 'unknown', detail: '503' }, succeeded(50_000)];
    const submission = submissionFor(merchant, mobilePayoutRequest());
    Object.assign(submission.timing, { unclearEnquiryMs: 100, enquiryDelaysMs: [100] });
    const flows = createFlows({ client: temporal.client, connection: temporal.connection, submissionKeys });
    const answer = await flows.submit(submission);
    assert.equal(answer.kind === 'answered' && answer.accepted.mine, true);
    const handle = temporal.client.workflow.getHandle(workflowIdOf(submission.transactionId));
    await flows.signal(submission.transactionId, 'hint');
    assert.equal((await handle.result()).status, 'paid');
    // What operators see is read by the same codec.
    assert.match(String(await (await handle.describe()).staticSummary()), /^Pay /);
    const history = JSON.stringify(await handle.fetchHistory());
    assert.equal(history.includes(Buffer.from('255754123456').toString('base64').slice(0, 12)), false);
  });

  it('read what the notification door completes an open send with, and nothing in plain from a stranger', async () => {
    const merchant = await createMerchant(test.database, { balance: 1_000_000 });
    Object.assign(script, { sent: [], sends: [{ kind: 'accepted', channelReference: null }] });
    const flows = createFlows({ client: temporal.client, connection: temporal.connection, submissionKeys });
    const open = async () => {
      const submission = submissionFor(merchant, mobilePayoutRequest());
      await flows.submit(submission);
      const id = submission.transactionId;
      await until(async () => (await sendHistory(test.database, id)).taken, {
        deadlineMs: 20_000,
        what: 'the channel took the send',
      });
      return { id, handle: temporal.client.workflow.getHandle(workflowIdOf(id)) };
    };
    const own = await open();
    const { send } = await notify(test.database, own.id, succeeded(50_000));
    await flows.completeSend(own.id, send ?? 0);
    assert.equal((await own.handle.result()).status, 'paid');
    const { events = [] } = await own.handle.fetchHistory();
    assert.ok(!events?.some((event) => event.workflowExecutionSignaledEventAttributes), 'it was no signal');

    const forged = await open();
    const stranger = await Connection.connect({ address });
    const activity = { workflowId: workflowIdOf(forged.id), activityId: sendActivityId(1) };
    await new Client({ connection: stranger }).activity.complete(activity, { kind: 'answered' });
    await until(
      async () =>
        (await forged.handle.fetchHistory()).events?.some((event) => event.workflowTaskFailedEventAttributes),
      { deadlineMs: 30_000, what: 'its task fails' },
    );
    assert.equal((await getTransaction(test.database, forged.id))?.status, 'pending');
    await forged.handle.terminate();
    await stranger.close();
  });

  it('end with no result, too', async () => {
    const workflowId = `attention/${randomUUID()}/returned`;
    const start = { taskQueue: taskQueues.money, workflowId };
    const handle = await temporal.client.workflow.start(workflowTypes.attention, start);
    await handle.signal(entryClosed);
    assert.equal(await handle.result(), undefined);
  });

  it('are started by a Schedule, again and again', async () => {
    const scheduleId = `sweep-${randomUUID()}`;
    const schedule = await temporal.client.schedule.create({
      scheduleId,
      spec: {},
      action: {
        type: 'startWorkflow',
        workflowType: workflowTypes.sweep,
        workflowId: scheduleId,
        taskQueue: taskQueues.money,
        args: [],
        staticSummary: 'Looks for transactions that nobody is working on',
      },
    });
    // The second run is given the result of the first one.
    for (const run of [0, 1]) {
      await schedule.trigger();
      const ended = await until(
        async () => {
          const action = (await schedule.describe()).info.recentActions[run];
          if (!action) return null;
          const handle = temporal.client.workflow.getHandle(action.action.workflow.workflowId);
          return (await handle.result()) as object;
        },
        { deadlineMs: 30_000, what: 'the sweep that was triggered' },
      );
      assert.ok('resumed' in ended);
    }
    await schedule.delete();
  });

  it('take no input in plain from whoever has no key, and work on for others', async () => {
    const merchant = await createMerchant(test.database, { balance: 1_000_000 });
    const stranger = await Connection.connect({ address });
    const { workflowType, ...start } = startOfSubmission(
      sign(submissionFor(merchant, mobilePayoutRequest())),
    );
    const handle = await new Client({ connection: stranger }).workflow.start(workflowType, start);
    await until(
      async () => {
        const { events } = await handle.fetchHistory();
        return events?.some((event) => event.workflowTaskFailedEventAttributes);
      },
      { deadlineMs: 30_000, what: 'its task fails' },
    );
    const id = start.workflowId.replace('transaction/', '');
    assert.equal(await getTransaction(test.database, id), null);
    await handle.terminate();
    await stranger.close();
    script.sent.length = 0;
    script.sends = [succeeded(50_000)];
    const flows = createFlows({ client: temporal.client, connection: temporal.connection, submissionKeys });
    const submission = submissionFor(merchant, mobilePayoutRequest());
    await flows.submit(submission);
    assert.equal(
      (await temporal.client.workflow.getHandle(workflowIdOf(submission.transactionId)).result()).status,
      'paid',
    );
  });

  it('come back into a copy of Postgres that lost them, without what a stranger put beside them', async () => {
    const { client } = temporal;
    const copy = await createTestDatabase();
    const schedule = client.schedule.getHandle(SWEEP_SCHEDULE_ID);
    await schedule.delete().catch(() => {});
    await prepareTemporal(temporal, { timing: 'normal', deadlineMs: 20_000, retentionDays: 14 });
    await schedule.pause();
    await rememberFromNow(client);
    await endsNow(copy.database);
    const stranger = await Connection.connect({ address });
    try {
      const merchant = await createMerchant(test.database, { balance: 1_000_000 });
      await createMerchant(copy.database, { balance: 1_000_000, as: merchant });
      script.sends = [succeeded(50_000)];
      const submission = submissionFor(merchant, mobilePayoutRequest());
      await createFlows({ client, connection: temporal.connection, submissionKeys }).submit(submission);
      const id = submission.transactionId;
      // A payment of a bill is in a signal. Another one is there by somebody who has the payload keys, not the API's.
      const bill = submissionFor(merchant, billRequest());
      const flows = createFlows({ client, connection: temporal.connection, submissionKeys });
      const billed = await flows.submit(bill);
      assert.ok(billed.kind === 'answered');
      const number = JSON.parse(billed.accepted.answer.body).bill.reference;
      const taken = { ...paymentOf(number, 25_000), refusalReturnsMoney: true };
      await flows.signal(bill.transactionId, 'stored', taken);
      const billFlow = client.workflow.getHandle(workflowIdOf(bill.transactionId));
      const moved = signBillPayment(submissionKeys, id, { ...taken, receipt: 'OF_ANOTHER_BILL' });
      for (const forged of [{ ...taken, receipt: 'FORGED' }, moved])
        await billFlow.signal(channelResult, 'stored', forged);
      assert.equal((await client.workflow.getHandle(workflowIdOf(id)).result()).status, 'paid');
      // By hand, in plain, on a queue of nobody: one would pay out if it were believed, one has no name of ours.
      const forged = sign(submissionFor(merchant, mobilePayoutRequest()));
      const { workflowType, ...start } = startOfSubmission(forged);
      for (const workflowId of [start.workflowId, 'anything'])
        await new Client({ connection: stranger }).workflow.start(workflowType, {
          ...start,
          workflowId,
          taskQueue: 'nobody',
        });
      const ahead = { ...(await readMark(copy.database)), progress: 1_000_000 };
      await keepMark(client, ahead);
      assert.deepEqual(await readKnownMark(client), ahead, 'a Schedule can be read again');

      const again = (options: { submissionKeys: KeyRing; isDry: boolean }) =>
        recover({ database: copy.database, client, actor: 'test', agreed: null, ...options });
      const problemOf = ({ problems }: RecoverReport, of: string) =>
        problems.find((one) => one.startsWith(of));
      const unproven = await until(
        async () => {
          const report = await again({ submissionKeys: [keyOf('of somebody else')], isDry: true });
          return problemOf(report, 'anything') && problemOf(report, id) ? report : null;
        },
        { deadlineMs: 30_000, what: 'Temporal lists all of them', everyMs: 200 },
      );
      assert.match(problemOf(unproven, id) ?? '', /does not carry the proof/);
      const report = await again({ submissionKeys, isDry: false });
      assert.equal(problemOf(report, id), undefined);
      assert.match(problemOf(report, forged.transactionId) ?? '', /not encrypted/);
      assert.match(
        problemOf(report, bill.transactionId) ?? '',
        /does not carry the proof that the API took it/,
      );
      assert.equal(report.billPayments, 1);
      const { rows } = await copy.database.query('SELECT receipt FROM bill_receipts');
      assert.deepEqual(rows, [{ receipt: taken.receipt }], 'what is not proven credits nobody');
      assert.match(problemOf(report, 'anything') ?? '', /workflow of no transaction/);
      assert.equal(report.isLifted, false, 'a person looks at them first');
      assert.equal((await getTransaction(copy.database, id))?.status, 'pending', 'its channel is asked');
      assert.equal(await getTransaction(copy.database, forged.transactionId), null);
      for (const workflowId of [start.workflowId, 'anything', workflowIdOf(bill.transactionId)])
        await client.workflow.getHandle(workflowId).terminate();
    } finally {
      await schedule.delete();
      await stranger.close();
      await copy.drop();
    }
  });
});
