import { TestWorkflowEnvironment } from '@temporalio/testing';
import { registerSearchAttributes } from '../../src/temporal/search-attributes.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { openFlowEnvironment } from './flows.ts';
import { startTemporalDevServer } from './temporal.ts';

/**
 * A Temporal server and a database for the tests of a describe block, opened before and closed after them: one that
 * skips over timers, or the real one of this test run. Read the members in hooks and tests only.
 */
export function useFlowServer(time: 'skipped' | 'real') {
  const test = {} as TestDatabase;
  let environment: TestWorkflowEnvironment;

  before(async function () {
    this.timeout(60_000);
    environment = await (time === 'skipped' ? openFlowEnvironment() : connectToRealServer());
    Object.assign(test, await createTestDatabase({ poolMax: 10 }));
  });
  after(async () => {
    await environment.teardown();
    await test.drop();
  });

  return {
    test,
    get environment() {
      return environment;
    },
  };
}

async function connectToRealServer(): Promise<TestWorkflowEnvironment> {
  const { address } = await startTemporalDevServer();
  const environment = await TestWorkflowEnvironment.createFromExistingServer({ address });
  await registerSearchAttributes(environment.connection, 'default');
  return environment;
}
