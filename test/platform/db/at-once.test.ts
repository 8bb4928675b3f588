import assert from 'node:assert/strict';
import { inTransaction } from '../../../src/platform/db/transaction.ts';
import { atOnce, itRaced, times } from '../../support/at-once.ts';
import { asRole, useTestDatabase } from '../../support/database.ts';

describe('a race of tests', () => {
  const test = useTestDatabase();
  const pools: number[] = [];

  itRaced(test, 3, 'has as many connections as it claims, and then one', async () => {
    pools.push(test.database.options.max);
    let [inside, most] = [0, 0];
    const race = times(5, () =>
      inTransaction(asRole(test.database, 'worker'), async (db) => {
        inside += 1;
        most = Math.max(most, inside);
        await db.query('SELECT 1');
        inside -= 1;
      }),
    );
    await atOnce(3, test.database, race);
    assert.equal(most, test.database.options.max);
  });

  it('was run twice, and fails where nothing was in a transaction at once', async () => {
    assert.deepEqual(pools, [3, 1]);
    const reads = times(4, () => test.sql`SELECT 1`);
    await assert.rejects(atOnce(2, test.database, reads), /0 of 2 were in a transaction at once/);
  });
});
