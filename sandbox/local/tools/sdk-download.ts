/**
 * The Temporal SDK downloads a server into a folder and starts it once, in this process, which can be ended:
 * the SDK's download has no deadline. Run it as: node sdk-download.ts dev-server|time-skipping FOLDER
 */
const [kind, downloadDir] = process.argv.slice(2);
if ((kind !== 'dev-server' && kind !== 'time-skipping') || downloadDir === undefined)
  throw new Error('usage: sdk-download.ts dev-server|time-skipping FOLDER');

const { Runtime, DefaultLogger } = await import('@temporalio/worker');
const { TestWorkflowEnvironment } = await import('@temporalio/testing');
Runtime.install({ logger: new DefaultLogger('ERROR') });
const executable = { type: 'cached-download' as const, downloadDir };
const environment =
  kind === 'dev-server'
    ? await TestWorkflowEnvironment.createLocal({ server: { executable } })
    : await TestWorkflowEnvironment.createTimeSkipping({ server: { executable } });
await environment.teardown();
