import assert from 'node:assert/strict';
import { createSchemaGate, hasSchema, waitForSchema } from '../../../src/platform/db/schema-gate.ts';
import { useTestDatabase } from '../../support/database.ts';
import { until } from '../../support/wait.ts';

describe('the schema gate', () => {
  const test = useTestDatabase({ each: true });

  it('is open where every migration of this code is there, and what a newer one brought does not matter', async () => {
    await test.sql`INSERT INTO schema_migrations VALUES ('9999_next.sql', 'newer')`;
    const gate = createSchemaGate(test.database);
    assert.deepEqual(await gate.missing(), []);
    assert.equal(await hasSchema(gate), true);
  });

  it('is closed where one is missing or another one has its name, and before the first', async () => {
    const gate = createSchemaGate(test.database);
    await test.sql`DELETE FROM schema_migrations WHERE name LIKE '0006%'`;
    await test.sql`UPDATE schema_migrations SET checksum = 'other' WHERE name LIKE '0002%'`;
    assert.deepEqual(await gate.missing(), ['0002_transactions.sql', '0006_lists.sql']);
    assert.equal(await hasSchema(gate), false);
    await test.sql`DROP TABLE schema_migrations`;
    assert.ok((await gate.missing()).length >= 6);
  });

  it('is closed while the database cannot be asked', async () => {
    const gate = createSchemaGate(test.database);
    await test.database.end();
    await assert.rejects(gate.missing());
    assert.equal(await hasSchema(gate), false);
  });

  it('keeps a process waiting, which says once what for, until the migration is there', async () => {
    const rows = await test.sql`DELETE FROM schema_migrations WHERE name LIKE '0006%' RETURNING *`;
    const said: object[] = [];
    const warn = (fields: object) => said.push(fields);
    let waited = false;
    const waiting = waitForSchema(createSchemaGate(test.database), { warn }).then(() => {
      waited = true;
    });
    await until(() => said.length > 0, { deadlineMs: 5_000, what: 'it says that it waits' });
    assert.equal(waited, false);
    await test.sql`INSERT INTO schema_migrations SELECT *
      FROM jsonb_populate_record(NULL::schema_migrations, ${JSON.stringify(rows[0])})`;
    await waiting;
    assert.deepEqual(said, [{ missing: ['0006_lists.sql'] }]);
  });
});
