import assert from 'node:assert/strict';
import { migrate, OtherMigrations } from '../../src/db/migrate.ts';
import { createDatabase } from '../../src/db/pool.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { until } from '../support/wait.ts';

describe('migrate', () => {
  let test: TestDatabase;
  before(async () => {
    test = await createTestDatabase({ poolMax: 2 });
  });
  after(() => test.drop());

  it('applies nothing to a database that has everything', async () => {
    assert.deepEqual(await migrate(test.database), []);
  });

  it('waits for another process that migrates for longer than a statement of a request may take', async () => {
    const impatient = createDatabase({ url: test.url, poolMax: 1, applicationName: 'impatient' });
    impatient.on('connect', (client) => client.query('SET statement_timeout = 300; SET lock_timeout = 200'));
    const other = await test.database.connect();
    try {
      await other.query("BEGIN; SELECT pg_advisory_xact_lock(hashtext('malipo.migrate'))");
      const migrated = migrate(impatient);
      const waiting = `SELECT 1 FROM pg_stat_activity WHERE application_name = 'impatient' AND wait_event_type = 'Lock'
        AND clock_timestamp() - query_start > interval '500 ms'`;
      const waits = async () => (await test.database.query(waiting)).rowCount === 1;
      await Promise.race([migrated, until(waits, { deadlineMs: 10_000, what: 'it waits for the lock' })]);
      await other.query('COMMIT');
      assert.deepEqual(await migrated, []);
    } finally {
      other.release();
      await impatient.end();
    }
  });

  it('refuses a database of another version, and changes nothing there', async () => {
    const tables = async () =>
      (await test.database.query("SELECT count(*) FROM pg_class WHERE relkind = 'r'")).rows[0].count;
    const before = await tables();
    const { rows } = await test.database.query("SELECT * FROM schema_migrations WHERE name LIKE '0001%'");
    await test.database.query("UPDATE schema_migrations SET checksum = 'other' WHERE name LIKE '0001%'");
    await assert.rejects(migrate(test.database), /is of another version: its migration 0001_accounts\.sql/);
    await test.database.query('UPDATE schema_migrations SET checksum = $1 WHERE checksum = $2', [
      rows[0].checksum,
      'other',
    ]);
    await test.database.query("INSERT INTO schema_migrations VALUES ('0001_foundation.sql', 'old')");
    await test.database.query("DELETE FROM schema_migrations WHERE name LIKE '0006%'");
    await assert.rejects(migrate(test.database), OtherMigrations);
    assert.equal(await tables(), before);
  });
});
