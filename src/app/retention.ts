import type { Client } from '@temporalio/client';
import { msNumberToTs, optionalTsToMs } from '@temporalio/common/lib/time.js';
import type { Config } from '../config/config.ts';
import { DAY_MS } from '../domain/day.ts';
import { succeeds } from '../platform/process/promises.ts';
import type { TemporalClient } from '../platform/temporal/connect.ts';
import { workflowTypes } from '../workflows/messages.ts';

/** days that people have to notice, decide and restore */
const MARGIN_DAYS = 7;
const ASK_EVERY_MS = 5_000;

type Namespace = Pick<TemporalClient, 'client' | 'connection'>;

/** Temporal must keep closed workflows this many days: `recover` restores what the oldest backup lacks. */
export const neededDays = (backupMaxAgeDays: number): number => backupMaxAgeDays + MARGIN_DAYS;

/** Throws if Temporal is unavailable. */
export async function retentionDays({ client, connection }: Namespace): Promise<number> {
  const { namespace } = client.options;
  const { config } = await connection.workflowService.describeNamespace({ namespace });
  return (optionalTsToMs(config?.workflowExecutionRetentionTtl) ?? 0) / DAY_MS;
}

/** Lengthens a retention that is too short. Does nothing on Temporal Cloud, whose console alone can do it. */
export async function lengthenRetention(temporal: Namespace, days: number): Promise<void> {
  if ((await retentionDays(temporal)) >= days) return;
  const { client, connection } = temporal;
  const config = { workflowExecutionRetentionTtl: msNumberToTs(days * DAY_MS) };
  const { namespace } = client.options;
  await succeeds(connection.workflowService.updateNamespace({ namespace, config }));
}

/** Production is ready only if Temporal's retention suffices. The gate asks until the first success. */
export function retentionGateOf(
  config: Pick<Config, 'MALIPO_ENV' | 'BACKUP_MAX_AGE_DAYS'>,
  temporal: Namespace,
  log: { error(facts: object, message: string): void },
): () => Promise<boolean> {
  const needed = neededDays(config.BACKUP_MAX_AGE_DAYS);
  let isEnough = config.MALIPO_ENV === 'development';
  let askAgainAt = -Infinity;
  return async () => {
    if (isEnough || performance.now() < askAgainAt) return isEnough;
    askAgainAt = performance.now() + ASK_EVERY_MS;
    const days = await retentionDays(temporal).catch(() => null);
    isEnough = days !== null && days >= needed;
    if (days !== null && !isEnough)
      log.error({ days, needed }, 'not ready: the retention of Temporal is shorter than recover needs');
    return isEnough;
  };
}

/** Returns the start of Temporal's oldest closed sweep (one runs each minute), or null. */
export async function memoryStart(client: Client): Promise<Date | null> {
  let oldest: Date | null = null;
  const query = `WorkflowType = '${workflowTypes.sweep}' AND ExecutionStatus != 'Running'`;
  for await (const { startTime } of client.workflow.list({ query }))
    if (oldest === null || startTime < oldest) oldest = startTime;
  return oldest;
}
