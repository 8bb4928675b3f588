import assert from 'node:assert/strict';
import { BrokenInvariant } from '../../../src/domain/errors.ts';
import { inTransaction } from '../../../src/platform/db/transaction.ts';
import { useTestDatabase } from '../../support/database.ts';

describe('a transaction of Postgres', () => {
  const test = useTestDatabase();

  it('is not taken for committed where the error of a statement was passed over', async () => {
    const work = inTransaction(test.database, async (db) => {
      await db.query("INSERT INTO accounts (id, name) VALUES (gen_random_uuid(), 'lost')");
      await db.query('SELECT 1 / 0').catch(() => {});
      return 'done';
    });
    await assert.rejects(work, BrokenInvariant);
    const { rowCount } = await test.database.query("SELECT FROM accounts WHERE name = 'lost'");
    assert.equal(rowCount, 0);
  });
});
