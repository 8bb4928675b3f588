import assert from 'node:assert/strict';
import { queuePing, resendEvent } from '../../src/callbacks/resend.ts';
import type { Round } from '../../src/domain/event.ts';
import { callbackDelaysMs } from '../../src/domain/timing.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import { startOfRound, workflowTypes } from '../../src/workflows/messages.ts';
import { deliveryFor } from '../callbacks/delivery.ts';
import { listAttempts, loadEvent, plantEvent } from '../callbacks/planted.ts';
import { answering, type Receiver, startReceiver } from '../callbacks/receiver.ts';
import { useFlowServer } from '../support/flow-server.ts';
import { type Flows, startFlows } from '../support/flows.ts';
import { createMerchant, type Merchant, pushRequest, submissionFor } from '../support/merchant.ts';
import { createScriptedChannel, succeeded } from '../support/scripted-channel.ts';
import { until } from '../support/wait.ts';

const HOUR_S = 3_600;

describe('callbacks over days (skipped time, real schedule, real receiver)', function () {
  this.timeout(60_000);
  let flows: Flows;
  // Before the server's own hook, which closes the connection that the flows hold.
  after(() => flows.stop());
  const server = useFlowServer('skipped');
  const { test } = server;
  let receiver: Receiver;
  let merchant: Merchant;

  before(async () => {
    const delivery = deliveryFor(test.database, { delaysMs: callbackDelaysMs('normal') });
    flows = await startFlows(server.environment, {
      database: test.database,
      script: createScriptedChannel(),
      delivery,
    });
  });
  beforeEach(async () => {
    receiver = await startReceiver();
    merchant = await createMerchant(test.database, { callbackUrl: receiver.url });
  });
  afterEach(() => receiver.close());

  const start = (round: Round) =>
    server.environment.client.workflow.start(workflowTypes.resendCallback, startOfRound(round));
  const resend = (eventId: string) =>
    inTransaction(test.database, (db) =>
      resendEvent(db, { accountId: merchant.accountId, eventId, actor: 'test' }),
    );
  /** by Temporal's own clock, in seconds */
  const lasted = async (handle: { fetchHistory(): Promise<{ events?: unknown }> }) => {
    const { events } = (await handle.fetchHistory()) as { events: { eventTime: { seconds: unknown } }[] };
    return Number(events.at(-1)?.eventTime.seconds) - Number(events[0]?.eventTime.seconds);
  };
  const bodies = () => new Set(receiver.received.map(({ body }) => body));

  it('a receiver that comes back at the last attempt of three days gets the event of its payment', async () => {
    receiver.react((response) => {
      response.writeHead(receiver.received.length < 12 ? 503 : 200).end();
    });
    const submission = submissionFor(merchant, pushRequest(5_000));
    await flows.submit(submission);
    const id = submission.transactionId;
    await flows.notify(id, succeeded(5_000), `done-${id}`);
    const handle = flows.handle(id);
    assert.equal(((await handle.result()) as { status: string }).status, 'completed');
    assert.deepEqual([receiver.received.length, bodies().size], [12, 1]);
    const seconds = await lasted(handle);
    assert.ok(seconds > 60 * HOUR_S && seconds < 95 * HOUR_S, `${seconds} s`);
  });

  it('a resend runs the whole schedule anew and then gives up', async () => {
    const eventId = await plantEvent(test.database, merchant);
    await test.sql`UPDATE callback_events SET state = 'failed' WHERE id = ${eventId}`;
    receiver.react(answering(503));
    const handle = await start(await resend(eventId));
    assert.match(await handle.result(), /every attempt of the schedule was made/);
    assert.equal((await listAttempts(test.database, eventId)).length, 12);
    assert.equal((await loadEvent(test.database, eventId))?.state, 'failed');
    const seconds = await lasted(handle);
    assert.ok(seconds > 60 * HOUR_S && seconds < 95 * HOUR_S, `${seconds} s`);
    const { events } = await handle.fetchHistory();
    assert.ok((events?.length ?? 0) <= 12, 'the retries add no history');

    receiver.react(answering(200));
    assert.equal(await (await start(await resend(eventId))).result(), 'delivered');
    assert.deepEqual([receiver.received.length, bodies().size], [13, 1]);
  });

  it('a resend takes over from the workflow that was waiting for its next attempt', async () => {
    const eventId = await plantEvent(test.database, merchant);
    receiver.react(answering(503));
    const first = await start({ eventId, round: 0 });
    await until(
      async () => (await listAttempts(test.database, eventId))[0]?.httpStatus === 503,
      'the first attempt',
    );
    receiver.react(answering(200));
    const second = await start(await resend(eventId));
    assert.equal(await second.result(), 'delivered');
    assert.equal(await first.result(), 'nothing');
    assert.equal(receiver.received.length, 2);
  });

  it('a round that is asked for twice is one workflow', async () => {
    const eventId = await plantEvent(test.database, merchant);
    receiver.react(answering(503));
    const handles = await Promise.all([1, 2, 3].map(() => start({ eventId, round: 0 })));
    assert.equal(new Set(handles.map((handle) => handle.firstExecutionRunId)).size, 1);
    receiver.react(answering(200));
    assert.equal(await handles[0]?.result(), 'delivered');
  });

  it('a ping is delivered like any event', async () => {
    const handle = await start(await queuePing(test.database, merchant.apiKeyId));
    assert.equal(await handle.result(), 'delivered');
    const [one] = receiver.received;
    const ping = JSON.parse(one?.body ?? '');
    assert.deepEqual(Object.keys(ping), ['event', 'event_id', 'timestamp']);
    assert.equal(one?.headers['webhook-id'], ping.event_id);
    assert.match(ping.timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
  });
});
