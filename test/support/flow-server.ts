import { TestWorkflowEnvironment } from '@temporalio/testing';
import { useTestDatabase } from './database.ts';
import { openFlowEnvironment } from './flows.ts';
import { launchTemporalDevServer } from './temporal.ts';

/**
 * A Temporal server and a database for the tests of a describe block, opened before and closed after them: one that
 * skips over timers, or a real one. It is theirs alone: flows that others left running would come to their workers, find
 * no row, and close the fence. Read the members in hooks and tests only.
 */
export function useFlowServer(time: 'skipped' | 'real') {
  const test = useTestDatabase({ poolMax: 10 });
  let environment: TestWorkflowEnvironment;
  let stop = async () => {};

  before(async function () {
    this.timeout(60_000);
    if (time === 'skipped') {
      environment = await openFlowEnvironment();
      return;
    }
    const server = await launchTemporalDevServer();
    stop = server.stop;
    environment = await TestWorkflowEnvironment.createFromExistingServer({ address: server.address });
  });
  // The server skips no time while an activity of an earlier test is open, which a worker that stops may leave behind: the
  // test that waits in vain for it is tried once more.
  if (time === 'skipped')
    beforeEach(function () {
      this.currentTest?.retries(1);
    });
  after(async () => {
    await environment.teardown();
    await stop();
  });

  return {
    test,
    get environment() {
      return environment;
    },
  };
}
