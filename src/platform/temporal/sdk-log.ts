import {
  DefaultLogger,
  type LogEntry,
  makeTelemetryFilterString,
  type RuntimeOptions,
} from '@temporalio/worker';
import { factsOfWorkflow } from '../../domain/ids.ts';
import type { LinesLog } from './activity-log.ts';

/** activity-log.ts already logs how activities end, and most queues have no workflows on purpose. */
const NO_NEWS = new Set(['Activity failed', 'No workflows registered, not polling for workflow tasks']);

/** Writes the SDK's log as JSON. Serves metrics at `metricsAddress`, a loopback address; null: no metrics. */
export function sdkTelemetry(log: LinesLog, metricsAddress: string | null): RuntimeOptions {
  return {
    logger: new DefaultLogger('WARN', (entry) => {
      if (NO_NEWS.has(entry.message)) return;
      log[entry.level === 'ERROR' ? 'error' : 'warn'](fieldsOf(entry), entry.message);
    }),
    telemetryOptions: {
      logging: { forward: {}, filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }) },
      ...(metricsAddress === null ? {} : { metrics: metricsAt(metricsAddress) }),
    },
  };
}

function metricsAt(bindAddress: string) {
  return {
    prometheus: { bindAddress, countersTotalSuffix: true, useSecondsForDurations: true },
    attachServiceName: false,
  };
}

/** Lines keep only our fields: the native core's own may hold whole failures. */
const OURS = ['request_id', 'activity', 'task_queue', 'attempt', 'kind', 'detail'];

function fieldsOf({ meta = {} }: LogEntry): Record<string, unknown> {
  const fields: Record<string, unknown> = { component: meta.sdkComponent };
  for (const name of OURS) if (meta[name] !== undefined) fields[name] = meta[name];
  if (typeof meta.workflowType === 'string') fields.workflow = meta.workflowType;
  if (typeof meta.workflowId === 'string') Object.assign(fields, factsOfWorkflow(meta.workflowId));
  if (typeof meta.runId === 'string') fields.run_id = meta.runId;
  if (meta.error !== undefined) fields.err = meta.error;
  return fields;
}
