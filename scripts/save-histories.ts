/**
 * Saves the histories that test/workflows/replay.test.ts replays: one file of test/histories per way a flow can end.
 *
 *   node --import tsx scripts/save-histories.ts                          every case
 *   node --import tsx scripts/save-histories.ts ussd-push-completed …    these only
 *
 * Saved histories stand for the flows that run in production while a new version is deployed. So run it for a NEW
 * case, and for all of them only before the first release. A change that no longer replays an old file needs
 * `patched()` (CONTRIBUTING.md), not a new file.
 *
 * It starts a Postgres and a Temporal dev server of its own and takes about a minute. Real workflows, real activities;
 * the channel is scripted. Ids and times differ from run to run; the test numbers are the only personal data.
 */
import { writeFile } from 'node:fs/promises';
import os from 'node:os';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { createFlows } from '../src/api/kit/flows.ts';
import { createSettlements } from '../src/app/settlements.ts';
import { dayOf } from '../src/domain/day.ts';
import { attentionWorkflowIdOf, batchWorkflowIdOf } from '../src/domain/ids.ts';
import type { MadeNumbers } from '../src/domain/number.ts';
import { registerSearchAttributes } from '../src/platform/temporal/search-attributes.ts';
import { dailyKeyOf, transactionIdOf } from '../src/transactions/acceptance/idempotency.ts';
import { entriesToShow, raiseAttention, resolveSubject } from '../src/transactions/care/attention.ts';
import { receiveBillPayment } from '../src/transactions/ending/bills.ts';
import { getTransaction } from '../src/transactions/rows/store.ts';
import { signNumbers } from '../src/transactions/rows/submission-mac.ts';
import { channelResult, startOfNumbers, workflowTypes } from '../src/workflows/messages.ts';
import { stopServers } from '../test/support/at-end.ts';
import { draftOf } from '../test/support/batches.ts';
import { controlNumberOf, paymentOf } from '../test/support/bill-customer.ts';
import { asRole, createTestDatabase } from '../test/support/database.ts';
import { plantDecision } from '../test/support/decision.ts';
import { type Flows, startFlows } from '../test/support/flows.ts';
import { submissionKeys } from '../test/support/key-rings.ts';
import { createMerchant, submissionFor } from '../test/support/merchant.ts';
import { numbersRequest } from '../test/support/numbers.ts';
import type { Database } from '../test/support/queryable.ts';
import { createScriptedChannel, succeeded } from '../test/support/scripted-channel.ts';
import { routeWith, setRule } from '../test/support/settlement.ts';
import { startTemporalDevServer } from '../test/support/temporal.ts';
import { until } from '../test/support/wait.ts';
import { type Case, cases, settlementsStart, sweepStart } from './history-cases.ts';

const folder = new URL('../test/histories/', import.meta.url);
const wanted = process.argv.slice(2);
const isWanted = (name: string) => wanted.length === 0 || wanted.includes(name);

const { address } = await startTemporalDevServer();
const environment = await TestWorkflowEnvironment.createFromExistingServer({ address });
await registerSearchAttributes(environment.connection, 'default');
const test = await createTestDatabase({ poolMax: 10 });
try {
  for (const one of cases) if (isWanted(one.name)) await play(one, test.database);
  if (isWanted('sweep-completed')) await playSweep(test.database);
  if (isWanted('attention-closed')) await playAttention(test.database);
  if (['batch-held', 'batch-finished', 'settlement-paid', 'settlements-of-a-day'].some(isWanted))
    await playBatchAndSettlements(test.database);
  if (isWanted('number-made') || isWanted('number-payment-completed')) await playNumber(test.database);
} finally {
  await environment.teardown();
  await test.drop();
  await stopServers();
}

async function play(one: Case, database: Database): Promise<void> {
  const merchant = await createMerchant(database, { balance: one.balance ?? 2_000_000 });
  const script = createScriptedChannel();
  if (one.sends) script.sends = one.sends;
  if (one.enquiries) script.enquiries = one.enquiries;
  const delivery = refusing(database, one.refusedCallbacks ?? 0);
  const stuck = one.isQueueStuck ? { worked: [] } : {};
  const flows = await startFlows(environment, { database, script, delivery, ...stuck });
  try {
    const request = typeof one.request === 'function' ? one.request() : one.request;
    const submission = submissionFor(merchant, request);
    Object.assign(submission.timing, one.timing);
    const id = submission.transactionId;
    // The API's own start, so that the histories begin as they do in production.
    await createFlows({
      client: environment.client,
      connection: environment.connection,
      submissionKeys,
    }).submit(submission);
    const waiting = { deadlineMs: 15_000, what: one.name };
    await one.act?.({
      id,
      flows,
      sent: async (times) => void (await until(() => script.sent.length >= times, waiting)),
      flagged: async () =>
        void (await until(async () => (await getTransaction(database, id))?.attention, waiting)),
      decide: async (outcome) => {
        await plantDecision(database, id, outcome);
        await flows.handle(id).signal(channelResult, 'stored');
      },
      pay: (amount) => pay(database, { id, amount, flows }),
    });
    const { status: ended } = await flows.handle(id).result();
    if (ended !== one.ends) throw new Error(`${one.name} ended ${ended}, not ${one.ends}`);
    await save(one.name, flows.handle(id));
  } finally {
    await flows.stop();
  }
}

/** Acts as a door does, then waits until the merchant was notified, so that every history has its steps in this order. */
async function pay(database: Database, payment: { id: string; amount: number; flows: Flows }): Promise<void> {
  const number = await controlNumberOf(database, payment.id);
  const { outcome } = await receiveBillPayment(database, paymentOf(number, payment.amount));
  if (outcome !== 'accepted') throw new Error(`the payment was ${outcome}`);
  // Best effort as the door's own: the workflow may be gone.
  await payment.flows
    .handle(payment.id)
    .signal(channelResult, 'stored')
    .catch(() => {});
  const undelivered = "SELECT 1 FROM callback_events WHERE transaction_id = $1 AND state = 'pending'";
  await until(async () => (await database.query(undelivered, [payment.id])).rowCount === 0, {
    deadlineMs: 15_000,
    what: 'the callback',
  });
}

/** A merchant's receiver that does not take the first attempts. */
function refusing(database: Database, refused: number) {
  let attempts = 0;
  return {
    async attempt(eventId: string) {
      attempts += 1;
      if (attempts <= refused) return { kind: 'retry' as const, afterMs: 100 };
      await database.query("UPDATE callback_events SET state = 'delivered' WHERE id = $1", [eventId]);
      return { kind: 'delivered' as const };
    },
  };
}

async function playSweep(database: Database): Promise<void> {
  const flows = await startSweepOnly(database);
  try {
    const { type, taskQueue } = sweepStart;
    const handle = await environment.client.workflow.start(type, { taskQueue, workflowId: 'sweep' });
    await handle.result();
    await save('sweep-completed', handle);
  } finally {
    await flows.stop();
  }
}

/** An entry that is opened and closed again, as the sweep shows both. */
async function playAttention(database: Database): Promise<void> {
  const flows = await startSweepOnly(database);
  try {
    const subject = { subject: 'the entry of a saved history' };
    await raiseAttention(database, { ...subject, reason: 'unexpected_payment', detail: 'a payment' });
    await flows.sweep.sweep();
    const [entry] = await entriesToShow(database, 1);
    if (!entry) throw new Error('nothing is on the list');
    const handle = environment.client.workflow.getHandle(attentionWorkflowIdOf(entry));
    await resolveSubject(database, subject.subject);
    // A workflow that was just started is not listed yet.
    const isEnded = async () => {
      await flows.sweep.sweep();
      return (await handle.describe()).status.name === 'COMPLETED';
    };
    await until(isEnded, { deadlineMs: 15_000, what: 'the sweep ends it' });
    await save('attention-closed', handle);
  } finally {
    await flows.stop();
  }
}

/** A standing number is made and paid; the sweep begins the flow of the payment. */
async function playNumber(database: Database): Promise<void> {
  const merchant = await createMerchant(database);
  const flows = await startSweepOnly(database);
  try {
    const wanted = signNumbers(submissionKeys, numbersRequest(merchant, { customerReference: 'PUPIL-0117' }));
    const start = startOfNumbers('saved', wanted);
    const handle = await environment.client.workflow.start(workflowTypes.makeNumbers, start);
    const { made } = (await handle.result()) as MadeNumbers;
    await save('number-made', handle);
    const decided = await receiveBillPayment(database, paymentOf(made[0]?.controlNumber ?? '', 5_000));
    if (decided.outcome !== 'accepted') throw new Error(`the payment was ${decided.outcome}`);
    await flows.sweep.sweep();
    await flows.handle(decided.transactionId).result();
    await save('number-payment-completed', flows.handle(decided.transactionId));
  } finally {
    await flows.stop();
  }
}

/** A batch holds, hands on, and pays its item; the schedule settles a day of its merchant. */
async function playBatchAndSettlements(database: Database): Promise<void> {
  const merchant = await createMerchant(database, { balance: 1_000_000 });
  await setRule(database, merchant);
  const script = createScriptedChannel();
  script.sends = [async ({ amount, transactionId }) => succeeded(amount / 100, transactionId)];
  const { client, connection } = environment;
  const flows = await startFlows(environment, {
    database,
    script,
    delivery: refusing(database, 0),
    settlements: () =>
      createSettlements({
        database: asRole(database, 'worker'),
        client,
        timing: 'normal',
        submissionKeys,
        routeOf: () => routeWith(1_000_000),
      }),
  });
  try {
    const { run } = await draftOf(database, merchant, [{ amount: 10_000 }]);
    const started = await createFlows({ client, connection, submissionKeys }).startBatch(run);
    if (started.kind !== 'running') throw new Error(`the batch was ${started.kind}`);
    const workflowId = batchWorkflowIdOf(run.batchId);
    await client.workflow.getHandle(workflowId).result();
    const { firstExecutionRunId } = await firstOf(workflowId);
    await save('batch-held', client.workflow.getHandle(workflowId, firstExecutionRunId));
    await save('batch-finished', client.workflow.getHandle(workflowId));
    const { type, taskQueue } = settlementsStart;
    const day = await client.workflow.start(type, { taskQueue, workflowId: 'settlements' });
    await day.result();
    await save('settlements-of-a-day', day);
    const settlement = flows.handle(transactionIdOf(merchant.accountId, dailyKeyOf(dayOf(new Date()))));
    const { status } = await settlement.result();
    if (status !== 'paid') throw new Error(`the settlement ended ${status}`);
    await save('settlement-paid', settlement);
  } finally {
    await flows.stop();
  }
}

/** The run that the chain of runs began with. */
async function firstOf(workflowId: string): Promise<{ firstExecutionRunId: string }> {
  const { events } = await environment.client.workflow.getHandle(workflowId).fetchHistory();
  const { firstExecutionRunId } = events?.[0]?.workflowExecutionStartedEventAttributes ?? {};
  if (!firstExecutionRunId) throw new Error(`${workflowId} does not say what it began with`);
  return { firstExecutionRunId };
}

function startSweepOnly(database: Database): Promise<Flows> {
  const delivery = refusing(database, 0);
  return startFlows(environment, { database, script: createScriptedChannel(), delivery });
}

type Handle = Pick<ReturnType<Flows['handle']>, 'fetchHistory' | 'describe'>;

async function save(name: string, handle: Handle): Promise<void> {
  const history = historyToJSON(await handle.fetchHistory());
  const { events }: { events: object[] } = JSON.parse(history);
  const text = events.map((event) => JSON.stringify(event, withoutMachine)).join(',\n');
  await writeFile(new URL(`${name}.json`, folder), `{"events":[\n${text}\n]}\n`);
  const tasks = text.split('"EVENT_TYPE_WORKFLOW_TASK_COMPLETED"').length - 1;
  const { historyLength, historySize } = await handle.describe();
  console.log(`${name}: ${historyLength} events, ${tasks} workflow tasks, ${historySize} bytes`);
}

/** A history names the machine it was made on; a stack trace names its folders. Neither matters to a replay. */
function withoutMachine(key: string, value: unknown): unknown {
  if (key === 'stackTrace') return '';
  return typeof value === 'string' ? value.replaceAll(`${process.pid}@${os.hostname()}`, 'malipo') : value;
}
