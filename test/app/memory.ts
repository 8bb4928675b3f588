import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { memoryStart } from '../../src/app/retention.ts';
import { taskQueues, workflowTypes } from '../../src/workflows/messages.ts';
import type { Database } from '../support/queryable.ts';
import { until } from '../support/wait.ts';

/**
 * A closed sweep: from here on Temporal remembers everything. It is closed by force, so that no worker has to run it and no
 * database is swept. Resolves once Temporal lists it.
 */
export async function rememberFromNow(client: Client): Promise<void> {
  const sweep = await client.workflow.start(workflowTypes.sweep, {
    workflowId: `sweep-${randomUUID()}`,
    taskQueue: `nobody-${taskQueues.money}`,
  });
  await sweep.terminate('a test');
  await until(async () => (await memoryStart(client)) !== null, {
    deadlineMs: 30_000,
    what: 'Temporal lists the sweep',
  });
}

/** A copy of Postgres that ends now: its last sweep is done. */
export async function endsNow(copy: Database): Promise<void> {
  await copy.query('UPDATE fence SET progress = progress + 1, swept_at = clock_timestamp()');
}
