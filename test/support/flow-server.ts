import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { useTestDatabase } from './database.ts';
import { type Flows, openFlowEnvironment, startFlows } from './flows.ts';
import { createMerchant, type Merchant } from './merchant.ts';
import { createScriptedChannel, type ScriptedChannel } from './scripted-channel.ts';
import { openOwnTemporal } from './temporal.ts';

type Deps = Partial<Parameters<typeof startFlows>[1]>;
/** What a test has for itself. */
export type OwnFlows = { merchant: Merchant; script: ScriptedChannel; flows: Flows };

/**
 * A Temporal server and a database for the tests of a describe block, opened before and closed after them: one that
 * skips over timers, or a real one. It is theirs alone: flows that others left running would come to their workers, find
 * no row, and close the fence. Read the members in hooks and tests only.
 */
export function useFlowServer(time: 'skipped' | 'real') {
  const test = useTestDatabase({ poolMax: 10 });
  let environment: TestWorkflowEnvironment;
  let stop = async () => {};
  let own: OwnFlows | undefined;
  afterEach(async () => {
    await own?.flows.stop();
    own = undefined;
  });

  before(async function () {
    this.timeout(240_000);
    if (time === 'real') ({ environment, stop } = await openOwnTemporal());
    else {
      environment = await openFlowEnvironment();
      stop = () => environment.teardown();
    }
  });
  // The server skips no time while an activity of an earlier test is open, which a worker that stops may leave behind: the
  // test that waits in vain for it is tried once more.
  if (time === 'skipped')
    beforeEach(function () {
      this.currentTest?.retries(1);
    });
  after(() => stop());

  return {
    test,
    get environment() {
      return environment;
    },
    /** A merchant, a channel and workers, which stop after the test. `balance`: whole TZS. */
    async open({ balance = 0, ...deps }: { balance?: number } & Deps = {}): Promise<OwnFlows> {
      const merchant = await createMerchant(test.database, { balance });
      const script = createScriptedChannel();
      const flows = await startFlows(environment, { database: test.database, script, ...deps });
      own = { merchant, script, flows };
      return own;
    },
    /** Other workers of the same channel, once those from before have stopped. */
    async restart(deps: Deps = {}): Promise<Flows> {
      if (!own) throw new Error('nothing was opened');
      await own.flows.stop();
      const { script } = own;
      own.flows = await startFlows(environment, { database: test.database, script, ...deps });
      return own.flows;
    },
    async statusOf(id: string) {
      return (await getTransaction(test.database, id))?.status;
    },
  };
}
