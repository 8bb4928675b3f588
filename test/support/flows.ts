import { CompleteAsyncError } from '@temporalio/activity';
import {
  type Client,
  WithStartWorkflowOperation,
  WorkflowFailedError,
  type WorkflowHandle,
} from '@temporalio/client';
import { encodeSearchAttributeIndexedValueType } from '@temporalio/common/lib/search-attributes.js';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { Worker } from '@temporalio/worker';
import { createActivities } from '../../src/activities/index.ts';
import { createFlows } from '../../src/api/kit/flows.ts';
import { itemsOfBatches } from '../../src/app/batch-items.ts';
import { createSweep } from '../../src/app/sweep.ts';
import { createWorkers, runWorkers } from '../../src/app/workers.ts';
import type { Delivery } from '../../src/callbacks/deliver.ts';
import type { Notification } from '../../src/domain/channel.ts';
import { workflowIdOf } from '../../src/domain/ids.ts';
import type { FlowInput, MoneyRequest, Submission } from '../../src/domain/operation.ts';
import type { FlowTiming } from '../../src/domain/timing.ts';
import { createLog } from '../../src/platform/process/log.ts';
import { SUBMIT_UPDATE_ID, searchAttributes, submit } from '../../src/workflows/messages.ts';
import { startOfSubmission } from '../../src/workflows/start-flow.ts';
import { asRole } from './database.ts';
import type { Database } from './queryable.ts';
import './quiet-runtime.ts';
import type { Links } from '../../src/app/attention.ts';
import type { Gate } from '../../src/channels/traffic/gate.ts';
import { gateOf, gateWithoutResults } from './gate.ts';
import { notify } from './handed-over.ts';
import { sign, submissionKeys } from './key-rings.ts';
import { type Merchant, submissionFor } from './merchant.ts';
import type { ScriptedChannel } from './scripted-channel.ts';
import { createTimeSkippingEnvironment } from './temporal.ts';

const RESULT_MS = 150_000;

/** A server that skips time and knows our search attributes (it can add them, but not list them). */
export async function openFlowEnvironment(): Promise<TestWorkflowEnvironment> {
  const environment = await createTimeSkippingEnvironment();
  const types = Object.values(searchAttributes).map(
    ({ name, type }) => [name, encodeSearchAttributeIndexedValueType(type) ?? 0] as const,
  );
  await environment.connection.operatorService.addSearchAttributes({
    namespace: 'default',
    searchAttributes: Object.fromEntries(types),
  });
  return environment;
}

/** The server that skips time lists no workflows. */
function withoutVisibility(client: Client): Client {
  const workflow = Object.create(client.workflow, { list: { value: async function* () {} } });
  return Object.create(client, { workflow: { value: workflow } });
}

/** The server that skips time does not while an activity is open, so sends end with their answer there. */
function withoutOpenSends(activities: Activities): Activities {
  const { requestPush, requestPayout } = activities.sends;
  const asAccepted = (error: unknown) => {
    if (error instanceof CompleteAsyncError) return { kind: 'accepted' as const };
    throw error;
  };
  return {
    ...activities,
    sends: {
      requestPush: (input) => requestPush(input).catch(asAccepted),
      requestPayout: (input) => requestPayout(input).catch(asAccepted),
    },
  };
}
type Activities = ReturnType<typeof createActivities>;

type Server = Pick<
  TestWorkflowEnvironment,
  'client' | 'connection' | 'nativeConnection' | 'namespace' | 'supportsTimeSkipping'
>;

/** Real workflows, real activities and a real Postgres; only the channel is scripted and the server may skip time. */
export async function startFlows(
  environment: Server,
  deps: {
    database: Database;
    script: ScriptedChannel;
    /** left out: every receiver takes what it gets */
    delivery?: Delivery;
    worked?: string[];
    ratePerSecond?: number;
    /** settings of the workers that few tests have */
    workers?: Pick<Parameters<typeof createWorkers>[0], 'callbacksInFlightMax' | 'dataConverter'>;
    gate?: Gate;
    links?: Links;
    statements?: Parameters<typeof createActivities>[0]['statements'];
    settlements?: (client: Client) => NonNullable<Parameters<typeof createActivities>[0]['settlements']>;
  },
) {
  const { script } = deps;
  // As the processes do it, so that a grant that one of them lacks is found here.
  const database = asRole(deps.database, 'worker');
  const sweep = createSweep({
    keepMark: async () => {},
    database,
    client: environment.supportsTimeSkipping ? withoutVisibility(environment.client) : environment.client,
    unattendedAfterMs: 0,
    submissionKeys,
    ...(deps.links ? { links: deps.links } : {}),
  });
  const gate =
    deps.gate ?? (environment.supportsTimeSkipping ? gateWithoutResults(database) : gateOf(database));
  const activities = createActivities({
    database,
    channels: script.channels,
    gate,
    delivery: deps.delivery ?? { attempt: async () => ({ kind: 'delivered' }) },
    sweep,
    items: itemsOfBatches(environment.client),
    ...(deps.statements ? { statements: deps.statements } : {}),
    ...(deps.settlements ? { settlements: deps.settlements(environment.client) } : {}),
    submissionKeys,
    runbooksUrl: deps.links?.runbooksUrl,
  });
  const api = createFlows({ client: environment.client, connection: environment.connection, submissionKeys });
  const workers: Worker[] = await createWorkers({
    connection: environment.nativeConnection,
    namespace: environment.namespace ?? 'default',
    activities: environment.supportsTimeSkipping ? withoutOpenSends(activities) : activities,
    channels: deps.worked ?? ['m-pesa', 'bank'],
    channelRateOf: () => deps.ratePerSecond ?? 1_000,
    enquiryRateOf: () => 1_000,
    log: createLog({ level: 'silent', name: 'test' }),
    ...deps.workers,
  });
  const running = runWorkers(workers);

  return {
    sweep,
    gate,
    /** What the API does: one update-with-start. */
    async submit(submission: Submission) {
      const { workflowType, ...start } = startOfSubmission(sign(submission));
      const startWorkflowOperation = new WithStartWorkflowOperation<(input: FlowInput) => Promise<string>>(
        workflowType,
        { ...start, workflowIdConflictPolicy: 'USE_EXISTING' },
      );
      return environment.client.workflow.executeUpdateWithStart(submit, {
        updateId: SUBMIT_UPDATE_ID,
        startWorkflowOperation,
      });
    },
    /** What this merchant asks for, submitted; its id. `timing`: what runs out in a test. */
    async start(merchant: Merchant, request: MoneyRequest, timing: Partial<FlowTiming> = {}) {
      const submission = submissionFor(merchant, request);
      Object.assign(submission.timing, timing);
      await this.submit(submission);
      return submission.transactionId;
    },
    /** The status with which its flow ends. */
    async ended(id: string): Promise<string> {
      return (await this.handle(id).result()).status;
    },
    /** Its result is awaited for a while only: a call that outlives its connection would throw in another file's tests. */
    handle(id: string) {
      const handle = environment.client.workflow.getHandle(workflowIdOf(id));
      const wait = handle.result.bind(handle);
      handle.result = async () => {
        try {
          return await environment.connection.withDeadline(Date.now() + RESULT_MS, wait);
        } catch (error) {
          if (error instanceof Error && !(error instanceof WorkflowFailedError))
            error.message += `; ${id}: ${await stepsOf(handle)}`;
          throw error;
        }
      };
      return handle;
    },
    /** What the notification door does: store, then notify the flow. */
    async notify(id: string, content: Notification['content'], eventKey: string) {
      const received = await notify(asRole(deps.database, 'api'), id, content, { eventKey });
      const { news, send = null } = received;
      if (news === 'stored' && send !== null) await api.completeSend(id, send);
      else if (news) await api.signal(id, news);
      return received;
    },
    async stop() {
      for (const worker of workers.splice(0)) worker.shutdown();
      await running;
    },
  };
}

export type Flows = Awaited<ReturnType<typeof startFlows>>;

/** How far a flow has come that does not end: the types of its events, and what Temporal still has to do for it. */
async function stepsOf(handle: WorkflowHandle): Promise<string> {
  const [{ events }, { raw }] = await Promise.all([handle.fetchHistory(), handle.describe()]);
  const types = (events ?? []).map(
    (event) => Object.entries(event).find(([name, value]) => name.endsWith('EventAttributes') && value)?.[0],
  );
  return `${types.join(', ')}; ${JSON.stringify([raw.pendingActivities, raw.pendingWorkflowTask])}`;
}
