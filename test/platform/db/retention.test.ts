import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { beginAttempt } from '../../../src/callbacks/log.ts';
import { keptDays } from '../../../src/domain/data/retention.ts';
import { applyRetention, keepPartitions } from '../../../src/platform/db/retention.ts';
import { findStored } from '../../../src/transactions/acceptance/idempotency.ts';
import { plantEvent } from '../../callbacks/planted.ts';
import { accept } from '../../support/accept.ts';
import { asRole, useTestDatabase } from '../../support/database.ts';
import { handedOver, notify } from '../../support/handed-over.ts';
import { createMerchant, type Merchant, pushRequest, submissionFor } from '../../support/merchant.ts';
import { succeeded } from '../../support/scripted-channel.ts';

const tables = ['callback_attempts', 'notification_bodies', 'previews', 'stored_answers'] as const;

describe('what has a retention', () => {
  const test = useTestDatabase();
  let merchant: Merchant;
  before(async () => {
    merchant = await createMerchant(test.database, { balance: 1_000_000 });
  });

  const keep = () => keepPartitions(asRole(test.database, 'worker'));
  const count = async (sql: string) => Number((await test.database.query(sql)).rows[0].count);
  const partitions = async (table: string) => {
    const rows = await test.sql`SELECT inhrelid::regclass::text AS name FROM pg_inherits
        WHERE inhparent = ${table}::regclass ORDER BY 1`;
    return rows.map(({ name }) => name as string);
  };
  /** As if all of it had happened so long ago; what is in a partition by then lies in the default one again. */
  const age = async (table: string, column: string, days: number) => {
    await test.database.query(`UPDATE ${table} SET ${column} = ${column} - $1 * interval '1 day'`, [days]);
  };

  it('has partitions for now and for what comes, and one for what fits none', async () => {
    for (const table of tables) {
      const there = await partitions(table);
      assert.equal(there.length, 5, there.join());
      assert.ok(there.includes(`${table}_default`));
    }
    const rows = await test.sql`SELECT name, kept_days FROM retention`;
    assert.deepEqual(Object.fromEntries(rows.map(({ name, kept_days }) => [name, kept_days])), keptDays);
  });

  it('answers a key for years, from its own partition, with the same bytes, and refuses it after that', async () => {
    const submission = submissionFor(merchant, pushRequest(5_000));
    const { answer } = await accept(test.database, submission);
    const key = submission.idempotencyKey ?? '';
    const stored = () =>
      findStored(asRole(test.database, 'api'), merchant.accountId, { key, paymentNumber: null });
    const rewrite = async (days: number) => {
      await test.sql`ALTER TABLE idempotency_keys DISABLE TRIGGER idempotency_keys_append_only`;
      await age('idempotency_keys', 'answered_at', days);
      await test.sql`ALTER TABLE idempotency_keys ENABLE TRIGGER idempotency_keys_append_only`;
      await age('stored_answers', 'answered_at', days);
    };
    await rewrite(1_090);
    await keep();
    await keep();
    assert.deepEqual({ ...(await stored()), language: answer.language }, answer);
    assert.equal(await count('SELECT count(*) FROM stored_answers_default'), 0, 'it moved to its month');
    await rewrite(keptDays.stored_answers - 1_090 + 40);
    await keep();
    await keep();
    assert.equal(await count('SELECT count(*) FROM stored_answers'), 0);
    assert.equal((await stored())?.body, '', 'the key is known for ever');
    const again = await accept(test.database, {
      ...submission,
      submissionId: randomUUID(),
      receivedAt: new Date().toISOString(),
    });
    assert.deepEqual([again.mine, again.answer.body], [false, '']);
    assert.equal(await count('SELECT count(*) FROM transactions'), 1, 'nothing is done twice');
  });

  it('forgets the bytes of a notification, and still knows the notification', async () => {
    const { id } = await handedOver(test.database, pushRequest(5_000));
    const told = () =>
      notify(asRole(test.database, 'api'), id, succeeded(5_000, 'R1'), { eventKey: 'receipt-1' });
    assert.equal((await told()).outcome, 'stored');
    assert.equal(await count('SELECT count(*) FROM notification_bodies'), 1);
    await age('notification_bodies', 'received_at', keptDays.notification_bodies + 40);
    await keep();
    await keep();
    assert.equal(await count('SELECT count(*) FROM notification_bodies'), 0);
    assert.equal((await told()).outcome, 'duplicate');
  });

  it('keeps the attempts of an event that is still delivered, whatever their age', async () => {
    const event = await plantEvent(test.database, merchant);
    const begin = () => beginAttempt(asRole(test.database, 'worker'), { eventId: event, round: 0 });
    assert.equal((await begin()).kind, 'begun');
    for (const [table, column] of [
      ['callback_events', 'created_at'],
      ['callback_attempts', 'event_at'],
    ] as const)
      await age(table, column, keptDays.callback_attempts + 40);
    await keep();
    await keep();
    assert.equal(await count('SELECT count(*) FROM callback_attempts'), 1);
    assert.equal((await begin()).kind, 'busy', 'nobody begins it a second time');
    await test.sql`UPDATE callback_events SET state = 'delivered'`;
    await keep();
    assert.equal(await count('SELECT count(*) FROM callback_attempts'), 0);
  });

  it('changes nothing when it is done again, and goes on where it stopped', async () => {
    await keep();
    const before = await Promise.all(tables.map(partitions));
    await keep();
    assert.deepEqual(await Promise.all(tables.map(partitions)), before);
    // Made, and the process was killed before it dropped anything; killed between two tables.
    await test.sql`INSERT INTO notification_bodies VALUES (1, '2020-02-03', '')`;
    await asRole(test.database, 'worker').query("SELECT add_partitions('notification_bodies')");
    assert.ok((await partitions('notification_bodies')).includes('notification_bodies_2020_02'));
    await Promise.all([keep(), keep(), keep()]);
    assert.deepEqual(await Promise.all(tables.map(partitions)), before);
  });

  it('is not for a process to shorten, and what is younger than it cannot be dropped', async () => {
    const worker = asRole(test.database, 'worker');
    await test.sql`INSERT INTO notification_bodies
      SELECT n, now() - n * ${Math.floor(keptDays.notification_bodies / 11)} * interval '1 day', ''
      FROM generate_series(0, 10) n`;
    for (let times = 0; times < 20; times += 1) await keep();
    assert.equal(await count('SELECT count(*) FROM notification_bodies'), 11);
    for (const statement of [
      "UPDATE retention SET kept_days = 1 WHERE name = 'notification_bodies'",
      'DROP TABLE notification_bodies_default',
      "SELECT drop_partition('transactions')",
      "SELECT drop_partition('payers')",
      "SELECT add_partitions('pg_class')",
    ])
      await assert.rejects(worker.query(statement), /permission denied|must be owner|is not partitioned/);
    // The owner may: with the next migration.
    await applyRetention(test.database, { ...keptDays, notification_bodies: 60 });
    for (let times = 0; times < 20; times += 1) await keep();
    assert.ok((await count('SELECT count(*) FROM notification_bodies')) <= 4);
    await applyRetention(test.database);
  });

  it('waits for no statement, and keeps none waiting for long', async () => {
    await test.sql`INSERT INTO notification_bodies VALUES (1, '2020-02-03', '')`;
    await keep();
    await test.sql`INSERT INTO notification_bodies VALUES (2, '2020-03-03', '')`;
    const reader = await test.database.connect();
    try {
      await reader.query('BEGIN; SELECT count(*) FROM notification_bodies');
      await keep();
      await reader.query('COMMIT');
    } finally {
      reader.release();
    }
    await keep();
    await keep();
    assert.ok(!(await partitions('notification_bodies')).some((name) => name.includes('2020')));
  });
});
