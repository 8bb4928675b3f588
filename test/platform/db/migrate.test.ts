// tests: slow, many connections
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { type MigrateOptions, migrate, OtherMigrations } from '../../../src/platform/db/migrate.ts';
import { readMigrations } from '../../../src/platform/db/migrations.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { useFolder } from '../../support/folder.ts';
import { until } from '../../support/wait.ts';

describe('migrate', () => {
  const inFolder = useFolder({ each: true });
  let test: TestDatabase;
  beforeEach(async () => {
    test = await createTestDatabase({ poolMax: 6 });
  });
  afterEach(async () => await test.drop());

  const write = (name: string, sql: string) => writeFile(inFolder(name), sql);
  const run = (options: MigrateOptions = {}) =>
    migrate(test.database, { folder: inFolder(), pauseMs: 50, ...options });
  const query = async (sql: string) => (await test.database.query(sql)).rows;

  /** A database with one table, made by the first file of the folder. */
  async function openShop(): Promise<void> {
    await test.database.query('DROP TABLE schema_migrations');
    await write('0001_shop.sql', 'CREATE TABLE shop (id bigint PRIMARY KEY, size int, word text);');
    assert.deepEqual(await run(), ['0001_shop.sql']);
  }

  it('applies nothing to a database that has everything', async () => {
    assert.deepEqual(await migrate(test.database), []);
  });

  it('applies each file on its own, and goes on after one that failed', async () => {
    await openShop();
    await write('0002_right.sql', 'ALTER TABLE shop ADD price int;');
    await write('0003_wrong.sql', 'ALTER TABLE shop ADD colour text; ALTER TABLE shops ADD colour text;');
    await write('0004_later.sql', 'ALTER TABLE shop ADD owner text;');
    await assert.rejects(run(), /^Error: 0003_wrong\.sql: relation "shops" does not exist/);
    const columns = async () =>
      (await query("SELECT attname FROM pg_attribute WHERE attrelid = 'shop'::regclass AND attnum > 3")).map(
        ({ attname }) => attname,
      );
    assert.deepEqual(await columns(), ['price'], 'half of a file is nothing');
    await write('0003_wrong.sql', 'ALTER TABLE shop ADD colour text;');
    assert.deepEqual(await run(), ['0003_wrong.sql', '0004_later.sql']);
    assert.deepEqual(await columns(), ['price', 'colour', 'owner']);
  });

  it('lets payments through while somebody keeps the table that it waits for', async () => {
    await openShop();
    await write('0002_colour.sql', 'ALTER TABLE shop ADD colour text;');
    const reader = await test.database.connect();
    let applied: string[] | undefined;
    try {
      await reader.query('BEGIN; SELECT * FROM shop');
      const migrated = run({ pauseMs: 300 }).then((names) => {
        applied = names;
      });
      const waiting =
        "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'ALTER TABLE shop%'";
      await until(async () => (await query(waiting)).length === 1, 'it waits');
      // Behind it in the queue: without its time limit this one would wait for the reader's end.
      await test.database.query('INSERT INTO shop VALUES (1)');
      assert.equal(applied, undefined, 'the reader is still there');
      await reader.query('COMMIT');
      await migrated;
      assert.deepEqual(applied, ['0002_colour.sql']);
    } finally {
      reader.release(true);
    }
  });

  it('gives a lock up after so many tries, and says which file wanted it', async () => {
    await openShop();
    await write('0002_colour.sql', 'ALTER TABLE shop ADD colour text;');
    const reader = await test.database.connect();
    try {
      await reader.query('BEGIN; SELECT * FROM shop');
      await assert.rejects(run({ lockAttemptsMax: 2 }), /0002_colour\.sql: .*lock timeout/);
    } finally {
      reader.release(true);
    }
    assert.deepEqual(await run(), ['0002_colour.sql']);
  });

  it('breaks a file off that would keep its locks longer than a request waits', async () => {
    await openShop();
    await write('0002_slow.sql', 'ALTER TABLE shop ADD colour text; SELECT pg_sleep(30);');
    await assert.rejects(run(), /0002_slow\.sql keeps its locks for longer than 4 s/);
    assert.deepEqual(await query("SELECT 1 FROM pg_attribute WHERE attname = 'colour'"), []);
  });

  it('builds an index beside the payments, and again where a run left half of one', async () => {
    await openShop();
    await test.database.query('INSERT INTO shop SELECT n, 7 FROM generate_series(1, 10) n');
    await write(
      '0002_sizes.sql',
      `-- migration: without transaction
-- One shop of each size; so that it is found quickly.
DROP INDEX CONCURRENTLY IF EXISTS shop_sizes;
CREATE UNIQUE INDEX CONCURRENTLY shop_sizes ON shop (size);
`,
    );
    await assert.rejects(run(), /0002_sizes\.sql: could not create unique index/);
    const valid = () =>
      query("SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass('shop_sizes')");
    assert.deepEqual(await valid(), [{ valid: false }], 'what a broken run leaves behind');
    await test.database.query('UPDATE shop SET size = id');
    assert.deepEqual(await run(), ['0002_sizes.sql']);
    assert.deepEqual(await valid(), [{ valid: true }]);
  });

  it('lets two processes migrate at once: one does it, the other waits without keeping it waiting', async () => {
    await openShop();
    await write(
      '0002_sizes.sql',
      `-- migration: without transaction
DROP INDEX CONCURRENTLY IF EXISTS shop_sizes;
CREATE INDEX CONCURRENTLY shop_sizes ON shop (size);
`,
    );
    const [one, other] = await Promise.all([run(), run()]);
    assert.deepEqual([...one, ...other], ['0002_sizes.sql']);
  });

  it('fills a column in batches, each a transaction of its own, and goes on where it was killed', async () => {
    await openShop();
    await test.database.query('INSERT INTO shop SELECT n FROM generate_series(1, 2500) n');
    await write(
      '0002_words.sql',
      `-- migration: in batches
UPDATE shop SET word = 'word ' || id WHERE id IN (SELECT id FROM shop WHERE word IS NULL LIMIT 1000);
`,
    );
    // As a run that was killed after its first batch.
    await test.database.query("UPDATE shop SET word = 'first' WHERE id <= 1000");
    assert.deepEqual(await run(), ['0002_words.sql']);
    assert.deepEqual(
      await query(
        'SELECT count(*) AS rows, count(DISTINCT xmin::text) AS transactions FROM shop WHERE word IS NOT NULL',
      ),
      [{ rows: 2500, transactions: 3 }],
    );
    await test.database.query("DELETE FROM schema_migrations WHERE name LIKE '0002%'");
    assert.deepEqual(await run(), ['0002_words.sql'], 'killed before it was noted: it runs twice');
    assert.deepEqual(await query("SELECT count(*) AS rows FROM shop WHERE word = 'first'"), [{ rows: 1000 }]);
  });

  it('refuses a file that does not keep the rules of its way', async () => {
    const refused: [string, RegExp][] = [
      ['-- migration: quickly\nSELECT 1;', /"quickly" is none of/],
      ['-- migration: in batches\nUPDATE a SET b = 1;\nUPDATE a SET c = 1;\n', /must be one statement/],
      [
        '-- migration: without transaction\nALTER TABLE a ADD b int;\n',
        /belongs into a transaction: ALTER TABLE a/,
      ],
      ['-- migration: without transaction\nCREATE INDEX b ON a (c);\n', /belongs into a transaction/],
      [
        '-- migration: without transaction\nCREATE INDEX CONCURRENTLY b ON a (c);\n',
        /DROP INDEX CONCURRENTLY IF EXISTS b/,
      ],
    ];
    for (const [sql, message] of refused) {
      await write('0001_refused.sql', sql);
      await assert.rejects(readMigrations(inFolder()), message, sql);
    }
  });

  it('refuses a database of another version, and changes nothing there', async () => {
    const tables = async () => (await query("SELECT count(*) FROM pg_class WHERE relkind = 'r'"))[0].count;
    const before = await tables();
    const [first] = await query("SELECT * FROM schema_migrations WHERE name LIKE '0001%'");
    await test.database.query("UPDATE schema_migrations SET checksum = 'other' WHERE name LIKE '0001%'");
    await assert.rejects(migrate(test.database), /is of another version: its migration 0001_accounts\.sql/);
    await test.database.query('UPDATE schema_migrations SET checksum = $1 WHERE checksum = $2', [
      first.checksum,
      'other',
    ]);
    await test.database.query("INSERT INTO schema_migrations VALUES ('0001_foundation.sql', 'old')");
    await test.database.query("DELETE FROM schema_migrations WHERE name LIKE '0006%'");
    await assert.rejects(migrate(test.database), OtherMigrations);
    assert.equal(await tables(), before);
  });

  it('leaves alone what only a newer version knows, so that an older one can come back', async () => {
    await test.database.query("INSERT INTO schema_migrations VALUES ('9999_next.sql', 'newer')");
    assert.deepEqual(await migrate(test.database), []);
  });
});
