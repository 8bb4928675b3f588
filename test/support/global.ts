import { stopServers } from './at-end.ts';

/** A test's timeout says what a quiet machine needs; a busy one gets more, because only a hang is to be found. */
const PATIENCE = 3;

export const mochaHooks = {
  beforeEach(this: Mocha.Context): void {
    const test = this.currentTest;
    if (test && test.timeout() > 0) test.timeout(PATIENCE * test.timeout());
  },
};

/**
 * Servers are started by the first test that needs them; whatever was started is stopped here, at the end of the run. Nothing
 * that starts one is imported: it would be loaded for tests that need none.
 */
export const mochaGlobalTeardown = stopServers;
