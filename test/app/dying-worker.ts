import { TestWorkflowEnvironment } from '@temporalio/testing';
import { createDatabase } from '../../src/platform/db/pool.ts';
import { beforeStatements } from '../support/before-statements.ts';
import { startFlows } from '../support/flows.ts';
import { submissionKeys } from '../support/key-rings.ts';
import { createScriptedChannel } from '../support/scripted-channel.ts';

/** A worker that dies with the commit of the first hold of a batch: Temporal never hears of it. */
const { DATABASE_URL: url = '', TEMPORAL_ADDRESS: address = '' } = process.env;
const database = createDatabase({ url, poolMax: 10, applicationName: 'worker', rowKeys: submissionKeys });
let holds = false;
const dying = beforeStatements(database, async (on, query) => {
  holds ||= query === 'SAVEPOINT before_hold';
  if (!holds || query !== 'COMMIT') return;
  await on.query('COMMIT');
  process.kill(process.pid, 'SIGKILL');
});
const environment = await TestWorkflowEnvironment.createFromExistingServer({ address });
await startFlows(environment, { database: dying, script: createScriptedChannel() });
process.once('disconnect', () => process.exit());
process.send?.('ready');
