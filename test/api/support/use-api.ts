import type { Flows } from '../../../src/api/kit/flows.ts';
import type { Pages } from '../../../src/platform/db/pool.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import type { Database } from '../../support/queryable.ts';
import { flowsThatAccept, startTestApi, type TestApi, type TestFlows } from './api.ts';

type ApiOptions = Omit<Parameters<typeof startTestApi>[0], 'database' | 'flows'>;
type Options = ApiOptions & {
  /** a database and an API for every test, because the tests would meet each other's rows */
  each?: boolean;
  poolMax?: number;
  /** where its receipts are shown */
  pages?: Pages;
  /** what the test says instead of accepting */
  flows?: (database: Database) => Partial<Flows>;
};

/**
 * The API on a database of its own for the tests of a describe block, stopped and dropped after them. The hooks fill in
 * what this returns: read its members in hooks and tests only.
 */
export function useTestApi({
  each = false,
  poolMax = 5,
  pages,
  flows: overridesOf,
  ...apiOptions
}: Options = {}) {
  const test = {} as TestDatabase;
  const flows = {} as TestFlows;
  const api = {} as TestApi;

  (each ? beforeEach : before)(async () => {
    Object.assign(test, await createTestDatabase({ poolMax, ...(pages && { pages }) }));
    Object.assign(flows, flowsThatAccept(test.database, overridesOf?.(test.database)));
    Object.assign(api, await startTestApi({ database: test.database, flows, ...apiOptions }));
  });
  (each ? afterEach : after)(async () => {
    await api.stop();
    await test.drop();
  });

  /** Another API, merchant and key in the same database; `submit` and the like stand in for those of the flows. */
  async function restart(options: ApiOptions & { flows?: Partial<Flows> } = {}): Promise<void> {
    await api.stop();
    const changed = { ...apiOptions, ...options, flows: { ...flows, ...options.flows } };
    Object.assign(api, await startTestApi({ database: test.database, ...changed }));
  }

  return { test, flows, api, restart };
}
