import assert from 'node:assert/strict';
import { migrate } from '../../src/db/migrate.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

describe('migrate', () => {
  let test: TestDatabase;
  before(async () => {
    test = await createTestDatabase({ poolMax: 2 });
  });
  after(() => test.drop());

  it('applies nothing to a database that has everything', async () => {
    assert.deepEqual(await migrate(test.database), []);
  });

  it('refuses a migration that was edited after it was applied', async () => {
    await test.database.query("UPDATE schema_migrations SET checksum = 'other' WHERE name LIKE '0001%'");
    await assert.rejects(migrate(test.database), /0001_foundation\.sql was edited/);
  });
});
