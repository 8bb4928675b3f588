import {
  type Client,
  ScheduleAlreadyRunning,
  type ScheduleOptions,
  ScheduleOverlapPolicy,
} from '@temporalio/client';
import type { Mark } from '../domain/mark.ts';
import type { GatewayTiming } from '../domain/timing.ts';
import type { TemporalClient } from '../platform/temporal/connect.ts';
import { registerSearchAttributes } from '../platform/temporal/search-attributes.ts';
import { taskQueues, workflowTypes } from '../workflows/messages.ts';
import { lengthenRetention } from './retention.ts';

export const SWEEP_SCHEDULE_ID = 'sweep';
export const STATEMENTS_SCHEDULE_ID = 'statements';
export const SETTLEMENTS_SCHEDULE_ID = 'settlements';

/** Sets Temporal up: search attributes, retention, the sweep's Schedule. Throws after `deadlineMs`. */
export async function prepareTemporal(
  temporal: TemporalClient,
  options: { timing: GatewayTiming; deadlineMs: number; retentionDays: number },
): Promise<void> {
  const { client, connection } = temporal;
  await connection.withDeadline(Date.now() + options.deadlineMs, async () => {
    await registerSearchAttributes(connection, client.options.namespace);
    await lengthenRetention(temporal, options.retentionDays);
    await scheduleSweep(client, options.timing);
  });
}

async function scheduleSweep(client: Client, timing: GatewayTiming): Promise<void> {
  if (await ensureSweepSchedule(client, timing)) return;
  const wanted = sweepSchedule(timing);
  // The state is kept, because an operator may have paused the sweep.
  await client.schedule.getHandle(SWEEP_SCHEDULE_ID).update(({ state, action }) => ({
    ...wanted,
    state,
    action: { ...wanted.action, args: action.type === 'startWorkflow' ? (action.args ?? []) : [] },
  }));
}

/** Makes a missing schedule and returns true. An existing one stays, paused or not. */
export function ensureSweepSchedule(client: Client, timing: GatewayTiming): Promise<boolean> {
  return ensure(client, { ...sweepSchedule(timing), scheduleId: SWEEP_SCHEDULE_ID });
}

/** Only deployments with fetched statement accounts need this schedule. */
export function ensureStatementsSchedule(client: Client, timing: GatewayTiming): Promise<boolean> {
  return ensure(client, { ...statementsSchedule(timing), scheduleId: STATEMENTS_SCHEDULE_ID });
}

/** The schedule runs at six, and every later hour for refused settlements. */
export async function ensureSettlementsSchedule(client: Client): Promise<boolean> {
  const { spec, action } = settlementsSchedule;
  const again = {
    ...settlementsSchedule,
    spec: { ...spec, calendars: [{ hour: { start: 7, end: 23 } }] },
    action: { ...action, workflowId: `${action.workflowId}-again`, args: [true] },
  };
  await ensure(client, { ...again, scheduleId: `${SETTLEMENTS_SCHEDULE_ID}-again` });
  return ensure(client, { ...settlementsSchedule, scheduleId: SETTLEMENTS_SCHEDULE_ID });
}

async function ensure(client: Client, schedule: ScheduleOptions): Promise<boolean> {
  try {
    await client.schedule.create(schedule);
    return true;
  } catch (error) {
    if (error instanceof ScheduleAlreadyRunning) return false;
    throw error;
  }
}

/** Returns how far Postgres had come at the last look; null before the first. Throws without Temporal. */
export async function readKnownMark(client: Client): Promise<Mark | null> {
  const { action } = await client.schedule.getHandle(SWEEP_SCHEDULE_ID).describe();
  return action.type === 'startWorkflow' ? ((action.args?.[0] as Mark | undefined) ?? null) : null;
}

export async function keepMark(client: Client, mark: Mark): Promise<void> {
  const handle = client.schedule.getHandle(SWEEP_SCHEDULE_ID);
  await handle.update((previous) => ({ ...previous, action: { ...previous.action, args: [mark] } }));
}

function sweepSchedule(timing: GatewayTiming) {
  return {
    spec: { intervals: [{ every: timing === 'fast' ? '5s' : '60s' }] },
    action: {
      type: 'startWorkflow',
      workflowType: workflowTypes.sweep,
      workflowId: 'sweep',
      taskQueue: taskQueues.money,
      args: [],
      // A sweep that hangs must not block the next ones.
      workflowRunTimeout: '10 minutes',
      staticSummary: 'Looks for transactions that nobody is working on',
    },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '10s' },
  } satisfies Omit<ScheduleOptions, 'scheduleId'>;
}

function statementsSchedule(timing: GatewayTiming) {
  return {
    spec: { intervals: [{ every: timing === 'fast' ? '30s' : '1h' }] },
    action: {
      type: 'startWorkflow',
      workflowType: workflowTypes.fetchStatements,
      workflowId: 'statements',
      taskQueue: taskQueues.money,
      args: [],
      workflowRunTimeout: '2 hours',
      staticSummary: 'Fetches the statements of networks',
    },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '10m' },
  } satisfies Omit<ScheduleOptions, 'scheduleId'>;
}

/** A missed settlement runs late on the same day. */
const settlementsSchedule = {
  spec: { calendars: [{ hour: 6 }], timezone: 'Africa/Dar_es_Salaam' },
  action: {
    type: 'startWorkflow',
    workflowType: workflowTypes.settleDaily,
    workflowId: 'settlements',
    taskQueue: taskQueues.money,
    args: [],
    workflowRunTimeout: '12 hours',
    staticSummary: 'Pays settlements to merchants',
  },
  policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '12h' },
} satisfies Omit<ScheduleOptions, 'scheduleId'>;
